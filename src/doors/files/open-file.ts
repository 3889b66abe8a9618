/** One file that is open, however often: what was read of it, and what was written and is not committed. */
import { FsError, isFsError } from '../../errors.ts';
import type { WorldFs } from '../../world/world.ts';

/** The files of a world, as open files need them. */
export type OpenableFs = Pick<
  WorldFs,
  | 'appendFile'
  | 'checkWrite'
  | 'chmod'
  | 'lstat'
  | 'readFileBuffer'
  | 'realpath'
  | 'stat'
  | 'writeFile'
>;

/** Bytes that open files keep, in all of a door's table. */
export class Budget {
  readonly #most: number;
  #used = 0;

  /** @param most bytes */
  constructor(most: number) {
    this.#most = most;
  }

  /** @throws FsError EFBIG where the open files would keep more than they may */
  claim(bytes: number, path: string): void {
    if (this.#used + bytes > this.#most)
      throw new FsError('EFBIG', {
        path,
        op: 'write',
        rule: 'open files are kept in memory',
        reason: `the files that are open at once have ${this.#most} bytes at most; close some, or take smaller ones`,
      });
    this.#used += bytes;
  }

  release(bytes: number): void {
    this.#used -= bytes;
  }
}

/** Room for what follows, so that writing on copies no more than twice. */
const GROWTH = 1.5;

export class OpenFile {
  readonly #fs: OpenableFs;
  readonly #budget: Budget;
  /** Tells the file from others; null where it is not there yet. */
  identity: string | null;
  path: string;
  /** Handles that are open. */
  handles = 0;
  /** It has no name any more: nothing of it is committed. */
  gone = false;
  /** The whole content; null while nobody needed it. */
  #bytes: Uint8Array | null = null;
  #size = 0;
  /** Is the content a copy of its own? What a mount gave is not changed. */
  #owned = false;
  #claimed = 0;
  /** Bytes at the end that were appended and not committed; the rest is as it was read. */
  #appended: Uint8Array[] = [];
  #rewritten = false;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(fs: OpenableFs, budget: Budget, path: string, identity: string | null) {
    this.#fs = fs;
    this.#budget = budget;
    this.path = path;
    this.identity = identity;
  }

  /** Is it still to be made, by its first commit? */
  get isNew(): boolean {
    return this.identity === null;
  }

  /** Is there something to commit? */
  get dirty(): boolean {
    return this.#rewritten || this.#appended.length > 0;
  }

  /** Its size for those who have it open; null where only the file itself tells it. */
  get size(): number | null {
    return this.#bytes === null ? null : this.#size;
  }

  /** It begins empty, and what becomes of it replaces what is there. */
  empty(): Promise<void> {
    return this.#inTurn(async () => {
      this.#hold(new Uint8Array());
      this.#appended = [];
      this.#rewritten = true;
    });
  }

  /** It was made, or emptied, on the disk of its mount: there is nothing to commit. */
  made(identity: string): void {
    this.identity = identity;
    this.#hold(new Uint8Array());
  }

  /** Reads the content, so that it can still be read when the name is gone. */
  async load(): Promise<void> {
    await this.#inTurn(() => this.#load());
  }

  /** @returns fewer bytes at the end of the file, none behind it. */
  read(offset: number, length: number): Promise<Uint8Array> {
    return this.#inTurn(async () => {
      const bytes = await this.#load();
      return bytes.slice(Math.min(offset, this.#size), Math.min(offset + length, this.#size));
    });
  }

  /** @param offset `end`: where the file ends by then */
  write(offset: number | 'end', data: Uint8Array): Promise<void> {
    return this.#inTurn(async () => {
      if (data.length === 0) return;
      if (offset === 'end' && this.#bytes === null) {
        this.#claim(data.length);
        this.#appended.push(Uint8Array.from(data));
        return;
      }
      await this.#load();
      const at = offset === 'end' ? this.#size : offset;
      const end = at + data.length;
      const room = this.#room(Math.max(end, this.#size));
      // What is skipped is empty; the room may hold what was cut off.
      if (at > this.#size) room.fill(0, this.#size, at);
      room.set(data, at);
      this.#size = Math.max(this.#size, end);
      if (offset === 'end' && !this.#rewritten) this.#appended.push(Uint8Array.from(data));
      else this.#rewrite();
    });
  }

  /** Cuts it off, or makes it longer by zeros. */
  truncate(size: number): Promise<void> {
    return this.#inTurn(async () => {
      if (size > 0) await this.#load();
      else this.#hold(new Uint8Array());
      if (size === this.#size && size > 0) return;
      const room = this.#room(size);
      if (size > this.#size) room.fill(0, this.#size, size);
      this.#size = size;
      this.#rewrite();
    });
  }

  /**
   * Writes what was written. What failed is not tried again by the next one: who wrote it was told.
   * @throws FsError as the write is refused
   */
  commit(): Promise<void> {
    return this.#inTurn(async () => {
      if (!this.dirty || this.gone) return;
      const rewritten = this.#rewritten;
      const appended = this.#appended;
      this.#rewritten = false;
      this.#appended = [];
      try {
        if (rewritten && this.#bytes !== null)
          await this.#fs.writeFile(this.path, this.#bytes.slice(0, this.#size));
        else await this.#fs.appendFile(this.path, Buffer.concat(appended));
        if (this.identity === null) this.identity = await identityAt(this.#fs, this.path);
      } catch (error) {
        // What is there was not changed: who reads on reads that.
        if (!this.isNew) this.#let();
        throw error;
      }
    });
  }

  /** Nobody has it open any more. */
  release(): void {
    this.#let();
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#queue.then(work);
    this.#queue = next.catch(() => undefined);
    return next;
  }

  async #load(): Promise<Uint8Array> {
    if (this.#bytes !== null) return this.#bytes;
    const appended = this.#appended;
    const stored = this.isNew ? new Uint8Array() : await this.#fs.readFileBuffer(this.path);
    this.#hold(Buffer.concat([stored, ...appended]));
    return this.#bytes ?? stored;
  }

  #hold(bytes: Uint8Array): void {
    this.#claim(bytes.length - this.#claimed);
    this.#bytes = bytes;
    this.#owned = false;
    this.#size = bytes.length;
  }

  #rewrite(): void {
    this.#rewritten = true;
    this.#appended = [];
  }

  /** The content up to so many bytes, with room for them, as a copy of its own. */
  #room(size: number): Uint8Array {
    const bytes = this.#bytes ?? new Uint8Array();
    if (bytes.length >= size && this.#owned) return bytes;
    const grown = size > bytes.length ? Math.ceil(bytes.length * GROWTH) : 0;
    const room = new Uint8Array(Math.max(size, grown));
    this.#claim(room.length - this.#claimed);
    room.set(bytes.subarray(0, Math.min(this.#size, room.length)));
    this.#bytes = room;
    this.#owned = true;
    return room;
  }

  #claim(bytes: number): void {
    this.#budget.claim(bytes, this.path);
    this.#claimed += bytes;
  }

  #let(): void {
    this.#budget.release(this.#claimed);
    this.#claimed = 0;
    this.#bytes = null;
    this.#owned = false;
    this.#size = 0;
  }
}

/** Tells a file from others: two names of one file have one. */
export async function identityAt(
  fs: Pick<OpenableFs, 'stat'>,
  path: string,
): Promise<string | null> {
  try {
    const { identity } = (await fs.stat(path)) as { identity?: string };
    return identity ?? path;
  } catch (error) {
    // What a service made of it may have another name.
    if (isFsError(error, 'ENOENT')) return null;
    throw error;
  }
}
