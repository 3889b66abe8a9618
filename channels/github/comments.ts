/** Comments of GitHub as messages: who said what to the agent, and what it says. */
import { z } from 'zod';
import type { Delivery } from '../../src/mount/index.ts';
import { readBody } from '../../src/mount/index.ts';
import type { IncomingMessage, OutgoingMessage, Sender } from '../../src/serve/channels/index.ts';

const said = z.looseObject({
  id: z.number().int(),
  body: z.string().nullish(),
  user: z.looseObject({ id: z.number().int(), login: z.string(), type: z.string() }).nullable(),
});
const payload = z.looseObject({
  action: z.string(),
  repository: z.looseObject({ full_name: z.string().regex(/^[\w.-]+\/[\w.-]+$/) }),
  issue: said.extend({ number: z.number().int() }),
  comment: said.optional(),
});

/** A comment, or the text of a new issue. */
export interface Comment {
  /** The same each time that it is delivered. */
  id: string;
  /** `OWNER/REPO#NUMBER`. */
  thread: string;
  sender: Sender;
  text: string;
}

/** What somebody has written; null for whatever else happened, and for what programs write. */
export function commentIn(delivery: Delivery): Comment | null {
  const event = delivery.header('x-github-event');
  if (event !== 'issue_comment' && event !== 'issues') return null;
  const { action, repository, issue, comment } = readBody(delivery, payload);
  const isNew = event === 'issues' ? action === 'opened' : action === 'created';
  const written = event === 'issues' ? issue : comment;
  if (!isNew || written === undefined || written.user === null || written.user.type === 'Bot')
    return null;
  const { id, login } = written.user;
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

/** Lines that repeat what others said. */
const QUOTE = /^ {0,3}> ?/;

/** What was said to an account; what it quotes is others’. */
export function messageOf({ text, ...comment }: Comment, login: string): IncomingMessage {
  const mention = new RegExp(`(^|[^\\w/-])@${login}(?![\\w-])`, 'gi');
  const lines = text.split(/\r?\n/);
  const own = lines.filter((line) => !QUOTE.test(line)).join('\n');
  const quoted = lines.flatMap((line) => (QUOTE.test(line) ? [line.replace(QUOTE, '')] : []));
  return {
    ...comment,
    text: own.replace(mention, '$1').trim(),
    // A mention in what is quoted is somebody else's.
    isAddressed: mention.test(own),
    ...(quoted.length === 0 ? {} : { quoted: quoted.join('\n') }),
  };
}

/** A button that is pressed by a comment of its own. */
export const pressedIn = ({ text }: Comment): string | null =>
  /^\s*\/answer ([A-Za-z0-9]{1,24})\s*$/.exec(text)?.[1] ?? null;

/** Tells a comment of ours from every other; no reader sees it. */
export const markOf = ({ key }: Pick<OutgoingMessage, 'key'>): string => `<!-- dirigent ${key} -->`;

/** A message as a comment. */
export function bodyOf(message: OutgoingMessage): string {
  const { text, buttons, files } = message;
  const answers = buttons.map(({ label, token }) => `- ${label}: \`/answer ${token}\``);
  const asking = answers.length === 0 ? [] : ['', 'Answer by a comment that says', ...answers];
  // GitHub's API takes no attachments.
  const left = files.map(({ name }) => `\`${name.replaceAll('`', '')}\``).join(', ');
  const missing = left === '' ? [] : ['', `Not attached here, and in the session: ${left}`];
  return [text, ...missing, ...asking, '', markOf(message)].join('\n');
}
