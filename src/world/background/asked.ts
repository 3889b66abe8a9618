/** What the shell of a world asks of the background jobs, in its worker: the supervisor answers (answers.ts). */
import { DefenseInDepthBox } from 'just-bash';
import type { ActingContext } from '../../policy/context.ts';
import type { Background, BackgroundJob, BackgroundStart } from '../../shell/background.ts';
import type { FromWorker, ToWorker } from '../protocol.ts';
import { revive } from '../wire-errors.ts';
import type { JobsAnswers, JobsRequest } from './asks.ts';

/** The worker's side: the jobs as the commands of one worker have them. */
export class AskedJobs implements Background {
  readonly #send: (message: FromWorker) => void;
  readonly #context: () => ActingContext;
  readonly #onEnded: (origins: readonly string[]) => Promise<void>;
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>();
  #last = 0;

  /**
   * @param context of whoever runs the command
   * @param onEnded how jobs have ended becomes known to the command; they had read text of these services
   */
  constructor(
    send: (message: FromWorker) => void,
    context: () => ActingContext,
    onEnded: (origins: readonly string[]) => Promise<void>,
  ) {
    this.#send = send;
    this.#context = context;
    this.#onEnded = onEnded;
  }

  begin = (start: BackgroundStart) => this.#ask({ op: 'begin', start });

  async list(): Promise<BackgroundJob[]> {
    const jobs = await this.#ask({ op: 'list' });
    await this.#told(jobs);
    return jobs;
  }

  async ended(id: number): Promise<BackgroundJob | null> {
    const job = await this.#ask({ op: 'ended', id });
    if (job !== null) await this.#told([job]);
    return job;
  }

  async signal(number: number, signal: number): Promise<void> {
    await this.#ask({ op: 'signal', number, signal });
  }

  async forget(numbers: readonly number[]): Promise<void> {
    await this.#ask({ op: 'forget', numbers });
  }

  receive(message: Extract<ToWorker, { type: 'jobs-answer' | 'jobs-failed' }>): void {
    const asked = this.#asked.get(message.ask);
    this.#asked.delete(message.ask);
    if (message.type === 'jobs-answer') asked?.resolve(message.value);
    else asked?.reject(revive(message.error));
  }

  async #ask<R extends JobsRequest>(request: R): Promise<JobsAnswers[R['op']]> {
    const ask = ++this.#last;
    const asked = Promise.withResolvers<unknown>();
    this.#asked.set(ask, asked);
    // A command asks from inside the script's sandbox.
    return DefenseInDepthBox.runTrustedAsync(async () => {
      this.#send({ type: 'jobs', ask, request, context: this.#context() });
      return (await asked.promise) as JobsAnswers[R['op']];
    });
  }

  async #told(jobs: readonly BackgroundJob[]): Promise<void> {
    const origins = jobs.flatMap((job) => (job.status === null ? [] : job.origins));
    if (origins.length > 0)
      await DefenseInDepthBox.runTrustedAsync(() => this.#onEnded([...new Set(origins)]));
  }
}
