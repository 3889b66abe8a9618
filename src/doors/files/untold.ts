/**
 * What is done where nothing can be refused, while nobody else uses the world: a file that is made, and
 * a time that is set. The world is told of it with what comes next, as a rule what is written to the
 * file, or ahead of whatever it is asked, in the order in which it was done.
 */
import { FsError } from '../../errors.ts';
import type { FsCall } from '../../world/fs-call.ts';
import { OpenFile } from './open-file.ts';

/** What nobody writes on or asks about is told after so long, ms. */
const LATEST_MS = 20;

/** Makes calls, those that were put off ahead of its own. */
type Behind<T> = (ahead: readonly FsCall[]) => Promise<T>;

export interface Teller {
  /** Tells the world of a file, unless it knows. */
  file(file: OpenFile): Promise<void>;
  /** Makes calls that were put off. */
  calls(calls: readonly FsCall[]): Promise<void>;
}

export class Untold {
  readonly #tell: Teller;
  readonly #waiting = new Set<OpenFile | FsCall>();
  /** Ends with the last message that is on its way. */
  #line: Promise<void> | null = null;
  #latest: NodeJS.Timeout | undefined;

  constructor(tell: Teller) {
    this.#tell = tell;
  }

  add(what: OpenFile | FsCall): void {
    this.#waiting.add(what);
    this.#latest ??= setTimeout(() => {
      this.#latest = undefined;
      void this.told();
    }, LATEST_MS);
  }

  /** Resolves once the world knows all; null where it does. */
  told(): Promise<void> | null {
    this.#startAll(this.#take(null));
    return this.#line;
  }

  /**
   * Does what tells of a file, with what was done before it, or after that.
   * @param file null for what is done now
   */
  inTurn<T>(file: OpenFile | null, work: Behind<T>): Promise<T> {
    const ahead = this.#startAll(this.#take(file), 'but the last calls');
    return this.#next(() => this.#together(ahead, work));
  }

  /** What waits, up to a file. */
  #take(file: OpenFile | null): (OpenFile | FsCall)[] {
    const taken: (OpenFile | FsCall)[] = [];
    for (const each of this.#waiting) {
      this.#waiting.delete(each);
      if (each === file) break;
      taken.push(each);
    }
    return taken;
  }

  /** Calls that follow each other are one message. @returns the last of them, where those are left */
  #startAll(taken: readonly (OpenFile | FsCall)[], which: 'all' | 'but the last calls' = 'all') {
    let calls: FsCall[] = [];
    const startCalls = (): void => {
      const together = calls;
      calls = [];
      if (together.length > 0) void this.#next(() => this.#tell.calls(together));
    };
    for (const each of taken) {
      if (!(each instanceof OpenFile)) {
        calls.push(each);
        continue;
      }
      startCalls();
      // One that could not be told is untold still: whoever closes it has it told once more, and hears why not.
      this.#next(() => this.#tell.file(each)).catch(() => undefined);
    }
    if (which === 'all') startCalls();
    return calls;
  }

  /** Where one call of a message fails those after it are not made: those ahead and the others go by themselves then. */
  async #together<T>(ahead: readonly FsCall[], work: Behind<T>): Promise<T> {
    try {
      return await work(ahead);
    } catch (error) {
      if (ahead.length === 0) throw error;
      if (!(error instanceof FsError)) {
        // The world has ended, and begins anew: which of them were made nobody knows.
        await this.#tell.calls(ahead);
        throw error;
      }
      if (!ahead.some(([, path]) => path === error.path)) throw error;
      await this.#tell.calls(ahead);
      return work([]);
    }
  }

  #next<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#line === null ? work() : this.#line.then(work);
    const end = (): void => {
      if (this.#line === done) this.#line = null;
    };
    const done: Promise<void> = turn.then(end, end);
    this.#line = done;
    return turn;
  }
}
