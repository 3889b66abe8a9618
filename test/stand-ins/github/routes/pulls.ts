/** Pull requests. https://docs.github.com/rest/pulls/pulls */
import {
  type Call,
  gone,
  invalid,
  notFound,
  numberParam,
  paged,
  type Reply,
  type Route,
  repositoryOf,
  requirePush,
  sorted,
} from '../http.ts';
import type { Issue, Pull } from '../model.ts';
import { commentCounts } from '../render.ts';
import {
  renderChangedFile,
  renderCommit,
  renderDiff,
  renderPull,
  renderPullSimple,
} from '../render-repos.ts';
import type { RepositoryState } from '../store.ts';
import { issueFields } from './fields.ts';

export interface Found {
  repo: RepositoryState;
  issue: Issue;
  pull: Pull;
}

/** @throws Refusal 404 for a number that is an issue: an issue is not a pull request */
export function pullOf(call: Call): Found {
  const repo = repositoryOf(call);
  const number = numberParam(call, 'pull_number');
  const issue = repo.issues.get(number);
  if (repo.deleted.has(number)) throw gone();
  if (!issue?.pull) throw notFound();
  return { repo, issue, pull: issue.pull };
}

/** `state`, `head` (owner:branch), `base`, `sort`; there is no `since` here. */
function list(call: Call): Reply {
  const repo = repositoryOf(call);
  const view = call.view(repo);
  const state = call.query.get('state') ?? 'open';
  const head = call.query.get('head');
  const base = call.query.get('base');
  const found = [...view.issues.values()].flatMap((issue) => {
    const { pull } = issue;
    if (!pull || (state !== 'all' && issue.state !== state)) return [];
    if (head && `${repo.repository.owner}:${pull.headRef}` !== head) return [];
    return base && pull.baseRef !== base ? [] : [{ issue, pull }];
  });
  const sort = call.query.get('sort') ?? 'created';
  const counts = commentCounts(view);
  const key = ({ issue }: { issue: Issue }): string | number => {
    if (sort === 'popularity') return counts.get(issue.number) ?? 0;
    return sort === 'updated' ? issue.updatedAt : issue.createdAt;
  };
  // "Default: desc when sort is created or sort is not specified, otherwise asc."
  const fallback = sort === 'created' ? 'desc' : 'asc';
  const direction = (call.query.get('direction') ?? fallback) === 'asc' ? 'asc' : 'desc';
  const items = sorted(found, key, ({ issue }) => issue.number, direction);
  return paged(call, items, (item) => renderPullSimple(call, repo, item.issue, item.pull), repo);
}

/** JSON, or the diff with the media type `application/vnd.github.diff`. */
function get(call: Call): Reply {
  const { repo, issue, pull } = pullOf(call);
  if (/application\/vnd\.github\.(v3\.)?(diff|patch)/.test(call.accept)) {
    const contentType = 'application/vnd.github.v3.diff; charset=utf-8';
    return { status: 200, bytes: { data: Buffer.from(renderDiff(pull)), contentType } };
  }
  return {
    status: 200,
    body: renderPull(call, repo, issue, pull),
    lastModified: issue.updatedAt,
  };
}

/** `title`, `head` (a branch of this repository) and `base`; one open pull request a pair of branches. */
function create(call: Call): Reply {
  const repo = repositoryOf(call);
  const author = requirePush(call, repo).login;
  const [title, head, base] = ['title', 'head', 'base'].map((name) =>
    String(call.body[name] ?? ''),
  );
  const wrong = (field: string, message?: string) =>
    invalid([
      {
        resource: 'PullRequest',
        field,
        code: message ? 'custom' : 'invalid',
        ...(message ? { message } : {}),
      },
    ]);
  const [from, onto] = [repo.branches.get(head ?? ''), repo.branches.get(base ?? '')];
  if (!title) throw wrong('title');
  if (!head || !from) throw wrong('head');
  if (!base || !onto) throw wrong('base');
  const pair = `${repo.repository.owner}:${head}`;
  if (from.headSha() === onto.headSha()) {
    throw wrong('head', `No commits between ${base} and ${head}`);
  }
  for (const { state, pull } of repo.issues.values()) {
    if (state === 'open' && pull?.headRef === head && pull.baseRef === base) {
      throw wrong('head', `A pull request already exists for ${pair}.`);
    }
  }
  const body = typeof call.body['body'] === 'string' ? call.body['body'] : null;
  const pull: Pull = {
    id: call.store.newId(),
    draft: false,
    mergedAt: null,
    mergedBy: null,
    mergeCommitSha: null,
    headRef: head,
    headSha: from.headSha(),
    baseRef: base,
    baseSha: onto.headSha(),
    files: [],
  };
  const made = { title, body, author, assignees: [], labels: [], milestone: null };
  const issue = call.store.createIssue(repo, made, pull);
  return { status: 201, body: renderPull(call, repo, issue, pull) };
}

function update(call: Call): Reply {
  const { repo, issue } = pullOf(call);
  const actor = requirePush(call, repo).login;
  const edited = call.store.editIssue(repo, issue, issueFields(call, repo, issue), actor);
  if (!edited.pull) throw notFound();
  return { status: 200, body: renderPull(call, repo, edited, edited.pull) };
}

function files(call: Call): Reply {
  const { repo, pull } = pullOf(call);
  return paged(call, pull.files, (file) => renderChangedFile(call, repo, pull, file), repo);
}

function commits(call: Call): Reply {
  const { repo, issue, pull } = pullOf(call);
  const commit = {
    sha: pull.headSha,
    message: issue.title,
    author: issue.author,
    date: issue.createdAt,
    parents: [pull.baseSha],
  };
  return paged(call, [commit], (row) => renderCommit(call, repo, row), repo);
}

const base = '/repos/{owner}/{repo}/pulls';
const one = `${base}/{pull_number}`;
const docs = 'pulls/pulls';

/** Routes for pull requests. */
export function pullRoutes(): Route[] {
  return [
    { method: 'GET', pattern: base, docs: `${docs}#list-pull-requests`, handle: list },
    { method: 'POST', pattern: base, docs: `${docs}#create-a-pull-request`, handle: create },
    { method: 'GET', pattern: one, docs: `${docs}#get-a-pull-request`, handle: get },
    { method: 'PATCH', pattern: one, docs: `${docs}#update-a-pull-request`, handle: update },
    {
      method: 'GET',
      pattern: `${one}/files`,
      docs: `${docs}#list-pull-requests-files`,
      handle: files,
    },
    {
      method: 'GET',
      pattern: `${one}/commits`,
      docs: `${docs}#list-commits-on-a-pull-request`,
      handle: commits,
    },
  ];
}
