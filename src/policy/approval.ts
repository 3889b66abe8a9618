/** What an approval is: a typed request to do one thing, and what became of it. */
import { escapeName } from '../visible.ts';
import type { Asked } from './asked-journal.ts';
import { asTime, fieldLines } from './field-lines.ts';
import type { AskedOperation, Origin } from './gate.ts';

export const APPROVAL_STATES = ['pending', 'allowed', 'denied', 'used', 'expired'] as const;
/**
 * - `pending`: nobody has answered;
 * - `allowed`, `denied`: answered;
 * - `used`: it was allowed once, and that once is over;
 * - `expired`: nobody answered for a day, what was allowed is a day old, or it was asked for by an
 *   earlier version, which did not say for whom.
 */
export type ApprovalState = (typeof APPROVAL_STATES)[number];

export const APPROVAL_SCOPES = ['once', 'path', 'prefix'] as const;
/** What an answer holds for: this very operation, its path, or all below a prefix. */
export type ApprovalScope = (typeof APPROVAL_SCOPES)[number];

/** A row of the journal. Times are ms since the epoch. */
export interface Approval extends AskedOperation, Asked {
  actor: string;
  /** The people who have it done by that actor; empty for the person in charge. An answer is for them alone. */
  people: readonly string[];
  origin: Origin;
  /** All that one answer is about, `op` and `path` above first. */
  operations: readonly AskedOperation[];
  /** Which rule asked, and why. */
  rule: string;
  reason: string;
  /** What would be written: a patch, or a sentence about bytes; null where nothing is written. */
  change: string | null;
  state: ApprovalState;
  scope: ApprovalScope | null;
  /** Of the scope `prefix`: the directory. */
  prefix: string | null;
}

/** How a person answers. */
export interface Answer {
  decision: 'allow' | 'deny';
  /** `once` if absent. */
  scope?: ApprovalScope;
  /** Of the scope `prefix`; the directory of the path if absent. */
  prefix?: string;
  by?: string;
}

/** Who acts, and for whom, on a line: `assistant, for ben`. */
export const actorText = ({ actor, people }: Pick<Approval, 'actor' | 'people'>): string => {
  const others = people.filter((person) => person !== actor);
  return others.length === 0 ? actor : `${actor}, for ${others.join(' and ')}`;
};

/** One line on what is asked for: `write /mnt/tracker/issues/12.md (and 3 more)`. */
export function describeOperation({ op, path, operations }: Approval): string {
  const more = operations.length - 1;
  return `${op} ${escapeName(path)}${more > 0 ? ` (and ${more} more)` : ''}`;
}

/** The file of an approval: fields, then what would be done. */
export function approvalText(approval: Approval): string {
  const body = approvalBody(approval).trimEnd();
  return `---\n${approvalFields(approval)}---\n${body === '' ? '' : `\n${body}\n`}`;
}

/** A line for each field, as YAML has it. */
export function approvalFields(approval: Approval): string {
  return fieldLines([
    ['id', approval.id],
    ['state', approval.state],
    ['op', approval.op],
    ['path', approval.path],
    ['mount', approval.mount],
    ['actor', approval.actor],
    ['people', approval.people.length === 0 ? null : approval.people.join(' ')],
    ['origin', approval.origin],
    ['session', approval.session],
    ['rule', approval.rule],
    ['reason', approval.reason],
    ['scope', approval.scope],
    ['prefix', approval.prefix],
    ['answered_by', approval.answeredBy],
    ['created_at', asTime(approval.createdAt)],
    ['answered_at', asTime(approval.answeredAt)],
    ['expires_at', asTime(approval.expiresAt)],
  ]);
}

/** What would be done: the operations, where they are several, and what would be written. */
export function approvalBody({ operations, change }: Approval): string {
  const list =
    operations.length > 1
      ? operations.map(({ op, path }) => `- ${op} ${escapeName(path)}\n`).join('')
      : '';
  return [list, change ?? ''].filter((part) => part !== '').join('\n');
}
