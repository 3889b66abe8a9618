/**
 * The directory of a mount's socket and shims. It is in the system's temporary
 * one, since the path of a socket has some 100 characters, and that of a state
 * directory may have more. What a killed process left is removed by the next.
 */
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../errors.ts';

const PREFIX = 'dirigent-door-';

/** Younger than this, ms, a socket may be one at which somebody is about to listen. */
const SETTLED_MS = 2_000;

/** Somebody else's, or removed by another door at this moment. */
const NOT_OURS = new Set(['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ENOTEMPTY', 'EBUSY']);

/** The longest address of a socket, in bytes: sun_path of unix(7) less its NUL, where it is shortest. */
const LONGEST_ADDRESS = 103;

/** Where the socket is in such a directory. */
export const socketIn = (place: string): string => join(place, 'socket');

/**
 * Makes one, which is its user's alone, in a directory.
 * @throws ConfigError where no socket can be in it
 */
export async function makePlace(above = tmpdir()): Promise<string> {
  requireShort(above, socketIn(join(above, `${PREFIX}XXXXXX`)));
  const names = (await readdir(above)).filter((name) => name.startsWith(PREFIX));
  await Promise.all(names.map((name) => removeDead(join(above, name))));
  return mkdtemp(join(above, PREFIX));
}

/** @throws ConfigError for an address of a socket that is too long, because of the directory that all of it is in */
export function requireShort(above: string, socket: string): void {
  const address = Buffer.byteLength(socket);
  if (address <= LONGEST_ADDRESS) return;
  throw new ConfigError(
    '',
    `${above} has too long a path for the socket of a mount, which would have ${address} bytes of ${LONGEST_ADDRESS}: set TMPDIR to a shorter one`,
  );
}

async function removeDead(place: string): Promise<void> {
  const socket = socketIn(place);
  try {
    if (Date.now() - (await stat(socket)).mtimeMs < SETTLED_MS) return;
    if (await isListenedAt(socket)) return;
    await rm(place, { recursive: true, force: true });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!NOT_OURS.has(code)) throw error;
  }
}

/** What is not refused may be alive. */
function isListenedAt(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const line = connect(socket);
    line.on('connect', () => {
      line.destroy();
      resolve(true);
    });
    line.on('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'ECONNREFUSED'));
  });
}
