/** What people are asked, as files: `/ID.md`. */
import { FsError } from '../errors.ts';
import type { Mount } from '../mount/contract/contract.ts';
import type { Asked, AskedJournal } from './asked-journal.ts';

/** What is shown of a journal. */
export interface AskedView<Each extends Asked> {
  kind: 'approvals' | 'questions';
  /** The journal is opened when it is first looked at. */
  open(): Promise<AskedJournal<Each>>;
  /** The file of one. */
  textOf(asked: Each): string;
  isShown(asked: Each): boolean;
}

/** A read-only mount that shows what people are asked. */
export function createAskedMount<Each extends Asked>(view: AskedView<Each>): Mount {
  const { kind, open, textOf, isShown } = view;
  const list = async (): Promise<Each[]> => (await open()).list().filter(isShown);
  const find = async (path: string, op: string): Promise<Each> => {
    const [name = '', ...below] = path.slice(1).split('/');
    const found = name.endsWith('.md') ? (await open()).get(name.slice(0, -'.md'.length)) : null;
    if (found === null || !isShown(found)) throw new FsError('ENOENT', { path, op });
    if (below.length > 0) throw new FsError('ENOTDIR', { path, op });
    return found;
  };
  return {
    kind,
    searchable: false,
    local: true,
    hasLinks: () => false,

    async lstat(path) {
      if (path === '/') {
        const mtime = new Date((await list()).at(-1)?.createdAt ?? 0);
        return { type: 'directory', mode: 0o555, size: 4096, mtime, ino: path };
      }
      const asked = await find(path, 'lstat');
      return {
        type: 'file',
        mode: 0o444,
        size: Buffer.byteLength(textOf(asked)),
        mtime: new Date(asked.answeredAt ?? asked.createdAt),
        ino: path,
      };
    },

    async readdir(path) {
      if (path === '/') return (await list()).map(({ id }) => ({ name: `${id}.md`, type: 'file' }));
      await find(path, 'scandir');
      throw new FsError('ENOTDIR', { path, op: 'scandir' });
    },

    async read(path) {
      if (path === '/') throw new FsError('EISDIR', { path, op: 'read' });
      return Buffer.from(textOf(await find(path, 'open')));
    },
  };
}
