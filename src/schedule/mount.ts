/**
 * The schedule as files: what waits in the root, what was begun in `running/`,
 * what was carried out in `done/`. Writing a file in the root is scheduling it;
 * the other two are views, of which entries can be removed.
 */
import { FsError } from '../errors.ts';
import type { Dirent, Mount, MountStat } from '../mount/contract/contract.ts';
import { type Author, isBy } from '../policy/author.ts';
import type { ScheduleEntry, ScheduleJournal } from './journal.ts';

/** The longest prompt. Bytes. */
const LARGEST = 256 * 1024;

/** Where an entry is. */
type Where = { directory: Directory; name: string };
type Directory = 'waiting' | 'running' | 'done';

/** A time that has come is as good as begun. */
const directoryOf = ({ state }: ScheduleEntry): Directory => (state === 'due' ? 'running' : state);

/**
 * @param open gives the journal, or null while there is none and none is `needed`
 * @param author on whose behalf it is changed now
 * @param of whose prompts are shown, and can be changed; all, if absent
 */
export function createScheduleMount(
  open: (needed: boolean) => ScheduleJournal | null,
  author: () => Author,
  of?: string,
): Mount {
  const isShown = ({ author }: ScheduleEntry): boolean => of === undefined || isBy(author, of);
  const entries = (): ScheduleEntry[] => (open(false)?.list() ?? []).filter(isShown);
  const shown = (entry: ScheduleEntry): string => {
    if (entry.state !== 'done') return entry.name;
    return `${new Date(entry.endedAt ?? 0).toISOString().replace(/[:.]/g, '')}-${entry.name}`;
  };
  const find = (path: string, op: string): ScheduleEntry => {
    const { directory, name } = whereOf(path, op);
    const found = entries().findLast(
      (entry) => directoryOf(entry) === directory && shown(entry) === name,
    );
    if (found === undefined) throw new FsError('ENOENT', { path, op });
    return found;
  };
  const isDirectory = (path: string): boolean =>
    path === '/running' || path === '/done'
      ? entries().some((entry) => path === `/${directoryOf(entry)}`)
      : path === '/';
  const journal = (): ScheduleJournal => {
    const opened = open(true);
    if (opened === null) throw new Error('the journal of the schedule was not opened');
    return opened;
  };
  /** The name of a file in the root that is nobody else's. */
  const ownName = (path: string): string => {
    const name = nameToWrite(path);
    const waiting = journal().find('waiting', name);
    if (waiting === null || isShown(waiting)) return name;
    throw new FsError('EACCES', {
      path,
      op: 'open',
      rule: 'a scheduled prompt is its author’s',
      reason: `somebody else has scheduled ${name}: take another name`,
    });
  };
  return {
    kind: 'schedule',
    searchable: false,
    local: true,
    authored: true,
    hasLinks: () => false,

    async lstat(path): Promise<MountStat> {
      if (isDirectory(path)) {
        const mtime = new Date(entries().at(-1)?.updatedAt ?? 0);
        return { type: 'directory', mode: 0o755, size: 4096, mtime, ino: path };
      }
      const { id, text, updatedAt, state } = find(path, 'lstat');
      return {
        type: 'file',
        mode: state === 'waiting' ? 0o644 : 0o444,
        size: Buffer.byteLength(text),
        mtime: new Date(updatedAt),
        ino: id,
      };
    },

    async readdir(path): Promise<Dirent[]> {
      if (!isDirectory(path)) {
        find(path, 'scandir');
        throw new FsError('ENOTDIR', { path, op: 'scandir' });
      }
      const all = entries();
      const state = path === '/' ? 'waiting' : path.slice(1);
      const files = new Set(all.filter((entry) => directoryOf(entry) === state).map(shown));
      const rows: Dirent[] = [...files].map((name) => ({ name, type: 'file' }));
      if (path !== '/') return rows;
      const others = (['running', 'done'] as const).filter((each) =>
        all.some((entry) => directoryOf(entry) === each),
      );
      return [...rows, ...others.map((name): Dirent => ({ name, type: 'directory' }))];
    },

    async read(path) {
      if (isDirectory(path)) throw new FsError('EISDIR', { path, op: 'read' });
      return Buffer.from(find(path, 'open').text);
    },

    async write(path, data) {
      if (isDirectory(path)) throw new FsError('EISDIR', { path, op: 'open' });
      journal().write(ownName(path), textOf(path, data), author());
    },

    async append(path, data) {
      const name = ownName(path);
      const before = Buffer.byteLength(journal().find('waiting', name)?.text ?? '');
      journal().append(name, textOf(path, data, before), author());
    },

    async unlink(path) {
      if (isDirectory(path)) throw new FsError('EISDIR', { path, op: 'unlink' });
      journal().remove(find(path, 'unlink'));
    },

    async rename(from, to) {
      const entry = find(from, 'rename');
      nameToWrite(from);
      journal().rename(entry, ownName(to), author());
    },
  };
}

function whereOf(path: string, op: string): Where {
  const [first = '', second, ...below] = path.slice(1).split('/');
  if (second === undefined) return { directory: 'waiting', name: first };
  if ((first === 'running' || first === 'done') && below.length === 0)
    return { directory: first, name: second };
  throw new FsError('ENOENT', { path, op });
}

/** The name of a file in the root. @throws FsError for any other place */
function nameToWrite(path: string): string {
  const name = path.slice(1);
  if (name !== 'running' && name !== 'done' && !name.includes('/')) return name;
  throw new FsError('EPERM', {
    path,
    op: 'open',
    rule: 'the schedule is flat',
    reason:
      'a prompt is scheduled as a file right in /session/schedule; running and done are views',
  });
}

/** @param before bytes that are there already */
function textOf(path: string, data: Uint8Array, before = 0): string {
  if (before + data.length > LARGEST) {
    const reason = `a prompt has ${LARGEST} bytes at most`;
    throw new FsError('EFBIG', { path, op: 'write', rule: 'size of a scheduled prompt', reason });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(data);
  } catch (cause) {
    throw new FsError('EINVAL', { path, op: 'write', reason: 'the text is not UTF-8', cause });
  }
}
