/** What SFTP shows of a file, and of the files in a directory. */
import { isFsError } from '../../errors.ts';
import { childOf } from '../../paths.ts';
import type { FileSystem } from '../files/file-system.ts';
import type { KernelStat } from '../files/stat.ts';
import type { Attributes, Named } from './sftp-packets.ts';

/** Everything belongs to whoever looks. */
export const OWNER = 1000;

const TYPE = 0o170_000;
const LETTERS: ReadonlyMap<number, string> = new Map([
  [0o040_000, 'd'],
  [0o120_000, 'l'],
]);

export const isLink = ({ mode }: KernelStat): boolean => (mode & TYPE) === 0o120_000;

export function attributesOf({ size, mode, atime, mtime }: KernelStat): Required<Attributes> {
  const times = { atime: Math.max(0, atime.seconds), mtime: Math.max(0, mtime.seconds) };
  return { size, uid: OWNER, gid: OWNER, mode, ...times };
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
/** In which `ls -l` shows the time of day instead of the year. */
const RECENT_MS = 182 * 24 * 60 * 60 * 1000;

function namedOf(name: string, stat: KernelStat, now: number): Named {
  const bits = [...'rwxrwxrwx'].map((letter, place) =>
    (stat.mode & (0o400 >> place)) === 0 ? '-' : letter,
  );
  const letter = LETTERS.get(stat.mode & TYPE) ?? '-';
  const mtime = new Date(stat.mtime.seconds * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const isRecent = Math.abs(now - mtime.getTime()) < RECENT_MS;
  const when = isRecent
    ? `${two(mtime.getUTCHours())}:${two(mtime.getUTCMinutes())}`
    : ` ${mtime.getUTCFullYear()}`;
  const day = `${MONTHS[mtime.getUTCMonth()]} ${String(mtime.getUTCDate()).padStart(2)} ${when}`;
  const line = `${letter}${bits.join('')}    1 agent    agent    ${String(stat.size).padStart(8)} ${day} ${name}`;
  return { name, line, attributes: attributesOf(stat) };
}

/** Rows of a directory's listing, in the order of the names. What is gone by now is left out. */
export async function rowsOf(
  files: Pick<FileSystem, 'stat'>,
  directory: string,
  names: readonly string[],
): Promise<Named[]> {
  const now = Date.now();
  const rows = names.map(async (name) => {
    const path = name === '..' || name === '.' ? directory : childOf(directory, name);
    try {
      return [namedOf(name, await files.stat(path), now)];
    } catch (error) {
      if (isFsError(error, 'ENOENT')) return [];
      throw error;
    }
  });
  return (await Promise.all(rows)).flat();
}
