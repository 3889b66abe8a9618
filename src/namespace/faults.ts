/**
 * The side channel of errors. Many commands print any failure as "No such file
 * or directory", or nothing; what really happened is kept here, in order, so
 * that the shell can put it on stderr and mend the exit status.
 */
import type { FsError } from '../errors.ts';
import type { Strand, Strands } from './strands.ts';

/** More than this many refusals in one command say nothing new. */
const KEPT = 10_000;

/** The errors that must not be swallowed, oldest first. */
export class Faults {
  readonly #errors: { error: FsError; strand: Strand }[] = [];
  readonly #strands: Strands;
  /** The endless file of which each job has read the beginning last. */
  readonly #endless = new Map<Strand, string>();
  #dropped = 0;

  constructor(strands: Strands) {
    this.#strands = strands;
  }

  record(error: FsError): void {
    if (!error.loud) return;
    if (this.#errors.length === KEPT) {
      this.#errors.shift();
      this.#dropped += 1;
    }
    this.#errors.push({ error, strand: this.#strands.current() });
  }

  /** A file without an end was read: what was given is a part of it. */
  recordEndless(path: string): void {
    this.#endless.set(this.#strands.current(), path);
  }

  /** The endless file of which the job that asks has read a part, and not said that it is enough. */
  endless(): string | null {
    return this.#endless.get(this.#strands.current()) ?? null;
  }

  enough(): void {
    this.#endless.delete(this.#strands.current());
  }

  /** A point in time, for {@link since}. */
  mark(): number {
    return this.#dropped + this.#errors.length;
  }

  /** Those of the job that asks, since a mark. */
  since(mark: number): readonly FsError[] {
    const found = this.#errors.slice(Math.max(0, mark - this.#dropped));
    if (found.length === 0) return [];
    const current = this.#strands.current();
    return found.filter(({ strand }) => strand === current).map(({ error }) => error);
  }

  clear(): void {
    this.#dropped += this.#errors.length;
    this.#errors.length = 0;
  }
}
