/** The directory that a world is mounted at: is it one, and is nothing of the world in it? */
import { execFile } from 'node:child_process';
import { readdir, realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { ConfigError } from '../../errors.ts';
import { isWithin } from '../../paths.ts';

const run = promisify(execFile);

/**
 * @param used directories of the host that the world's own files are in
 * @returns the path without links
 * @throws ConfigError saying what to do
 */
export async function checkDirectory(
  given: string,
  used: readonly { directory: string; what: string }[],
): Promise<string> {
  const directory = await realOf(resolve(given));
  for (const { directory: own, what } of used) {
    const real = await realpath(own).catch(() => resolve(own));
    if (!isWithin(real, directory) && !isWithin(directory, real)) continue;
    throw new ConfigError(
      '',
      `${given} cannot be mounted: ${real} is ${what}, and a world that had itself among its files would wait for itself; take a directory outside of it`,
    );
  }
  if ((await readdir(directory)).length > 0)
    throw new ConfigError(
      '',
      `${given} is not empty, and what is in it would be hidden; take an empty directory`,
    );
  return directory;
}

/**
 * What is told of a mount whose process was killed: ECONNABORTED if it was asked as that ended. Its
 * attributes the kernel may have kept, for a moment; what is in it has to be asked for.
 */
const DEAD = new Set(['ENOTCONN', 'ECONNABORTED']);

async function realOf(directory: string): Promise<string> {
  try {
    if (!(await stat(directory)).isDirectory())
      throw new ConfigError('', `${directory} is no directory`);
    await readdir(directory);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT')
      throw new ConfigError('', `${directory} is not there: mkdir -p ${directory}`);
    if (!DEAD.has(code)) throw error;
    await unmountDead(directory);
    // There may have been one upon the other.
    return realOf(directory);
  }
  return realpath(directory);
}

/**
 * Unmounts what the helper of libfuse has left of a mount whose process was killed: it leaves one that
 * it was told of otherwise than by ENOTCONN.
 * @throws ConfigError where it stays
 */
export async function unmountLeft(directory: string): Promise<void> {
  if (!(await isDead(directory))) return;
  try {
    await unmountDead(directory);
  } catch (error) {
    // The helper may have been there first.
    if (await isDead(directory)) throw error;
  }
}

const isDead = (directory: string): Promise<boolean> =>
  readdir(directory).then(
    () => false,
    ({ code = '' }: NodeJS.ErrnoException) => DEAD.has(code),
  );

/** @throws ConfigError where it stays */
async function unmountDead(directory: string): Promise<void> {
  try {
    await run('fusermount3', ['-uz', '--', directory]);
  } catch (error) {
    throw new ConfigError(
      '',
      `${directory} is what is left of a mount whose process was killed, and it cannot be unmounted: ${(error as Error).message.trim()}; as root: umount -l ${directory}`,
      error,
    );
  }
}
