/** Whole files of the host: read, replaced and added to, without ever waiting for a pipe. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { FsError } from '../errors.ts';
import { type IdentifiedBytes, sameIdentity } from '../mount/contract/walked-file.ts';
import { NOT_REGULAR } from './host.ts';
import type { Identities } from './identities.ts';

/** Bytes. */
const LARGE = 16 * 1024 * 1024;

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } =
  fs.constants;

const TEMPORARY = /^\.dirigent-[0-9a-f]{12}\.tmp$/;

/** Is it the name of the unfinished text of a write, or of what a killed one has left? */
export function isTemporary(name: string): boolean {
  return name.startsWith('.d') && TEMPORARY.test(name);
}

/** @param most bytes; what is longer is EFBIG */
export function readWhole(host: string, path: string, most = Number.POSITIVE_INFINITY): Uint8Array {
  return readOpened(host, path, (file, stat) => {
    if (stat.size > most) {
      const reason = `it has ${stat.size} bytes; ${most} are read`;
      throw new FsError('EFBIG', { path, op: 'read', reason });
    }
    return contentOf(file, stat);
  });
}

/** The content with its identity, if nobody changed it while it was read. */
export function readIdentified(
  host: string,
  path: string,
  identities: Identities,
): IdentifiedBytes {
  return readOpened(host, path, (file, stat) => {
    const before = identities.of(stat);
    const bytes = contentOf(file, stat);
    const after = before === null ? null : identities.of(fs.fstatSync(file));
    const same = before !== null && after !== null && sameIdentity(before, after);
    return { bytes, identity: same ? after : null };
  });
}

function readOpened<T>(host: string, path: string, read: (file: number, stat: fs.Stats) => T): T {
  const [file, stat] = openRegular(host, path);
  try {
    return read(file, stat);
  } finally {
    fs.closeSync(file);
  }
}

/** Opens a regular file for reading; whoever asks closes it. */
export function openRegular(host: string, path: string): [descriptor: number, stat: fs.Stats] {
  // O_NONBLOCK: opening a FIFO of the host must not wait for its writer.
  const file = fs.openSync(host, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fs.fstatSync(file);
    if (stat.isDirectory()) throw new FsError('EISDIR', { path, op: 'read' });
    if (!stat.isFile()) throw new FsError('EINVAL', { path, op: 'open', reason: NOT_REGULAR });
    return [file, stat];
  } catch (error) {
    fs.closeSync(file);
    throw error;
  }
}

/** What `fs.readFileSync` gives, without asking for the size once more. */
function contentOf(file: number, { size }: fs.Stats): Uint8Array {
  // A size of 0 says nothing of the files in /proc, and a great one is the library's to refuse.
  if (size === 0 || size > LARGE) return fs.readFileSync(file);
  const bytes = Buffer.allocUnsafe(size);
  let done = 0;
  while (done < size) {
    const read = fs.readSync(file, bytes, done, size - done, null);
    if (read === 0) break;
    done += read;
  }
  return done === size ? bytes : bytes.subarray(0, done);
}

/** @param rights of a file that is made */
export function appendWhole(host: string, path: string, data: Uint8Array, rights: number): void {
  const file = fs.openSync(host, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, rights);
  try {
    if (!fs.fstatSync(file).isFile())
      throw new FsError('EINVAL', { path, op: 'open', reason: NOT_REGULAR });
    writeAll(file, data);
  } finally {
    fs.closeSync(file);
  }
}

/**
 * Writes beside the file and renames over it: a reader, or a crash, sees the old text or the new one.
 * @param rights of a file that is made; one that is replaced leaves its own
 */
export function replaceWhole(host: string, path: string, data: Uint8Array, rights: number): void {
  const old = requireReplaceable(host, path);
  if (old !== undefined && old.nlink > 1) return overwrite(host, data);
  const mode = old === undefined ? rights : old.mode & 0o777;
  putWhole(
    host,
    data,
    (file) => {
      if (old !== undefined) fs.fchmodSync(file, mode);
    },
    mode,
  );
}

/**
 * What is to be replaced; undefined where nothing is there.
 * @throws what writing it would: it is no regular file, or may not be written
 */
export function requireReplaceable(host: string, path: string): fs.Stats | undefined {
  if (fs.lstatSync(host, { throwIfNoEntry: false }) === undefined) return undefined;
  const old = requireRegular(host, path);
  // Renaming asks for a right to the directory alone; writing a file asks for one to the file.
  fs.accessSync(host, fs.constants.W_OK);
  return old;
}

/** @throws FsError EISDIR, EINVAL where it is no regular file */
export function requireRegular(host: string, path: string): fs.Stats {
  const stat = fs.lstatSync(host);
  if (stat.isDirectory()) throw new FsError('EISDIR', { path, op: 'open' });
  if (!stat.isFile()) throw new FsError('EINVAL', { path, op: 'open', reason: NOT_REGULAR });
  return stat;
}

/**
 * Puts a file in the place of whatever else is there that is no directory, as a whole or not at all.
 * @param prepare sets what else the file is to have
 */
export function putWhole(
  host: string,
  data: Uint8Array,
  prepare: (file: number) => void,
  mode = 0o600,
): void {
  const directory = host.slice(0, host.lastIndexOf('/') + 1);
  const temporary = `${directory}.dirigent-${randomBytes(6).toString('hex')}.tmp`;
  const file = fs.openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    try {
      writeAll(file, data);
      prepare(file);
    } finally {
      fs.closeSync(file);
    }
    fs.renameSync(temporary, host);
  } catch (error) {
    fs.rmSync(temporary, { force: true });
    throw error;
  }
}

/** A file with several names keeps them all: here the text is replaced in place. */
function overwrite(host: string, data: Uint8Array): void {
  const file = fs.openSync(host, O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_TRUNC);
  try {
    writeAll(file, data);
  } finally {
    fs.closeSync(file);
  }
}

function writeAll(file: number, data: Uint8Array): void {
  for (let done = 0; done < data.length; ) done += fs.writeSync(file, data, done);
}
