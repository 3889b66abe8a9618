/** Snapshots of `/workspace`: taken, compared, given back. */
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

/** The snapshot of `/workspace` as it was at an entry; null where none was taken before it. */
export function snapshotAt(
  session: Snapshotted | SessionFile,
  id: string | null = session.tree.leaf,
): string | null {
  for (const row of session.tree.up(id)) {
    const type = session.tree.type(row);
    if (type !== 'bash_start' && type !== 'bash_end' && type !== 'leaf') continue;
    const workspace = session.get(session.tree.id(row))?.['workspace'];
    if (typeof workspace === 'string') return workspace;
  }
  return session.header.workspace ?? null;
}
