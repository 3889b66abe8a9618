/** Comments of GitHub as messages: who said what to the agent, and what it says. */
import { z } from 'zod';
import type { Delivery } from '../../src/mount/index.ts';
import { readBody } from '../../src/mount/index.ts';
import type { OutgoingMessage } from '../../src/serve/channels/index.ts';
import { type Comment, commentText } from '../comments.ts';

const said = z.looseObject({
  id: z.number().int(),
  body: z.string().nullish(),
  user: z.looseObject({ id: z.number().int(), login: z.string(), type: z.string() }).nullable(),
  /** Where a program wrote it in somebody's name. */
  performed_via_github_app: z.unknown().optional(),
});
const payload = z.looseObject({
  action: z.string(),
  repository: z.looseObject({ full_name: z.string().regex(/^[\w.-]+\/[\w.-]+$/) }),
  issue: said.extend({ number: z.number().int() }),
  comment: said.optional(),
  sender: z.looseObject({ id: z.number().int() }),
});

/** What somebody has written, in a thread `OWNER/REPO#NUMBER`; null for whatever else happened, and for what programs write. */
export function commentIn(delivery: Delivery): Comment | null {
  const event = delivery.header('x-github-event');
  if (event !== 'issue_comment' && event !== 'issues') return null;
  const { action, repository, issue, comment, sender } = readBody(delivery, payload);
  const isNew = event === 'issues' ? action === 'opened' : action === 'created';
  const written = event === 'issues' ? issue : comment;
  if (!isNew || written === undefined || written.user === null || written.user.type === 'Bot')
    return null;
  const { id, login } = written.user;
  // An issue that somebody transfers is opened once more, in the name of whoever had written it.
  if (sender.id !== id || written.performed_via_github_app != null) return null;
  return {
    id: `${event === 'issues' ? 'issue' : 'comment'}:${written.id}`,
    thread: `${repository.full_name}#${issue.number}`,
    sender: { id: String(id), name: login },
    text: written.body ?? '',
  };
}

/** Where a thread is at GitHub. */
export function placeOf(thread: string): { owner: string; repo: string; issue_number: number } {
  const [, owner = '', repo = '', number] = /^([^/]+)\/([^#]+)#(\d+)$/.exec(thread) ?? [];
  return { owner, repo, issue_number: Number(number) };
}

/** Finds where an account is mentioned. */
export const mentionOf = (login: string): RegExp =>
  new RegExp(`(^|[^\\w/-])@${login}(?![\\w-])`, 'gi');

/** Tells a comment of ours from every other; no reader sees it. */
export const markOf = ({ key }: Pick<OutgoingMessage, 'key'>): string => `<!-- dirigent ${key} -->`;

/** A message as a comment. GitHub's API takes no attachments. */
export const bodyOf = (message: OutgoingMessage): string =>
  `${commentText(message)}\n\n${markOf(message)}`;
