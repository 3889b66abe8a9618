/** What GitHub sends by itself: https://docs.github.com/webhooks/webhook-events-and-payloads */
import { z } from 'zod';
import {
  DeliveryRefusal,
  eventText,
  readBody,
  requireHeader,
  requireSignature,
  type Webhook,
  type WebhookEvent,
} from '../../src/mount/index.ts';

/** Files of one push, at most; what was pushed beyond is told of as the directory. */
const MOST_FILES = 50;

const numbered = z.looseObject({
  number: z.number().int(),
  title: z.string().nullish(),
  body: z.string().nullish(),
  updated_at: z.string().nullish(),
});
const said = z.looseObject({
  id: z.number(),
  body: z.string().nullish(),
  updated_at: z.string().nullish(),
  submitted_at: z.string().nullish(),
});

const payload = z.looseObject({
  action: z.string().nullish(),
  sender: z.looseObject({ id: z.number(), login: z.string(), type: z.string() }).nullish(),
  repository: z
    .looseObject({ full_name: z.string(), default_branch: z.string().nullish() })
    .nullish(),
  issue: numbered.extend({ pull_request: z.unknown().optional() }).nullish(),
  pull_request: numbered.nullish(),
  comment: said.extend({ pull_request_review_id: z.number().nullish() }).nullish(),
  review: said.nullish(),
  milestone: z.looseObject({ number: z.number() }).nullish(),
  release: z.looseObject({ tag_name: z.string() }).nullish(),
  ref: z.string().nullish(),
  commits: z
    .array(
      z.looseObject({
        added: z.array(z.string()).nullish(),
        modified: z.array(z.string()).nullish(),
        removed: z.array(z.string()).nullish(),
      }),
    )
    .nullish(),
});
type Payload = z.infer<typeof payload>;

/** Actions after which what they are about is not at its place any more. */
const ENDING: ReadonlySet<string> = new Set(['deleted', 'transferred', 'dismissed']);

export const githubWebhook: Webhook = {
  name: 'github',
  secretEnv: 'GITHUB_WEBHOOK_SECRET',
  receive(delivery, check): WebhookEvent {
    const [, signature = null] =
      /^sha256=(.*)$/.exec(delivery.header('x-hub-signature-256') ?? '') ?? [];
    requireSignature(delivery, check, signature);
    const name = requireHeader(delivery, 'x-github-event');
    const id = requireHeader(delivery, 'x-github-delivery');
    if (delivery.header('content-type')?.startsWith('application/x-www-form-urlencoded') === true)
      throw new DeliveryRefusal(
        'malformed',
        'the webhook sends forms: choose application/json as its content type',
      );
    const body = readBody(delivery, payload);
    const { action, sender } = body;
    const type = typeof action === 'string' ? `${name}.${action}` : name;
    const paths = pathsOf(name, body);
    const isEnding = ENDING.has(action ?? '');
    const at = timeOf(body);
    return {
      id,
      type,
      // Of what is gone there is only the time of its last change.
      at: isEnding || at === null ? null : new Date(at),
      by: sender === null || sender === undefined ? null : accountOf(sender),
      actor: sender?.login ?? null,
      paths,
      gone: isEnding ? paths.slice(0, 1) : [],
      text: textOf(type, body),
    };
  },
};

/** As the account of a credential begins: an app goes by its name, everybody else by the id. */
function accountOf({ id, login, type }: NonNullable<Payload['sender']>): string {
  return type === 'Bot' ? login.replace(/[^\w-]+/g, '-') : String(id);
}

/** What an event is about; the thing itself first. */
function pathsOf(name: string, body: Payload): string[] {
  const { repository, issue, pull_request: pull, comment, review } = body;
  if (repository === null || repository === undefined) return [];
  const root = `/${repository.full_name}`;
  const record = recordOf(root, issue, pull);
  const within = record?.replace(/\.md$/, '');
  switch (name) {
    case 'issues':
    case 'pull_request':
      return record === null ? [] : [record];
    case 'issue_comment':
      return record === null || !comment ? [] : [`${within}/comments/${comment.id}.md`, record];
    case 'pull_request_review':
      return record === null || !review ? [] : [`${within}/reviews/${review.id}.md`, record];
    case 'pull_request_review_comment': {
      const of = comment?.pull_request_review_id;
      return record === null || !of ? [] : [`${within}/reviews/${of}.md`, record];
    }
    case 'pull_request_review_thread':
      return record === null ? [] : [record];
    case 'label':
      return [`${root}/labels.tsv`];
    case 'milestone':
      return body.milestone ? [`${root}/milestones/${body.milestone.number}.md`] : [];
    case 'release':
      return body.release
        ? [`${root}/releases/${body.release.tag_name.replaceAll('/', '%2F')}.md`]
        : [];
    case 'repository':
      return [`${root}/repo.json`];
    case 'push':
      return pushed(root, body);
    default:
      return record === null ? [] : [record];
  }
}

function recordOf(root: string, issue: Payload['issue'], pull: Payload['pull_request']) {
  if (issue) {
    const isPull = issue.pull_request !== undefined && issue.pull_request !== null;
    return `${root}/${isPull ? 'pulls' : 'issues'}/${issue.number}.md`;
  }
  return pull ? `${root}/pulls/${pull.number}.md` : null;
}

/** The files of the branch that is shown. */
function pushed(root: string, { repository, ref, commits }: Payload): string[] {
  if (ref !== `refs/heads/${repository?.default_branch}`) return [];
  const files = new Set(
    (commits ?? []).flatMap(({ added, modified, removed }) =>
      [added, modified, removed].flatMap((each) => each ?? []),
    ),
  );
  const paths = [...files].slice(0, MOST_FILES).map((file) => `${root}/files/${file}`);
  return files.size > MOST_FILES || files.size === 0 ? [`${root}/files`, ...paths] : paths;
}

function timeOf({ comment, review, issue, pull_request: pull }: Payload): string | null {
  const subject = comment ?? review ?? issue ?? pull;
  return subject?.updated_at ?? review?.submitted_at ?? null;
}

function textOf(type: string, body: Payload): string {
  const { sender, repository, issue, pull_request: pull, comment, review } = body;
  const subject = issue ?? pull;
  const said = {
    event: type,
    by: sender?.login ?? 'unknown',
    repository: repository?.full_name,
    title: subject && (subject.title ?? ''),
    ref: body.ref || null,
  };
  return eventText(said, (comment ?? review ?? subject)?.body ?? '');
}
