/** Whole files of the host: read, replaced and added to, without ever waiting for a pipe. */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { FsError } from '../../src/errors.ts';
import { NOT_REGULAR } from './host.ts';

const { O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } =
  fs.constants;

const TEMPORARY = /\/\.dirigent-[0-9a-f]{12}\.tmp$/;

/** Is it the unfinished text of a write, or what a killed one has left? */
export function isTemporary(host: string): boolean {
  return TEMPORARY.test(host);
}

export function readWhole(host: string, path: string): Uint8Array {
  // O_NONBLOCK: opening a FIFO of the host must not wait for its writer.
  const file = fs.openSync(host, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stat = fs.fstatSync(file);
    if (stat.isDirectory()) throw new FsError('EISDIR', { path, op: 'read' });
    if (!stat.isFile()) throw new FsError('EINVAL', { path, op: 'open', reason: NOT_REGULAR });
    return fs.readFileSync(file);
  } finally {
    fs.closeSync(file);
  }
}

export function appendWhole(host: string, path: string, data: Uint8Array): void {
  const file = fs.openSync(host, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o644);
  try {
    if (!fs.fstatSync(file).isFile())
      throw new FsError('EINVAL', { path, op: 'open', reason: NOT_REGULAR });
    writeAll(file, data);
  } finally {
    fs.closeSync(file);
  }
}

/** Writes beside the file and renames over it: a reader, or a crash, sees the old text or the new one. */
export function replaceWhole(host: string, path: string, data: Uint8Array): void {
  const old = fs.lstatSync(host, { throwIfNoEntry: false });
  if (old?.isDirectory()) throw new FsError('EISDIR', { path, op: 'open' });
  if (old !== undefined && !old.isFile())
    throw new FsError('EINVAL', { path, op: 'open', reason: NOT_REGULAR });
  // Renaming asks for a right to the directory alone; writing a file asks for one to the file.
  if (old !== undefined) fs.accessSync(host, fs.constants.W_OK);
  if (old !== undefined && old.nlink > 1) return overwrite(host, data);
  const directory = host.slice(0, host.lastIndexOf('/') + 1);
  const temporary = `${directory}.dirigent-${randomBytes(6).toString('hex')}.tmp`;
  const mode = old === undefined ? 0o644 : old.mode & 0o777;
  const file = fs.openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode);
  try {
    try {
      if (old !== undefined) fs.fchmodSync(file, mode);
      writeAll(file, data);
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
