/** Programs of the host, as the worker asks for them: it starts none itself. */
import type { ActingContext } from '../policy/context.ts';
import type { HostProgram, HostProgramEnd } from '../shell/host-programs.ts';
import type { EndedProgram, FromWorker, Refusal, ToWorker } from './protocol.ts';
import { revive } from './wire-errors.ts';

/** What programs did to the world. */
type Deeds = Pick<EndedProgram, 'changed' | 'refused'>;

/** What is asked for. */
type ProgramMessage = Extract<FromWorker, { type: 'program' | 'program-stop' }>;

/** One that was stopped, as `timeout` has it: nobody waits for what else it did. */
const STOPPED: EndedProgram = {
  stdout: new Uint8Array(),
  stderr: new Uint8Array(),
  exitCode: 124,
  read: [],
  changed: [],
  refused: [],
};

/** Those of one worker. */
export class WorkerPrograms {
  readonly #send: (message: ProgramMessage) => void;
  readonly #running = new Map<number, PromiseWithResolvers<EndedProgram>>();
  #changed: string[] = [];
  #refused: Refusal[] = [];
  #last = 0;

  constructor(send: (message: ProgramMessage) => void) {
    this.#send = send;
  }

  /**
   * Has one run, in the name of whoever acts.
   * @param read gets the points of the mounts that it reads
   * @throws what it could not be started for
   */
  async run(
    program: HostProgram,
    context: ActingContext,
    { signal, read }: { signal: AbortSignal | undefined; read: Set<string> | undefined },
  ): Promise<HostProgramEnd> {
    const run = ++this.#last;
    const ended = Promise.withResolvers<EndedProgram>();
    this.#running.set(run, ended);
    const stop = (): void => {
      this.#send({ type: 'program-stop', run });
      // Its command goes on at once: what comes late would end the whole line.
      ended.resolve(STOPPED);
    };
    signal?.addEventListener('abort', stop, { once: true });
    this.#send({ type: 'program', run, program, context });
    if (signal?.aborted === true) stop();
    try {
      const { read: points, changed, refused, ...end } = await ended.promise;
      for (const point of points) read?.add(point);
      this.#changed.push(...changed);
      this.#refused.push(...refused);
      return end;
    } finally {
      signal?.removeEventListener('abort', stop);
      this.#running.delete(run);
    }
  }

  receive(message: Extract<ToWorker, { type: 'program-end' | 'program-failed' }>): void {
    const running = this.#running.get(message.run);
    if (message.type === 'program-end') running?.resolve(message.end);
    else running?.reject(revive(message.error));
  }

  /** What those of a command did, which has ended. */
  take(): Deeds {
    const deeds = { changed: this.#changed, refused: this.#refused };
    this.#changed = [];
    this.#refused = [];
    return deeds;
  }
}
