/**
 * The content of a file while programs have it open: all its handles share one,
 * whatever name they came by. What is written is kept here until it is
 * committed, as a whole or as what was added at the end.
 */
import { FsError } from '../../errors.ts';

/** Where the bytes of an open file come from and go to. */
export type Keeper = 'world' | 'scratch';

/** The largest file that is held, in bytes: it is read and written whole. */
const LARGEST_FILE = 2 * 1024 ** 3 - 1;

export class OpenFile {
  /** The same for all names of one file; of what is not in the world yet, its path. */
  identity: string;
  keeper: Keeper;
  /** The names that are known, any of which its content may be written to. None: it was removed. */
  readonly names: Set<string>;
  /** How many names it has, those that were never seen here included. */
  links = 1;
  /** It was made by an open(2), and the world gets it with its first commit. */
  isNew = false;
  /** It was made by an open(2) that nobody can refuse, and the world does not know yet. @see Untold */
  isUntold = false;
  /** Its mount takes it whole, once, when it is closed: a record, or what a person is asked about. */
  isWhole = false;
  /** How many handles there are. */
  handles = 0;
  /** Permission bits. */
  mode = 0o644;
  /** When programs changed it last, ms; null where what the world says holds. */
  changedAt: number | null = null;
  /** Of the world's file whose content this is: tells whether it is another by now. */
  base: { mtime: number; size: number; version?: string | undefined } | null = null;
  /** Counts the changes of its content. */
  changes = 0;
  #bytes: Buffer | null = null;
  #size = 0;
  /** The size when it was committed last, while nothing before that was changed since. */
  #appendedFrom: number | null = null;
  #dirty = false;
  /** Is the buffer nobody else's, with zeros behind the content? */
  #isOwn = false;
  /** Was anything written to it since it was committed, or was it just emptied? */
  #hasData = false;

  constructor(identity: string, name: string, keeper: Keeper) {
    this.identity = identity;
    this.names = new Set([name]);
    this.keeper = keeper;
  }

  get isLoaded(): boolean {
    return this.#bytes !== null;
  }

  get isDirty(): boolean {
    return this.#dirty;
  }

  /** True where all that happened is that it was emptied, or made: data may be on their way. */
  get isOnlyEmptied(): boolean {
    return this.#dirty && !this.#hasData;
  }

  get isRemoved(): boolean {
    return this.names.size === 0;
  }

  get size(): number {
    return this.#size;
  }

  /** Takes what the world has. The bytes are not changed. */
  load(bytes: Uint8Array): void {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#size = bytes.length;
    this.#appendedFrom = this.#size;
    this.#isOwn = false;
    this.#dirty = false;
    this.#hasData = false;
  }

  /** What it held is not to be believed any more. */
  unload(): void {
    this.#bytes = null;
    this.#dirty = false;
    this.#hasData = false;
    this.changedAt = null;
  }

  /** The bytes as they are now; they change when it is written. */
  bytes(): Buffer {
    return (this.#bytes ?? Buffer.alloc(0)).subarray(0, this.#size);
  }

  /** @returns how many bytes were there */
  read(target: Buffer, length: number, position: number): number {
    const end = Math.min(position + length, this.#size);
    return end <= position || this.#bytes === null ? 0 : this.#bytes.copy(target, 0, position, end);
  }

  write(data: Buffer, position: number): void {
    this.#grow(Math.max(this.#size, position + data.length));
    const bytes = this.#bytes as Buffer;
    data.copy(bytes, position);
    if (this.#appendedFrom !== null && position < this.#appendedFrom) this.#appendedFrom = null;
    this.#size = Math.max(this.#size, position + data.length);
    this.#hasData = true;
    this.#changed();
  }

  resize(size: number): void {
    if (size === this.#size && this.isLoaded && size > 0) {
      this.#changed();
      return;
    }
    this.#grow(size);
    if (this.#appendedFrom !== null && size < this.#appendedFrom) this.#appendedFrom = null;
    if (size < this.#size) this.#bytes?.fill(0, size);
    this.#size = size;
    if (size > 0) this.#hasData = true;
    this.#changed();
  }

  /** It was opened to be written anew. */
  empty(): void {
    this.#bytes = Buffer.alloc(0);
    this.#size = 0;
    this.#appendedFrom = null;
    this.#hasData = false;
    this.#changed();
  }

  /** What is to be committed: all of it, or what was added at the end of what is there. */
  pending(): { whole: Buffer } | { added: Buffer } {
    const from = this.#appendedFrom;
    return from !== null && from > 0 && from < this.#size
      ? { added: this.bytes().subarray(from) }
      : { whole: this.bytes() };
  }

  /** It was committed as it was after so many changes. */
  committed(changes: number, size: number): void {
    this.isNew = false;
    if (this.changes !== changes) {
      // What was written meanwhile may be anywhere.
      this.#appendedFrom = null;
      return;
    }
    this.#appendedFrom = size;
    this.#dirty = false;
    this.#hasData = false;
  }

  #changed(): void {
    this.#dirty = true;
    this.changes += 1;
    this.changedAt = Date.now();
  }

  #grow(size: number): void {
    if (size > LARGEST_FILE) {
      const [path = '/'] = this.names;
      throw new FsError('EFBIG', {
        path,
        op: 'write',
        reason: 'a file is written as a whole here, and may be 2 GiB at most',
      });
    }
    const bytes = this.#bytes ?? Buffer.alloc(0);
    if (this.#isOwn && size <= bytes.length) return;
    const room = Math.min(LARGEST_FILE, Math.max(2 * size, 4096));
    const grown = Buffer.alloc(room);
    bytes.copy(grown, 0, 0, this.#size);
    this.#bytes = grown;
    this.#isOwn = true;
  }
}
