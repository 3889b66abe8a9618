/**
 * The side channel of errors. Many commands print any failure as "No such file
 * or directory", or nothing; what really happened is kept here, in order, so
 * that the shell can put it on stderr and mend the exit status.
 */
import type { FsError } from '../errors.ts';

/** More than this many refusals in one command say nothing new. */
const KEPT = 10_000;

/** The errors that must not be swallowed, oldest first. */
export class Faults {
  readonly #errors: FsError[] = [];
  #dropped = 0;

  record(error: FsError): void {
    if (!error.loud) return;
    if (this.#errors.length === KEPT) {
      this.#errors.shift();
      this.#dropped += 1;
    }
    this.#errors.push(error);
  }

  /** A point in time, for {@link since}. */
  mark(): number {
    return this.#dropped + this.#errors.length;
  }

  since(mark: number): readonly FsError[] {
    return this.#errors.slice(Math.max(0, mark - this.#dropped));
  }

  clear(): void {
    this.#dropped += this.#errors.length;
    this.#errors.length = 0;
  }
}
