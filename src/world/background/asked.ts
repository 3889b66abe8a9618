/** What the shell of a world asks of the background jobs, in its worker: the supervisor answers (answers.ts). */
import { DefenseInDepthBox } from 'just-bash';
import type { ActingContext } from '../../policy/context.ts';
import type { Background, BackgroundStart } from '../../shell/background.ts';
import type { FromWorker, ToWorker } from '../protocol.ts';
import { revive } from '../wire-errors.ts';
import type { JobsAnswers, JobsRequest } from './asks.ts';

/** The worker's side: the jobs as the commands of one worker have them. */
export class AskedJobs implements Background {
  readonly #send: (message: FromWorker) => void;
  readonly #context: () => ActingContext;
  readonly #asked = new Map<number, PromiseWithResolvers<unknown>>();
  #last = 0;

  /** @param context of whoever runs the command */
  constructor(send: (message: FromWorker) => void, context: () => ActingContext) {
    this.#send = send;
    this.#context = context;
  }

  begin = (start: BackgroundStart) => this.#ask({ op: 'begin', start });
  list = () => this.#ask({ op: 'list' });
  ended = (id: number) => this.#ask({ op: 'ended', id });

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
}
