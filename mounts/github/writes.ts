/** How issues, pull requests and comments are changed, made and removed. */
import {
  ascending,
  type Create,
  type Edit,
  type Freshness,
  nameFields,
  naming,
  type Outcome,
  type Params,
  type Place,
  type Problem,
  type RecordHead,
  type Remove,
  ServiceFailure,
  type ServiceRequest,
  type Values,
} from '../../src/mount/index.ts';
import type { GithubClient } from './client.ts';
import { type At, assignees, labels, milestones } from './collections.ts';
import { pagesFrom } from './pages.ts';
import { assignable, ensureNames } from './people.ts';
import {
  type ApiComment,
  type ApiIssue,
  commentRecord,
  commentSchema,
  issueRecord,
  issueSchema,
  pullRecord,
} from './records.ts';
import { issueFields } from './render.ts';
import { expectShape } from './schemas.ts';
import { type GithubStore, isPull, repoOf, repoUrl } from './store.ts';
import type { GithubSync } from './sync.ts';

/** GitHub's clock has whole seconds; so much earlier may our own request seem to have arrived. */
const CLOCK_SLACK_MS = 2_000;

export interface WriteParts {
  client: GithubClient;
  store: GithubStore;
  sync: GithubSync;
  freshness: Freshness;
  now: () => Date;
  /** What is known of the plain collections at a place. */
  scope(params: Params): At;
}

/** Changes an issue or a pull request; both are PATCHed as issues. */
export function issueEdit(parts: WriteParts, kind: 'issue' | 'pull'): Edit {
  const { store, sync, scope } = parts;
  return {
    record: (kind === 'pull' ? pullRecord : issueRecord).type,
    current: (params) => {
      const found = issueFields(store, repoOf(params), params['number'] ?? '', kind);
      return found === null ? null : { values: found.values, version: found.record.version };
    },
    refresh: (params) => sync.lookups.lookupIssue(repoOf(params), params['number'] ?? '', 'issue'),
    check: async (params, delta) => [
      ...(await names.check(delta, scope(params))),
      ...checkReason(stateOf(store, params), delta),
    ],
    normal: (params, values) => names.spelled(values, scope(params)),
    request: (params, delta) => ({
      method: 'PATCH',
      url: `${repoUrl(repoOf(params))}/issues/${params['number']}`,
      body: issueBody(scope(params), delta),
    }),
    send: (params, request) => sendIssue(parts, params, request),
  };
}

/** Makes an issue. */
export function issueCreate(parts: WriteParts): Create {
  const { scope } = parts;
  return {
    record: issueRecord.type,
    check: (params, values) => names.check(values, scope(params)),
    normal: (params, values) => names.spelled(values, scope(params)),
    request: (params, values) => ({
      method: 'POST',
      url: `${repoUrl(repoOf(params))}/issues`,
      body: issueBody(scope(params), values),
    }),
    send: (params, request) => sendIssue(parts, params, request),
    find: (params, request, sentAt) => findIssue(parts, params, request, sentAt),
  };
}

/** Changes the text of a comment. */
export function commentEdit(parts: WriteParts): Edit {
  const { store, sync } = parts;
  return {
    record: commentRecord.type,
    current: (params) => {
      const found = store.comment(repoOf(params), params['number'] ?? '', params['id'] ?? '');
      if (found === null) return null;
      return { values: commentRecord.values(found.comment), version: found.record.version };
    },
    refresh: (params) => sync.lookups.lookupComment(repoOf(params), params['id'] ?? ''),
    request: (params, delta) => ({
      method: 'PATCH',
      url: `${repoUrl(repoOf(params))}/issues/comments/${params['id']}`,
      body: { body: delta['body'] },
    }),
    send: (params, request) => sendComment(parts, params, request),
  };
}

/** Makes a comment. */
export function commentCreate(parts: WriteParts): Create {
  return {
    record: commentRecord.type,
    request: (params, values) => ({
      method: 'POST',
      url: `${repoUrl(repoOf(params))}/issues/${params['number']}/comments`,
      body: { body: values['body'] },
    }),
    send: async (params, request) => {
      try {
        return await sendComment(parts, params, request);
      } catch (error) {
        if (!(error instanceof ServiceFailure) || !error.absent) throw error;
        throw await parts.sync.lookups.whyMissing(repoOf(params), params['number'] ?? '', error);
      }
    },
    find: (params, request, sentAt) => findComment(parts, params, request, sentAt),
  };
}

/** Deletes a comment, for good. */
export function commentRemove({ client, store, sync }: WriteParts): Remove {
  return {
    request: (params) => ({
      method: 'DELETE',
      url: `${repoUrl(repoOf(params))}/issues/comments/${params['id']}`,
      body: null,
    }),
    send: async (params, request) => {
      await client.send(request);
      store.drop('comments', repoOf(params), params['id'] ?? '');
    },
    gone: async (params) => {
      await sync.lookups.lookupComment(repoOf(params), params['id'] ?? '');
      return store.comment(repoOf(params), params['number'] ?? '', params['id'] ?? '') === null;
    },
  };
}

/** Fields whose values name what the repository has; GitHub does not mind the case. */
export const names = nameFields<GithubClient>([
  { field: 'labels', ...naming(labels, { id: ({ name }) => name }) },
  {
    field: 'assignees',
    of: assignees,
    people: (place) => assignable(place).sort(ascending(({ name }) => name)),
    more: ensureNames,
  },
  { field: 'milestone', ...naming(milestones, { id: ({ number }) => number }) },
]);

function stateOf(store: GithubStore, params: Params): string | undefined {
  return store.issue(repoOf(params), params['number'] ?? '')?.issue.state;
}

/** A reason belongs to the state that it explains. */
function checkReason(now: string | undefined, delta: Values): Problem[] {
  const reason = delta['state_reason'];
  if (reason === undefined || reason === null) return [];
  const state = delta['state'] ?? now;
  const fits = (state === 'open') === (reason === 'reopened');
  if (fits) return [];
  const allowed = state === 'open' ? 'reopened' : 'completed, not_planned, duplicate';
  return [{ field: 'state_reason', message: `of an issue that is ${state} can be ${allowed}` }];
}

/** A milestone is sent by its number. */
function issueBody(place: Place, { milestone, ...values }: Values): Values {
  return { ...values, ...names.ids({ milestone }, place) };
}

async function sendIssue(
  { client, store, sync }: WriteParts,
  params: Params,
  request: ServiceRequest,
): Promise<Outcome> {
  const answer = await client.send(request);
  const issue = expectShape(issueSchema, answer.data, 'the issue that was written');
  const { number, repository_url: repository } = issue;
  if (!sync.lookups.isOurs(repoOf(params), { repository, number }, params['number'])) {
    throw new ServiceFailure('protocol', `GitHub wrote another issue: ${issue.html_url}`);
  }
  store.putIssue(repoOf(params), issue, 'write');
  return issueOutcome(params, issue);
}

async function sendComment(
  { client, store, sync }: WriteParts,
  params: Params,
  request: ServiceRequest,
): Promise<Outcome> {
  const answer = await client.send(request);
  const comment = expectShape(commentSchema, answer.data, 'the comment that was written');
  if (!sync.lookups.isOurComment(repoOf(params), comment, params['number'])) {
    throw new ServiceFailure('protocol', `GitHub wrote another comment: ${comment.html_url}`);
  }
  store.putComment(repoOf(params), comment, 'write');
  return commentOutcome(store, params, comment);
}

/** The one issue of ours, newer than the request, with its very title and text. */
async function findIssue(
  parts: WriteParts,
  params: Params,
  request: ServiceRequest,
  sentAt: number,
): Promise<Outcome | null> {
  const { client, store } = parts;
  const wanted = request.body as Values;
  const isOurs = await madeSince(parts, sentAt);
  const url = `${repoUrl(repoOf(params))}/issues?state=all&sort=created&direction=desc&per_page=30`;
  const answer = await client.get(url);
  const found = expectShape(issueSchema.array(), answer.data, 'the newest issues').filter(
    (issue) =>
      !isPull(issue) &&
      issue.title.trim() === String(wanted['title']).trim() &&
      sameText(issue.body, wanted['body']) &&
      isOurs({
        createdAt: issue.created_at,
        author: issue.user?.login,
        held: store.head('issues', repoOf(params), String(issue.number)),
      }),
  );
  const [issue] = found;
  if (issue === undefined || found.length > 1) return null;
  store.putIssue(repoOf(params), issue, 'write');
  return issueOutcome(params, issue);
}

async function findComment(
  parts: WriteParts,
  params: Params,
  request: ServiceRequest,
  sentAt: number,
): Promise<Outcome | null> {
  const { client, store } = parts;
  const wanted = request.body as Values;
  const isOurs = await madeSince(parts, sentAt);
  const from = new Date(client.serverTime(sentAt) - CLOCK_SLACK_MS).toISOString();
  const base = `${repoUrl(repoOf(params))}/issues/${params['number']}/comments`;
  const found: ApiComment[] = [];
  for await (const { data } of pagesFrom(
    client,
    `${base}?per_page=100&since=${from.slice(0, 19)}Z`,
  )) {
    found.push(
      ...expectShape(commentSchema.array(), data, 'the newest comments').filter(
        (comment) =>
          sameText(comment.body, wanted['body']) &&
          isOurs({
            createdAt: comment.created_at,
            author: comment.user?.login,
            held: store.head('comments', repoOf(params), comment.id),
          }),
      ),
    );
  }
  const [comment] = found;
  if (comment === undefined || found.length > 1) return null;
  store.putComment(repoOf(params), comment, 'write');
  return commentOutcome(store, params, comment);
}

/** Who we are; where the token may not ask that, author counts for nothing. */
export async function ownLogin({ sync }: WriteParts): Promise<string | null> {
  try {
    return await sync.lookups.login();
  } catch (error) {
    if (error instanceof ServiceFailure && ['forbidden', 'missing'].includes(error.kind)) {
      return null;
    }
    throw error;
  }
}

/** What the service lists, as far as it tells whether it came of a request of ours. */
interface Listed {
  createdAt: string;
  author: string | undefined;
  /** What the replica holds of it. */
  held: RecordHead | null;
}

/** Tells what can have come of a request that went out then: it is no older, ours, and was not known before. */
export async function madeSince(
  parts: WriteParts,
  sentAt: number,
): Promise<(listed: Listed) => boolean> {
  const me = await ownLogin(parts);
  return ({ createdAt, author, held }) =>
    Date.parse(createdAt) >= parts.client.serverTime(sentAt) - CLOCK_SLACK_MS &&
    (me === null || author === me) &&
    !(held !== null && held.checkedAt < sentAt);
}

/** GitHub keeps CRLF as it comes, and trims nothing but the end. */
export function sameText(theirs: string | null | undefined, ours: unknown): boolean {
  const text = (value: string) => value.replaceAll('\r\n', '\n').trimEnd();
  return text(theirs ?? '') === text(typeof ours === 'string' ? ours : '');
}

function issueOutcome(params: Params, issue: ApiIssue): Outcome {
  const directory = isPull(issue) ? 'pulls' : 'issues';
  const path = `/${params['owner']}/${params['repo']}/${directory}/${issue.number}.md`;
  return { path, ...(issue.html_url === undefined ? {} : { url: issue.html_url }) };
}

function commentOutcome(store: GithubStore, params: Params, comment: ApiComment): Outcome {
  const number = comment.issue_url.slice(comment.issue_url.lastIndexOf('/') + 1);
  const pull = store.issue(repoOf(params), number)?.record.tag === 'pull';
  const path = `/${params['owner']}/${params['repo']}/${pull ? 'pulls' : 'issues'}/${number}/comments/${comment.id}.md`;
  return { path, ...(comment.html_url === undefined ? {} : { url: comment.html_url }) };
}
