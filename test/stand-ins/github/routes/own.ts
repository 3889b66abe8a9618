/**
 * What is the viewer's own: issues across repositories, and notifications.
 * https://docs.github.com/rest/issues/issues#list-issues-assigned-to-the-authenticated-user and
 * https://docs.github.com/rest/activity/notifications
 */
import {
  type Call,
  notFound,
  numberParam,
  paged,
  Refusal,
  type Reply,
  type Route,
  repositoryOf,
  signedIn,
} from '../http.ts';
import type { Issue } from '../model.ts';
import { commentCounts, renderIssue } from '../render.ts';
import { renderRepository } from '../render-repos.ts';
import type { Notification, RepositoryState } from '../store.ts';

/** Is somebody named with an `@` in an issue or in one of its comments? */
export function mentions(repo: RepositoryState, issue: Issue, login: string): boolean {
  const named = new RegExp(`(^|[^\\w@])@${login.replace(/[[\]]/g, '\\$&')}(?![\\w-])`, 'i');
  const texts = [issue.body ?? '', ...repo.commentsOf(issue.number).map(({ body }) => body)];
  return texts.some((text) => named.test(text));
}

/** Of people only: an installation has no issues of its own. */
function person(call: Call): string {
  const { login, type } = signedIn(call);
  if (type === 'Bot') throw new Refusal(403, 'Resource not accessible by integration');
  return login;
}

function visible(call: Call, login: string): RepositoryState[] {
  return [...call.store.repositories.values()].filter(
    ({ repository }) => !repository.private || repository.writers.includes(login),
  );
}

function ownIssues(call: Call): Reply {
  const login = person(call);
  const filter = call.query.get('filter') ?? 'assigned';
  const state = call.query.get('state') ?? 'open';
  const isOwn = (repo: RepositoryState, issue: Issue): boolean => {
    if (filter === 'mentioned') return mentions(repo, issue, login);
    if (filter === 'created') return issue.author === login;
    return filter === 'assigned' ? issue.assignees.includes(login) : true;
  };
  const found = visible(call, login).flatMap((repo) =>
    [...call.view(repo).issues.values()]
      .filter((issue) => (state === 'all' || issue.state === state) && isOwn(repo, issue))
      .map((issue) => ({ repo, issue })),
  );
  const field = call.query.get('sort') === 'updated' ? 'updatedAt' : 'createdAt';
  found.sort((a, b) => (a.issue[field] < b.issue[field] ? 1 : -1));
  return paged(call, found, ({ repo, issue }) => ({
    ...renderIssue(call, repo, issue, {
      single: false,
      comments: commentCounts(repo).get(issue.number) ?? 0,
    }),
    repository: renderRepository(call, repo, login),
  }));
}

function renderThread(call: Call, one: Notification) {
  const repo = call.store.repositoryById(one.repository);
  const issue = repo?.issues.get(one.number);
  if (!repo || !issue) throw notFound();
  const api = `${call.url}/repos/${repo.fullName}`;
  const thread = `${call.url}/notifications/threads/${one.id}`;
  return {
    id: String(one.id),
    repository: renderRepository(call, repo, one.login),
    subject: {
      title: issue.title,
      url: `${api}/${issue.pull ? 'pulls' : 'issues'}/${issue.number}`,
      latest_comment_url: `${api}/issues/${issue.number}`,
      type: issue.pull ? 'PullRequest' : 'Issue',
    },
    reason: one.reason,
    unread: one.unread,
    updated_at: one.updatedAt,
    last_read_at: one.lastReadAt,
    url: thread,
    subscription_url: `${thread}/subscription`,
  };
}

function notifications(call: Call): Reply {
  const login = person(call);
  const repo = call.params['repo'] === undefined ? null : repositoryOf(call);
  const all = call.query.get('all') === 'true';
  const found = [...call.store.notifications.values()].filter(
    (one) =>
      one.login === login &&
      (all || one.unread) &&
      (repo === null || one.repository === repo.repository.id),
  );
  found.sort((a, b) => b.updatedAt.localeCompare(a.updatedAt) || b.id - a.id);
  // "The number of results per page (max 50)".
  const perPage = Math.min(50, Number(call.query.get('per_page') ?? 50));
  const query = new URLSearchParams(call.query);
  query.set('per_page', String(perPage));
  const reply = paged({ ...call, query }, found, (one) => renderThread(call, one));
  return { ...reply, headers: { ...reply.headers, 'x-poll-interval': '60' } };
}

function threadOf(call: Call): Notification {
  const login = person(call);
  const found = call.store.notifications.get(numberParam(call, 'thread'));
  if (found?.login !== login) throw notFound();
  return found;
}

function thread(call: Call): Reply {
  return { status: 200, body: renderThread(call, threadOf(call)) };
}

/** "Reset Content": it has no body. */
function markRead(call: Call): Reply {
  const found = threadOf(call);
  const now = call.store.now();
  call.store.notifications.set(found.id, { ...found, unread: false, lastReadAt: now });
  return { status: 205 };
}

/** Routes of what is the viewer's own. */
export function ownRoutes(): Route[] {
  const one = '/notifications/threads/{thread}';
  const docs = 'activity/notifications';
  return [
    {
      method: 'GET',
      pattern: '/issues',
      docs: 'issues/issues#list-issues-assigned-to-the-authenticated-user',
      handle: ownIssues,
    },
    {
      method: 'GET',
      pattern: '/notifications',
      docs: `${docs}#list-notifications-for-the-authenticated-user`,
      handle: notifications,
    },
    {
      method: 'GET',
      pattern: '/repos/{owner}/{repo}/notifications',
      docs: `${docs}#list-repository-notifications-for-the-authenticated-user`,
      handle: notifications,
    },
    { method: 'GET', pattern: one, docs: `${docs}#get-a-thread`, handle: thread },
    { method: 'PATCH', pattern: one, docs: `${docs}#mark-a-thread-as-read`, handle: markRead },
  ];
}
