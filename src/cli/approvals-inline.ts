/** Asking a person at the terminal, while the operation waits. */

import { parentOf } from '../paths.ts';
import { type Answer, type Approval, actorText, describeOperation } from '../policy/approval.ts';
import {
  escapeLine,
  joined,
  type VisibleText,
  visible,
  visibleLines,
  visibleName,
} from '../visible.ts';

/** More lines of what would be written than this are left to `/session/approvals`. */
const LINES_SHOWN = 20;

const PATCH_HEAD = /^(?:Index: .*\n=+\n)?--- .*\n\+\+\+ .*\n/;

/** A line of it takes no more rows of the terminal. */
const ROWS = 4;
/** Where the width of the terminal is not known. */
const COLUMNS = 80;

/** The question, as it is printed: what an agent wrote is indented, and broken before the terminal would. */
export function question(approval: Approval, columns = COLUMNS): VisibleText {
  const { reason, change, id, op } = approval;
  // The first lines of a patch say again which file it is.
  const lines = (change ?? '').replace(PATCH_HEAD, '').trimEnd().split('\n');
  const layout = { prefix: '  ', columns, rows: ROWS };
  const shown = lines.slice(0, LINES_SHOWN).join('\n');
  const left = lines.length - LINES_SHOWN;
  return joined([
    visibleLines(`${escapeLine(actorText(approval))} wants to ${describeOperation(approval)}\n`, {
      columns,
    }),
    visibleLines(`${escapeLine(reason)}\n`, layout),
    shown === ''
      ? visible``
      : visibleLines(`${shown}\n`, { ...layout, patch: op !== 'tool' && op !== 'call' }),
    left > 0 ? visible`  … ${left} more lines in /session/approvals/${id}.md\n` : visible``,
  ]);
}

/** What may be typed. */
export function choices({ path, op }: Approval): VisibleText {
  if (op === 'tool') return visible`allow? y once, p this tool for a day, n no: `;
  const below = visibleName(parentOf(path));
  return visible`allow? y once, p this path for a day, d all below ${below} for a day, n no: `;
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
