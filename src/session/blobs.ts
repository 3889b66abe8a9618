/**
 * Content by its hash: long outputs of the log, and the files of snapshots. A
 * blob never changes, so sessions share the store, and a fork copies nothing.
 */
import { createHash, randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { FsError } from '../errors.ts';
import { inSlices, type Work } from '../slices.ts';
import type { BlobRef } from './entry.ts';
import { sha256 } from './line.ts';

/** Strings with more bytes than this are kept in a blob. */
export const MAX_INLINE_BYTES = 32 * 1024;
/** Lists with more elements than this are kept in a blob. */
const MAX_INLINE_ELEMENTS = 256;
/** So many characters of a blob's text are kept in the entry. */
const HEAD_CHARACTERS = 1024;

/** A blob's time is renewed only once it is so old: a write each would be most of the cost of asking. */
const RENEW_MS = 6 * 60 * 60 * 1000;

/** So much of a long text is encoded and written at a time. Characters. */
const PIECE_CHARACTERS = 256 * 1024;

const HASH = /^[0-9a-f]{64}$/;

/** A directory of blobs, `ab/cdef…`. */
export class BlobStore {
  readonly directory: string;
  readonly #folders = new Set<string>();

  constructor(directory: string) {
    this.directory = directory;
  }

  /** The file of a blob, which may not be there. */
  file(hash: string): string {
    return join(this.directory, hash.slice(0, 2), hash.slice(2));
  }

  /** Is it there? Whoever asks means to refer to it: it counts as kept just now. */
  has(hash: string): boolean {
    const file = this.file(hash);
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (stat === undefined) return false;
    // What nobody refers to is removed by its age (`session gc`).
    const now = Date.now();
    if (now - stat.mtimeMs > RENEW_MS) fs.utimesSync(file, now / 1000, now / 1000);
    return true;
  }

  /**
   * Keeps bytes, and gives their hash.
   * @param durable on the disk when this returns; otherwise a power failure may
   *   lose it, which reading it tells
   */
  put(bytes: Uint8Array, durable: boolean): string {
    const hash = sha256(bytes);
    const file = this.file(hash);
    if (!this.has(hash)) this.#write(file, bytes, durable);
    // Another session may have kept it without waiting for the disk.
    else if (durable) syncFile(file);
    return hash;
  }

  /** Keeps bytes that come in pieces, as {@link put} does where nothing need be durable. */
  writer(): BlobWriter {
    // Its own folder is not known before its hash is; the clean-up looks into each.
    const folder = join(this.directory, '00');
    this.#makeFolder(folder, false);
    const temporary = join(folder, `${randomBytes(8).toString('hex')}.tmp`);
    return new BlobWriter(temporary, (hash) => {
      if (this.has(hash)) return false;
      this.#makeFolder(dirname(this.file(hash)), false);
      fs.renameSync(temporary, this.file(hash));
      return true;
    });
  }

  /**
   * Keeps bytes that come in pieces, and gives their hash. They are on the disk
   * when this resolves; whoever shares the thread is held up by neither.
   */
  async keep(pieces: Iterable<Uint8Array>): Promise<string> {
    const writer = this.writer();
    try {
      await inSlices(writing(writer, pieces));
      await writer.synced();
    } catch (error) {
      writer.drop();
      throw error;
    }
    const hash = writer.end();
    const file = this.file(hash);
    // Another session may have kept it without waiting for the disk.
    for (const path of [file, dirname(file), this.directory]) await fileSynced(path);
    return hash;
  }

  /** @throws FsError EIO when it is missing, or not what its hash was made of */
  get(hash: string): Buffer {
    const fail = (what: string, cause?: unknown): never => {
      throw new FsError('EIO', {
        path: `blobs/${hash}`,
        op: 'read',
        rule: 'content by its hash',
        reason: `the blob ${hash} ${what}: what it held is lost`,
        cause,
      });
    };
    if (!HASH.test(hash)) return fail('has no valid name');
    let bytes: Buffer;
    try {
      bytes = fs.readFileSync(this.file(hash));
    } catch (error) {
      return fail(`cannot be read (${(error as Error).message})`, error);
    }
    return sha256(bytes) === hash ? bytes : fail('was damaged');
  }

  #makeFolder(folder: string, durable: boolean): void {
    if (this.#folders.has(folder)) return;
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
    if (durable) syncFile(this.directory);
    this.#folders.add(folder);
  }

  #write(file: string, bytes: Uint8Array, durable: boolean): void {
    const folder = dirname(file);
    this.#makeFolder(folder, durable);
    const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`;
    const descriptor = fs.openSync(temporary, 'wx', 0o600);
    try {
      for (let done = 0; done < bytes.length; ) done += fs.writeSync(descriptor, bytes, done);
      if (durable) fs.fsyncSync(descriptor);
    } catch (error) {
      fs.rmSync(temporary, { force: true });
      throw error;
    } finally {
      fs.closeSync(descriptor);
    }
    fs.renameSync(temporary, file);
    if (durable) syncFile(folder);
  }
}

/** A blob on its way. */
export class BlobWriter {
  readonly #temporary: string;
  readonly #keep: (hash: string) => boolean;
  readonly #descriptor: number;
  readonly #hash = createHash('sha256');

  /** @param keep puts the file in its place; false where it is not needed */
  constructor(temporary: string, keep: (hash: string) => boolean) {
    this.#temporary = temporary;
    this.#keep = keep;
    this.#descriptor = fs.openSync(temporary, 'wx', 0o600);
  }

  write(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    for (let done = 0; done < bytes.length; ) done += fs.writeSync(this.#descriptor, bytes, done);
  }

  /** Resolves when what was written is on the disk. */
  synced(): Promise<void> {
    return syncDescriptor(this.#descriptor);
  }

  /** Ends it, and gives the hash of what was written. */
  end(): string {
    fs.closeSync(this.#descriptor);
    const hash = this.#hash.digest('hex');
    if (!this.#keep(hash)) fs.rmSync(this.#temporary, { force: true });
    return hash;
  }

  /** Takes back what was written. */
  drop(): void {
    fs.closeSync(this.#descriptor);
    fs.rmSync(this.#temporary, { force: true });
  }
}

function* writing(writer: BlobWriter, pieces: Iterable<Uint8Array>): Work<void> {
  for (const piece of pieces) {
    writer.write(piece);
    yield;
  }
}

const syncDescriptor = promisify(fs.fsync);

/** Makes a file, or the names in a directory, durable. */
export function syncFile(path: string): void {
  const descriptor = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(descriptor);
  } catch (error) {
    if (!isUnsupportedSync(error)) throw error;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The same, without waiting for the disk on this thread. */
async function fileSynced(path: string): Promise<void> {
  const descriptor = fs.openSync(path, 'r');
  try {
    await syncDescriptor(descriptor);
  } catch (error) {
    if (!isUnsupportedSync(error)) throw error;
  } finally {
    fs.closeSync(descriptor);
  }
}

/** Some platforms cannot sync a directory, and keep its names in order by themselves. */
function isUnsupportedSync(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'EPERM' || code === 'EISDIR' || code === 'EINVAL';
}

/** Is it a reference as {@link externalize} makes them? */
export function isBlobRef(value: unknown): value is BlobRef {
  if (typeof value !== 'object' || value === null) return false;
  const { $blob, bytes, head } = value as Partial<BlobRef>;
  return (
    typeof $blob === 'string' &&
    HASH.test($blob) &&
    typeof bytes === 'number' &&
    typeof head === 'string'
  );
}

/** A long text or list that is in the store already; in a draft it stands for itself. */
export class KeptValue {
  readonly ref: BlobRef;

  constructor(ref: BlobRef) {
    this.ref = ref;
  }
}

/**
 * Keeps a text or a list, if it is long, before it is appended: in slices, and
 * durably. Gives what stands for it in a draft.
 */
export async function keepLong<T extends string | readonly unknown[]>(
  value: T,
  blobs: BlobStore,
): Promise<T | KeptValue> {
  if (typeof value === 'string')
    return isLong(value) ? new KeptValue(await keepPieces(piecesOf(value), blobs)) : value;
  if (value.length <= MAX_INLINE_ELEMENTS) return value;
  return new KeptValue({ ...(await keepPieces(jsonPieces(value), blobs)), json: true });
}

async function keepPieces(pieces: Iterable<string>, blobs: BlobStore): Promise<BlobRef> {
  let bytes = 0;
  let head = '';
  function* encoded(): Generator<Uint8Array> {
    for (const piece of pieces) {
      const data = Buffer.from(piece);
      bytes += data.length;
      if (head.length < HEAD_CHARACTERS) head += piece.slice(0, HEAD_CHARACTERS);
      yield data;
    }
  }
  const $blob = await blobs.keep(encoded());
  return { $blob, bytes, head: headOf(head) };
}

/** A text in pieces; a character of two code units is not cut in half. */
function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; ) {
    const piece = text.slice(at, at + PIECE_CHARACTERS);
    const whole = piece.isWellFormed() ? piece : piece.slice(0, -1);
    yield whole;
    at += whole.length;
  }
}

/** The JSON of a list, in pieces. */
function* jsonPieces(list: readonly unknown[]): Generator<string> {
  for (let at = 0; at < list.length; at += MAX_INLINE_ELEMENTS) {
    const elements = JSON.stringify(list.slice(at, at + MAX_INLINE_ELEMENTS)).slice(1, -1);
    yield `${at === 0 ? '[' : ','}${elements}`;
  }
  yield ']';
}

/** A lone surrogate has no bytes of its own; only JSON can keep it. */
const isLong = (text: string): boolean =>
  text.length > MAX_INLINE_BYTES / 3 &&
  Buffer.byteLength(text) > MAX_INLINE_BYTES &&
  text.isWellFormed();

const looksLikeOurs = (value: object): boolean => '$blob' in value || '$literal' in value;

/** JSON with its long strings and lists in the store. What only looks like a reference is marked. */
export function externalize(value: unknown, blobs: BlobStore): unknown {
  if (typeof value === 'string')
    return isLong(value) ? refer(value, Buffer.from(value), blobs) : value;
  if (value instanceof KeptValue) return value.ref;
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  if (Array.isArray(value)) {
    if (value.length <= MAX_INLINE_ELEMENTS) return value.map((each) => externalize(each, blobs));
    const text = JSON.stringify(value);
    return { ...refer(text, Buffer.from(text), blobs), json: true };
  }
  if (looksLikeOurs(value)) return { $literal: value };
  return mapFields(value, (field) => externalize(field, blobs));
}

/**
 * The opposite of {@link externalize}. What holds no reference is given back as
 * it is, not copied: a turn asks for its whole history before each request.
 * @throws FsError EIO when a blob is lost
 */
export function inline(value: unknown, blobs: BlobStore): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const whole = value.map((each) => inline(each, blobs));
    return whole.every((each, index) => each === value[index]) ? value : whole;
  }
  if ('$literal' in value) return value.$literal;
  if (!isBlobRef(value)) return withInlined(value, blobs);
  const text = blobs.get(value.$blob).toString('utf8');
  return value.json === true ? JSON.parse(text) : text;
}

function withInlined(value: object, blobs: BlobStore): object {
  const fields = Object.entries(value);
  const whole = fields.map(([, field]) => inline(field, blobs));
  if (whole.every((field, index) => field === fields[index]?.[1])) return value;
  return Object.fromEntries(fields.map(([name], index) => [name, whole[index]]));
}

/** Every reference in a value. */
export function* blobRefs(value: unknown): Generator<BlobRef> {
  if (typeof value !== 'object' || value === null || '$literal' in value) return;
  if (isBlobRef(value)) yield value;
  else for (const each of Object.values(value)) yield* blobRefs(each);
}

function refer(text: string, bytes: Uint8Array, blobs: BlobStore): BlobRef {
  return { $blob: blobs.put(bytes, true), bytes: bytes.length, head: headOf(text) };
}

/** The beginning of a text, in which no character of two code units is cut in half. */
function headOf(text: string): string {
  const head = text.slice(0, HEAD_CHARACTERS);
  return head.isWellFormed() ? head : head.slice(0, -1);
}

/** `fromEntries` defines fields: one named `__proto__` stays a field. */
function mapFields(value: object, map: (field: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, map(field)]));
}
