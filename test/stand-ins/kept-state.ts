/** What a stand-in serves, in a file, so that the next one goes on from there. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';

export class KeptState {
  readonly #file: string;
  #last: Buffer | null = null;

  constructor(file: string) {
    this.#file = file;
  }

  /** null where nothing was kept yet. */
  read(): unknown {
    if (!existsSync(this.#file)) return null;
    this.#last = readFileSync(this.#file);
    return deserialize(this.#last);
  }

  /** Keeps a state, in one step: a process that ends here leaves the old file or the new one. */
  write(state: unknown): void {
    const bytes = serialize(state);
    if (this.#last?.equals(bytes)) return;
    const fresh = `${this.#file}.${process.pid}`;
    writeFileSync(fresh, bytes, { mode: 0o600 });
    renameSync(fresh, this.#file);
    this.#last = bytes;
  }
}
