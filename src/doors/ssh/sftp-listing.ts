/** What SFTP shows of a file, and of the files in a directory. */
import { isFsError } from '../../errors.ts';
import { childOf } from '../../paths.ts';
import type { WorldFs } from '../../world/world.ts';
import type { Attributes, Named } from './sftp-packets.ts';

type Stat = Awaited<ReturnType<WorldFs['stat']>>;

/** Everything belongs to whoever looks. */
export const OWNER = 1000;
const TYPES = { directory: 0o040_000, file: 0o100_000, link: 0o120_000 };

const typeOf = (stat: Stat): keyof typeof TYPES =>
  stat.isDirectory ? 'directory' : stat.isSymbolicLink ? 'link' : 'file';

export function attributesOf(stat: Stat): Required<Attributes> {
  const time = Math.max(0, Math.floor(stat.mtime.getTime() / 1000));
  return {
    size: stat.size,
    uid: OWNER,
    gid: OWNER,
    mode: TYPES[typeOf(stat)] | (stat.mode & 0o7777),
    atime: time,
    mtime: time,
  };
}

const MONTHS = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
/** In which `ls -l` shows the time of day instead of the year. */
const RECENT_MS = 182 * 24 * 60 * 60 * 1000;

function namedOf(name: string, stat: Stat, now: number): Named {
  const bits = [...'rwxrwxrwx'].map((letter, place) =>
    (stat.mode & (0o400 >> place)) === 0 ? '-' : letter,
  );
  const letter = { directory: 'd', file: '-', link: 'l' }[typeOf(stat)];
  const { mtime } = stat;
  const two = (value: number): string => String(value).padStart(2, '0');
  const isRecent = Math.abs(now - mtime.getTime()) < RECENT_MS;
  const when = isRecent
    ? `${two(mtime.getUTCHours())}:${two(mtime.getUTCMinutes())}`
    : ` ${mtime.getUTCFullYear()}`;
  const day = `${MONTHS[mtime.getUTCMonth()]} ${String(mtime.getUTCDate()).padStart(2)} ${when}`;
  const line = `${letter}${bits.join('')}    1 agent    agent    ${String(stat.size).padStart(8)} ${day} ${name}`;
  return { name, line, attributes: attributesOf(stat) };
}

/** The files as a listing needs them. */
export type ListedFs = Pick<WorldFs, 'costly' | 'lstat' | 'readFileBuffer' | 'stat' | 'readdir'>;

/**
 * Attributes with the true size. Of a service it is known once the file was
 * read, and clients read no further than the size that they were told.
 */
export async function exact(fs: ListedFs, path: string, stat: Stat): Promise<Stat> {
  if (!stat.isFile) return stat;
  try {
    const bytes = await fs.readFileBuffer(path);
    return { ...stat, size: bytes.length };
  } catch (error) {
    // Who reads it is told why it cannot be; here it is there all the same.
    if (isFsError(error)) return stat;
    throw error;
  }
}

/** Rows of a directory's listing, in the order of the names. What is gone by now is left out. */
export async function rowsOf(
  fs: ListedFs,
  directory: string,
  names: readonly string[],
  isOfService: (path: string) => boolean,
): Promise<Named[]> {
  const now = Date.now();
  const rows = names.map(async (name) => {
    const path = name === '..' || name === '.' ? directory : childOf(directory, name);
    try {
      const stat = await fs.lstat(path);
      // What would cost a request of its own is asked for when it is opened.
      const sizes = stat.isFile && isOfService(path) && !(await fs.costly(path));
      return [namedOf(name, sizes ? await exact(fs, path, stat) : stat, now)];
    } catch (error) {
      if (isFsError(error, 'ENOENT')) return [];
      throw error;
    }
  });
  return (await Promise.all(rows)).flat();
}
