/** Issues. https://docs.github.com/rest/issues/issues */
import {
  type Call,
  canPush,
  gone,
  invalid,
  Moved,
  notFound,
  numberParam,
  paged,
  Refusal,
  type Reply,
  type Route,
  repositoryOf,
  requirePush,
  signedIn,
  sinceOf,
  sorted,
} from '../http.ts';
import type { Issue } from '../model.ts';
import { pagedByCursor } from '../paging.ts';
import { commentCounts, labelsOf, renderAccount, renderIssue, renderLabel } from '../render.ts';
import type { Listable, RepositoryState } from '../store.ts';
import { issueFields, resolveLabels } from './fields.ts';

/**
 * The issue a path names.
 * @throws Refusal 410 for a deleted one the viewer could read, else 404
 *   (https://docs.github.com/rest/issues/issues#get-an-issue)
 */
export function issueOf(call: Call, repo: RepositoryState, view: Listable = repo): Issue {
  const number = numberParam(call, 'issue_number');
  const issue = view.issues.get(number);
  if (issue) return issue;
  throw repo.deleted.has(number) ? gone() : notFound();
}

/**
 * The issue that the whole path names, not what belongs to it.
 * @throws Moved for one that was transferred, where it can be seen: its comments, labels and events
 *   are 404 then (https://github.com/Systemorph/MeshWeaver/issues/4629 has both)
 */
function issueItself(call: Call, repo: RepositoryState): Issue {
  const moved = repo.transferred.get(numberParam(call, 'issue_number'));
  const now = moved === undefined ? undefined : call.store.repositoryById(moved.repository);
  if (moved && now && (!now.repository.private || canPush(call, now))) {
    throw new Moved(call, `/repositories/${moved.repository}/issues/${moved.number}`);
  }
  return issueOf(call, repo);
}

function reply(call: Call, repo: RepositoryState, issue: Issue, status = 200): Reply {
  const comments = commentCounts(repo).get(issue.number) ?? 0;
  return {
    status,
    body: renderIssue(call, repo, issue, { single: true, comments }),
    lastModified: issue.updatedAt,
    ...(status === 201
      ? { headers: { location: `${call.url}/repos/${repo.fullName}/issues/${issue.number}` } }
      : {}),
  };
}

type Test = (issue: Issue) => boolean;

/** `milestone` and `assignee` take a value, `none`, or `*` for any. */
function oneOf(wanted: string | null, valuesOf: (issue: Issue) => string[]): Test[] {
  if (wanted === null || wanted === '') return [];
  if (wanted === '*') return [(issue) => valuesOf(issue).length > 0];
  if (wanted === 'none') return [(issue) => valuesOf(issue).length === 0];
  return [(issue) => valuesOf(issue).some((v) => v.toLowerCase() === wanted.toLowerCase())];
}

/** @throws Refusal 422 for a state, sort or direction that is not in the documentation */
function choice<Value extends string>(call: Call, name: string, values: readonly Value[]): Value {
  const text = call.query.get(name);
  const [fallback] = values;
  if (text === null || text === '') return fallback as Value;
  const value = values.find((candidate) => candidate === text);
  if (value === undefined) {
    throw invalid([{ resource: 'Issue', field: name, code: 'invalid', value: text }]);
  }
  return value;
}

function filters(call: Call): Test[] {
  const state = choice(call, 'state', ['open', 'closed', 'all']);
  const since = sinceOf(call);
  const creator = call.query.get('creator');
  const labels = (call.query.get('labels') ?? '').split(',').filter((name) => name !== '');
  const mentioned = call.query.get('mentioned');
  return [
    ...(state === 'all' ? [] : [(issue: Issue) => issue.state === state]),
    // An issue must carry all of them; names are compared without case.
    ...labels.map(
      (name) => (issue: Issue) =>
        issue.labels.some((label) => label.toLowerCase() === name.toLowerCase()),
    ),
    ...oneOf(call.query.get('milestone'), (i) => (i.milestone === null ? [] : [`${i.milestone}`])),
    ...oneOf(call.query.get('assignee'), (issue) => issue.assignees),
    ...(creator ? oneOf(creator, (issue) => [issue.author]) : []),
    ...(mentioned ? [(issue: Issue) => (issue.body ?? '').includes(`@${mentioned}`)] : []),
    // "updated at or after this time": the bound itself is included.
    ...(since === null ? [] : [(issue: Issue) => issue.updatedAt >= since]),
  ];
}

function list(call: Call): Reply {
  const repo = repositoryOf(call);
  const view = call.view(repo);
  const tests = filters(call);
  const sort = choice(call, 'sort', ['created', 'updated', 'comments']);
  const direction = choice(call, 'direction', ['desc', 'asc']);
  const counts = commentCounts(view);
  const keys = {
    created: (issue: Issue) => issue.createdAt,
    updated: (issue: Issue) => issue.updatedAt,
    comments: (issue: Issue) => counts.get(issue.number) ?? 0,
  };
  const found = [...view.issues.values()].filter((issue) => tests.every((test) => test(issue)));
  const order = { key: keys[sort], tie: (issue: Issue) => issue.number, direction };
  const items = sorted(found, order.key, order.tie, direction);
  const render = (issue: Issue) =>
    renderIssue(call, repo, issue, { single: false, comments: counts.get(issue.number) ?? 0 });
  return pagedByCursor(call, items, render, repo, order);
}

function create(call: Call): Reply {
  const repo = repositoryOf(call);
  const author = signedIn(call).login;
  const fields = issueFields(call, repo, null);
  const issue = call.store.createIssue(repo, {
    title: fields.title ?? '',
    body: fields.body ?? null,
    assignees: fields.assignees ?? [],
    labels: fields.labels ?? [],
    milestone: fields.milestone ?? null,
    author,
  });
  return reply(call, repo, issue, 201);
}

/** "Issue owners and users with push access or Triage role can edit an issue." */
function update(call: Call): Reply {
  const repo = repositoryOf(call);
  const actor = signedIn(call).login;
  const issue = issueItself(call, repo);
  if (!canPush(call, repo) && issue.author !== actor) {
    throw new Refusal(403, 'Must have admin rights to Repository.');
  }
  const edit = issueFields(call, repo, issue);
  if (issue.pull?.mergedAt && edit.state === 'open') {
    throw invalid([{ resource: 'Issue', field: 'state', code: 'invalid', value: 'open' }]);
  }
  return reply(call, repo, call.store.editIssue(repo, issue, edit, actor));
}

/** Labels of one issue (https://docs.github.com/rest/issues/labels). */
function setLabels(call: Call, next: (old: string[], named: string[]) => string[]): Reply {
  const repo = repositoryOf(call);
  const actor = requirePush(call, repo).login;
  const issue = issueOf(call, repo);
  const named = resolveLabels(call, repo, call.body['labels'] ?? []);
  const labels = [...new Set(next(issue.labels, named))];
  const edited = call.store.editIssue(repo, issue, { labels }, actor);
  return {
    status: 200,
    body: labelsOf(repo, edited).map((label) => renderLabel(call, repo, label)),
  };
}

function removeLabel(call: Call): Reply {
  const name = (call.params['name'] ?? '').toLowerCase();
  const issue = issueOf(call, repositoryOf(call));
  if (!issue.labels.some((label) => label.toLowerCase() === name)) {
    throw new Refusal(404, 'Label does not exist');
  }
  return setLabels(call, (old) => old.filter((label) => label.toLowerCase() !== name));
}

/** Adds or removes assignees (https://docs.github.com/rest/issues/assignees). */
function setAssignees(call: Call, next: (old: string[], named: string[]) => string[]): Reply {
  const repo = repositoryOf(call);
  const actor = requirePush(call, repo).login;
  const issue = issueOf(call, repo);
  const raw = call.body['assignees'];
  const named = Array.isArray(raw) ? raw.filter((name) => typeof name === 'string') : [];
  const assignees = next(issue.assignees, named).filter((n) => repo.repository.writers.includes(n));
  return reply(call, repo, call.store.editIssue(repo, issue, { assignees }, actor), 201);
}

function listLabels(call: Call): Reply {
  const repo = repositoryOf(call);
  const labels = labelsOf(repo, issueOf(call, repo));
  return paged(call, labels, (label) => renderLabel(call, repo, label), repo);
}

function listAssignees(call: Call): Reply {
  const repo = repositoryOf(call);
  return paged(call, repo.repository.writers, (login) => renderAccount(call, login), repo);
}

const base = '/repos/{owner}/{repo}';
const one = `${base}/issues/{issue_number}`;

/** Routes for issues, their labels and their assignees. */
export function issueRoutes(): Route[] {
  const docs = 'issues/issues';
  const all = `${base}/issues`;
  const get = (call: Call): Reply => {
    const repo = repositoryOf(call);
    return reply(call, repo, issueItself(call, repo));
  };
  return [
    { method: 'GET', pattern: all, docs: `${docs}#list-repository-issues`, handle: list },
    { method: 'POST', pattern: all, docs: `${docs}#create-an-issue`, handle: create },
    { method: 'GET', pattern: one, docs: `${docs}#get-an-issue`, handle: get },
    { method: 'PATCH', pattern: one, docs: `${docs}#update-an-issue`, handle: update },
    ...labelRoutesOfIssue(),
    ...assigneeRoutes(),
  ];
}

const union = (old: string[], named: string[]) => [...new Set([...old, ...named])];
const minus = (old: string[], named: string[]) => old.filter((name) => !named.includes(name));
const replace = (_old: string[], named: string[]) => named;

function labelRoutesOfIssue(): Route[] {
  const docs = 'issues/labels';
  const all = `${one}/labels`;
  const add = (call: Call) => setLabels(call, union);
  const set = (call: Call) => setLabels(call, replace);
  const single = `${all}/{name}`;
  const removal = `${docs}#remove-a-label-from-an-issue`;
  return [
    { method: 'GET', pattern: all, docs: `${docs}#list-labels-for-an-issue`, handle: listLabels },
    { method: 'POST', pattern: all, docs: `${docs}#add-labels-to-an-issue`, handle: add },
    { method: 'PUT', pattern: all, docs: `${docs}#set-labels-for-an-issue`, handle: set },
    { method: 'DELETE', pattern: single, docs: removal, handle: removeLabel },
  ];
}

function assigneeRoutes(): Route[] {
  const docs = 'issues/assignees';
  const all = `${base}/assignees`;
  const mine = `${one}/assignees`;
  const add = (call: Call) => setAssignees(call, union);
  const remove = (call: Call) => setAssignees(call, minus);
  const removal = `${docs}#remove-assignees-from-an-issue`;
  return [
    { method: 'GET', pattern: all, docs: `${docs}#list-assignees`, handle: listAssignees },
    { method: 'POST', pattern: mine, docs: `${docs}#add-assignees-to-an-issue`, handle: add },
    { method: 'DELETE', pattern: mine, docs: removal, handle: remove },
  ];
}
