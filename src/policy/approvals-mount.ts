/** The approvals as files: `/ID.md`. */
import { FsError } from '../errors.ts';
import type { Mount } from '../mount/contract/contract.ts';
import { type Approval, approvalText } from './approval.ts';
import type { ApprovalJournal } from './approvals.ts';

/**
 * A read-only mount that shows the approvals; the journal is opened when it is first looked at.
 * @param isShown which of them; all by default
 */
export function createApprovalsMount(
  open: () => Promise<ApprovalJournal>,
  isShown: (approval: Approval) => boolean = () => true,
): Mount {
  const list = async (): Promise<Approval[]> => (await open()).list().filter(isShown);
  const find = async (path: string, op: string): Promise<Approval> => {
    const [name = '', ...below] = path.slice(1).split('/');
    const found = name.endsWith('.md') ? (await open()).get(name.slice(0, -'.md'.length)) : null;
    if (found === null || !isShown(found)) throw new FsError('ENOENT', { path, op });
    if (below.length > 0) throw new FsError('ENOTDIR', { path, op });
    return found;
  };
  return {
    kind: 'approvals',
    searchable: false,
    local: true,
    hasLinks: () => false,

    async lstat(path) {
      if (path === '/') {
        const mtime = new Date((await list()).at(-1)?.createdAt ?? 0);
        return { type: 'directory', mode: 0o555, size: 4096, mtime, ino: path };
      }
      const approval = await find(path, 'lstat');
      return {
        type: 'file',
        mode: 0o444,
        size: Buffer.byteLength(approvalText(approval)),
        mtime: new Date(approval.answeredAt ?? approval.createdAt),
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
      return Buffer.from(approvalText(await find(path, 'open')));
    },
  };
}
