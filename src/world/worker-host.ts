/** What a worker asks of whoever has opened its world: answered by those who know how. */
import type { CredentialSource } from '../credentials/credential.ts';
import type { Buffers } from '../disk/buffers.ts';
import { type AnswerJobs, answerJobs } from './background/answers.ts';
import { answerBuffer } from './buffer-calls.ts';
import { answerCredential } from './credential-calls.ts';
import { ProgramRuns, type RunForWorld } from './program-runs.ts';
import type { FromWorker, ToWorker } from './protocol.ts';

export interface WorkerHostOptions {
  /** Runs programs of the host. */
  runProgram?: RunForWorld | undefined;
  /** What another program has open of a mounted directory. */
  buffers?: Buffers | undefined;
  /** Answers what a command asks of the background jobs. */
  onJobs?: AnswerJobs;
  /** The source of credentials of the deployment's own. */
  credentials?: (() => Promise<CredentialSource>) | undefined;
}

type Asked = Extract<
  FromWorker,
  { type: 'program' | 'program-stop' | 'credential' | 'buffer' | 'jobs' }
>;

export class WorkerHost {
  readonly #options: WorkerHostOptions;
  readonly #programs: ProgramRuns;

  constructor(options: WorkerHostOptions) {
    this.#options = options;
    this.#programs = new ProgramRuns(options.runProgram);
  }

  /** @param post to the worker that has asked */
  receive(message: Asked, post: (answer: ToWorker) => void): void {
    const { buffers, onJobs, credentials } = this.#options;
    if (message.type === 'credential') void answerCredential(credentials, message, post);
    else if (message.type === 'buffer') void answerBuffer(buffers, message, post);
    else if (message.type === 'jobs') void answerJobs(onJobs, message, post);
    else this.#programs.receive(message, post);
  }

  /** The command has ended, and the programs that it had run. */
  endPrograms(): void {
    this.#programs.endAll();
  }
}
