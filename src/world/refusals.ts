/** What a command was refused, as it is told. */
import type { FsError } from '../errors.ts';
import type { Refusal } from './protocol.ts';

/** More refusals of one command than this say nothing new. */
const REFUSALS_TOLD = 100;

/** What was refused by a rule, each once. */
export function refusalsOf(errors: readonly FsError[]): Refusal[] {
  const refusals = new Map<string, Refusal>();
  for (const { code, path, op, rule } of errors) {
    if (rule === undefined || (code !== 'EACCES' && code !== 'EPERM' && code !== 'EBUSY')) continue;
    refusals.set(`${op} ${path} ${rule}`, { path, op, code, rule });
    if (refusals.size === REFUSALS_TOLD) break;
  }
  return [...refusals.values()];
}
