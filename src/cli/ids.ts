/** What people type for an id: enough of its beginning or its end. */
import { FsError } from '../errors.ts';
import { meant } from '../nearest.ts';

/** More candidates than this are counted. */
const SHOWN = 8;

/** What is chosen from. */
export interface Choice {
  /** What one of them is called: `change`. */
  what: string;
  /** The command that lists them. */
  names: string;
  /** What is said beside each candidate. */
  describe?: (id: string) => string;
}

/**
 * The one id that is meant: itself, or the only one that begins or ends with what was typed,
 * in capitals or not.
 * @throws FsError ENOENT where none is, or which ones may be meant
 */
export function resolveId(ids: readonly string[], typed: string, choice: Choice): string {
  const { what, names, describe = () => '' } = choice;
  if (ids.includes(typed)) return typed;
  const piece = typed.toLowerCase();
  const found = ids.filter((id) => {
    const whole = id.toLowerCase();
    return piece !== '' && (whole.startsWith(piece) || whole.endsWith(piece));
  });
  const [only, ...more] = found;
  if (only !== undefined && more.length === 0) return only;
  if (only === undefined) {
    const near = meant(typed, ids);
    const hint = near === null ? '' : ` (did you mean ${near}?)`;
    throw absent(typed, `there is no ${what} "${typed}"${hint}; "${names}" names them`);
  }
  const shown = found.slice(0, SHOWN).map((id) => `\n  ${`${id}  ${describe(id)}`.trimEnd()}`);
  const rest = found.length > SHOWN ? `\n  and ${found.length - SHOWN} more` : '';
  throw absent(
    typed,
    `"${typed}" may be any of ${found.length}; give more of it:${shown.join('')}${rest}`,
  );
}

const absent = (path: string, reason: string): FsError =>
  new FsError('ENOENT', { path, op: 'open', reason });
