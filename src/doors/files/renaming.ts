/** What a rename is refused for. */
import { FsError } from '../../errors.ts';
import type { Inspection } from '../../namespace/inspect.ts';

/** What rename(2) does not replace. */
export function refuseOver(found: Inspection, target: Inspection | null, to: string): void {
  if (target === null) return;
  const isDirectory = found.type === 'directory';
  if (isDirectory && target.type !== 'directory')
    throw new FsError('ENOTDIR', { path: to, op: 'rename' });
  if (!isDirectory && target.type === 'directory')
    throw new FsError('EISDIR', { path: to, op: 'rename' });
}

/** A service decides which names it has. */
export function keepsItsName(from: string, to: string): FsError {
  return new FsError('EPERM', {
    path: from,
    op: 'rename',
    rule: 'a record keeps its name',
    reason: `its service has nothing of the name ${to}, so ${from} stays where it is; copy it instead`,
  });
}
