/** Contents of files that were closed, for who opens them next. */

interface Kept {
  bytes: Uint8Array;
  /** Of the file that it is the content of, ms. */
  mtime: number;
  /** Of the content, where that was told: times of records stand still while their texts change. */
  version?: string | undefined;
}

export class KeptContents {
  readonly #most: number;
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** @param most bytes that are kept in all */
  constructor(most: number) {
    this.#most = most;
  }

  get(identity: string): Kept | undefined {
    return this.#kept.get(identity);
  }

  /** The ones kept longest go where there is too much. */
  keep(identity: string, kept: Kept): void {
    this.drop(identity);
    this.#kept.set(identity, kept);
    this.#bytes += kept.bytes.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#most) break;
      this.drop(oldest);
    }
  }

  dropAll(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  drop(identity: string): void {
    this.#bytes -= this.#kept.get(identity)?.bytes.length ?? 0;
    this.#kept.delete(identity);
  }
}
