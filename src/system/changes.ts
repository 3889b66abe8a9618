/** The journal as files: `/ID/{answer,diff.patch,request.json,status,error,base.md,mine.md,theirs.md}`. */

import type { Change } from '../changes/change.ts';
import type { ChangeJournal } from '../changes/journal.ts';
import { FsError } from '../errors.ts';
import type { Dirent, Mount, MountStat } from '../mount/contract/contract.ts';

/** What each file of a change says; null where there is no such file. */
const FILES: Readonly<Record<string, (change: Change) => string | null>> = {
  answer: (change) => change.result?.answer ?? null,
  'base.md': (change) => change.base,
  'diff.patch': (change) => change.diff,
  error: (change) => (change.error === null ? null : `${change.error}\n`),
  'mine.md': (change) => change.mine,
  'request.json': (change) =>
    change.request === null ? null : `${JSON.stringify(change.request, null, 2)}\n`,
  status: statusText,
  'theirs.md': (change) => change.theirs,
};

/** A read-only mount that shows a journal, opened when it is first looked at; what another account of a service staged is not in it. */
export function createChangesMount(open: () => ChangeJournal): Mount {
  const change = (path: string, id: string, op: string): Change => {
    const found = open().get(id);
    if (found === null || open().isAnothers(found)) throw new FsError('ENOENT', { path, op });
    return found;
  };
  const content = (path: string, op: string): { text: string; change: Change } | Change | null => {
    const [id, name, ...rest] = path.split('/').slice(1);
    if (id === undefined || id === '') return null;
    const found = change(path, id, op);
    if (name === undefined) return found;
    const text = Object.hasOwn(FILES, name) ? FILES[name]?.(found) : null;
    if (text === null || text === undefined || rest.length > 0) {
      throw new FsError('ENOENT', { path, op });
    }
    return { text, change: found };
  };

  return {
    kind: 'changes',
    searchable: false,
    local: true,

    hasLinks: () => false,

    async lstat(path: string): Promise<MountStat> {
      const found = content(path, 'lstat');
      if (found === null) return directory(new Date(open().list().at(-1)?.createdAt ?? 0), path);
      if (!('text' in found)) return directory(changedAt(found), path);
      return {
        type: 'file',
        mode: 0o444,
        size: Buffer.byteLength(found.text),
        mtime: changedAt(found.change),
        ino: path,
      };
    },

    async readdir(path: string): Promise<Dirent[]> {
      const found = content(path, 'scandir');
      if (found === null) {
        return open()
          .list()
          .filter((each) => !open().isAnothers(each))
          .map(({ id }) => ({ name: id, type: 'directory' }));
      }
      if ('text' in found) throw new FsError('ENOTDIR', { path, op: 'scandir' });
      return Object.entries(FILES)
        .filter(([, render]) => render(found) !== null)
        .map(([name]) => ({ name, type: 'file' }));
    },

    async read(path: string): Promise<Uint8Array> {
      const found = content(path, 'open');
      if (found === null || !('text' in found)) throw new FsError('EISDIR', { path, op: 'read' });
      return Buffer.from(found.text);
    },
  };
}

function directory(mtime: Date, path: string): MountStat {
  return { type: 'directory', mode: 0o555, size: 4096, mtime, ino: path };
}

function changedAt(change: Change): Date {
  return new Date(change.endedAt ?? change.sentAt ?? change.createdAt);
}

function statusText(change: Change): string {
  const lines: [string, string | null | undefined][] = [
    ['state', change.state],
    ['op', change.op],
    ['mount', change.mount],
    ['path', change.path],
    ['digest', change.digest],
    ['replaced_by', change.replacedBy],
    ['base_version', change.baseVersion],
    ['created_at', iso(change.createdAt)],
    ['sent_at', iso(change.sentAt)],
    ['ended_at', iso(change.endedAt)],
    ['result', change.result?.path],
    ['url', change.result?.url],
  ];
  return lines
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('');
}

function iso(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString();
}
