/**
 * Files that were made where nothing can be refused, while nobody else uses the world: it is told of
 * each with what is written to it, or ahead of whatever it is asked next, in the order in which they
 * were made.
 */
import type { OpenFile } from './open-file.ts';

/** A file that is neither closed nor asked about is told of after so long, ms. */
const LATEST_MS = 20;

export class Untold {
  readonly #tell: (file: OpenFile) => Promise<void>;
  readonly #files = new Set<OpenFile>();
  /** Ends with the last message that is on its way. */
  #line: Promise<void> | null = null;
  #latest: NodeJS.Timeout | undefined;

  /** @param tell tells the world of a file, unless it knows */
  constructor(tell: (file: OpenFile) => Promise<void>) {
    this.#tell = tell;
  }

  add(file: OpenFile): void {
    this.#files.add(file);
    this.#latest ??= setTimeout(() => {
      this.#latest = undefined;
      void this.told();
    }, LATEST_MS);
  }

  /** Resolves once the world knows all; null where it does. */
  told(): Promise<void> | null {
    for (const file of this.#files) this.#start(file);
    return this.#line;
  }

  /** Does what tells of a file, after those that were made before it. */
  inTurn<T>(file: OpenFile, work: () => Promise<T>): Promise<T> {
    for (const each of this.#files) {
      if (each === file) break;
      this.#start(each);
    }
    this.#files.delete(file);
    return this.#next(work);
  }

  #start(file: OpenFile): void {
    this.#files.delete(file);
    // One that could not be told is untold still: whoever closes it has it told once more, and hears why not.
    this.#next(() => this.#tell(file)).catch(() => undefined);
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
