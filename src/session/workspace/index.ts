/** Snapshots of `/workspace`: taken, compared, given back. */
import { FsError } from '../../errors.ts';
import type { SessionFile } from '../file.ts';
import type { SessionTree } from '../tree.ts';

export { diskFiles, memoryFiles } from './files.ts';
export { Manifest } from './manifest.ts';
export { memoryOps } from './memory.ts';
export { restoreDirectory } from './restore.ts';
export { StatCache, WorkspaceSnapshots } from './snapshots.ts';

/** What finds snapshots: a session that is read or written. */
interface Snapshotted {
  tree: SessionTree;
  header: { workspace?: string };
  get(id: string): { [field: string]: unknown } | undefined;
}

/** The last snapshot of `/workspace` that was taken at an entry or before it; null without one. */
export function snapshotAt(
  session: Snapshotted | SessionFile,
  id: string | null = session.tree.leaf,
): string | null {
  return lastSnapshot(session, id, () => undefined);
}

/**
 * The snapshot of `/workspace` as it was at an entry; null where none was taken before it.
 * @throws FsError EIO where none could be taken, though something may have been changed
 */
export function exactSnapshotAt(session: Snapshotted | SessionFile, id: string): string | null {
  return lastSnapshot(session, id, (lost) => {
    throw new FsError('EIO', {
      path: '/workspace',
      op: 'fork',
      rule: 'what a snapshot keeps',
      reason: `no snapshot of /workspace could be taken at entry ${id} (${lost}); name an earlier entry`,
    });
  });
}

function lastSnapshot(
  session: Snapshotted | SessionFile,
  id: string | null,
  onLost: (why: string) => void,
): string | null {
  for (const row of session.tree.up(id)) {
    const type = session.tree.type(row);
    if (type !== 'bash_start' && type !== 'bash_end' && type !== 'leaf') continue;
    const { workspace, workspaceLost } = session.get(session.tree.id(row)) ?? {};
    if (workspaceLost !== undefined) onLost(String(workspaceLost));
    if (typeof workspace === 'string') return workspace;
  }
  return session.header.workspace ?? null;
}
