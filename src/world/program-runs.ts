/** The programs of the host that run for a world's worker: they end with their command. */
import type { ActingContext } from '../policy/context.ts';
import type { HostProgram } from '../shell/host-programs.ts';
import type { EndedProgram, FromWorker, ToWorker } from './protocol.ts';
import { wire } from './wire-errors.ts';

/** Runs a program for a world, and tells what it did there. */
export type RunForWorld = (
  program: HostProgram,
  /** Who runs it, with what holds at that moment. */
  acting: () => ActingContext,
  signal: AbortSignal,
) => Promise<EndedProgram>;

/** The programs that run for the command of a world's worker. */
export class ProgramRuns {
  readonly #run: RunForWorld | undefined;
  readonly #acting: (context: ActingContext) => () => ActingContext;
  readonly #aborts = new Map<number, AbortController>();

  /** @param acting as whom a program acts that was run so; with what holds as it begins, if absent */
  constructor(
    run: RunForWorld | undefined,
    acting: (context: ActingContext) => () => ActingContext = (context) => () => context,
  ) {
    this.#run = run;
    this.#acting = acting;
  }

  receive(
    message: Extract<FromWorker, { type: 'program' | 'program-stop' }>,
    post: (answer: ToWorker) => void,
  ): void {
    if (message.type === 'program-stop') this.#aborts.get(message.run)?.abort();
    else void this.#answer(message, post);
  }

  /** The command has ended, however it did, and what it started with it. */
  endAll(): void {
    for (const abort of this.#aborts.values()) abort.abort();
  }

  async #answer(
    { run, program, context }: Extract<FromWorker, { type: 'program' }>,
    post: (answer: ToWorker) => void,
  ): Promise<void> {
    const abort = new AbortController();
    this.#aborts.set(run, abort);
    try {
      if (this.#run === undefined)
        throw new Error('whoever opened this world runs no programs of the host');
      const end = await this.#run(program, this.#acting(context), abort.signal);
      post({ type: 'program-end', run, end });
    } catch (error) {
      post({ type: 'program-failed', run, error: wire(error) });
    } finally {
      this.#aborts.delete(run);
    }
  }
}
