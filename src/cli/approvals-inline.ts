/** Asking a person at the terminal, while the operation waits. */

import { parentOf } from '../paths.ts';
import { type Answer, type Approval, describeOperation } from '../policy/approval.ts';

/** More lines of what would be written than this are left to `/session/approvals`. */
const LINES_SHOWN = 20;

/** The question, as it is printed. */
export function question(approval: Approval): string {
  const { actor, reason, change, id, op } = approval;
  const all = (change ?? '').trimEnd().split('\n');
  // The first two lines of a patch say again which file it is.
  const lines = op === 'tool' ? all : all.slice(2);
  const shown = lines.slice(0, LINES_SHOWN).map((line) => `  ${visible(line)}\n`);
  const rest =
    lines.length > LINES_SHOWN
      ? `  … ${lines.length - LINES_SHOWN} more lines in /session/approvals/${id}.md\n`
      : '';
  return `${actor} wants to ${visible(describeOperation(approval))}\n  ${visible(reason)}\n${shown.join('')}${rest}`;
}

/** What may be typed. */
export function choices({ path, op }: Approval): string {
  if (op === 'tool') return 'allow? y once, p this tool for a day, n no: ';
  return `allow? y once, p this path for a day, d all below ${visible(parentOf(path))} for a day, n no: `;
}

/** What was typed, as an answer; null where it is none, and is asked again. */
export function answerOf(typed: string, { op }: Pick<Approval, 'op'>): Answer | null {
  switch (typed.trim().toLowerCase()) {
    case 'y':
    case 'yes':
      return { decision: 'allow', scope: 'once' };
    case 'p':
      return { decision: 'allow', scope: 'path' };
    case 'd':
      return op === 'tool' ? null : { decision: 'allow', scope: 'prefix' };
    case 'n':
    case 'no':
      return { decision: 'deny' };
    default:
      return null;
  }
}

/** Text of an agent must not move the cursor, and so hide what is asked. */
function visible(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
