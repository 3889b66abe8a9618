/** A person's answer is about what they were shown, and nothing else. */
import { FsError } from '../errors.ts';
import type { Asked } from './asked-journal.ts';

/** @throws FsError ESTALE where something else was shown */
export function requireShown(
  { id, digest }: Asked,
  what: 'approval' | 'question',
  shown: string,
  path: string,
): void {
  if (digest === shown) return;
  throw new FsError('ESTALE', {
    path,
    op: 'write',
    rule: 'an answer is bound to what was shown',
    reason: `what was shown is not what ${what} ${id} asks for; look at it, and answer again`,
  });
}
