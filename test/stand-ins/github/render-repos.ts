/** Repositories, pull requests and git objects as the service's JSON. */

import type { ChangedFile, Issue, Pull } from './model.ts';
import {
  association,
  commentCounts,
  labelsOf,
  milestoneOf,
  nodeId,
  type RenderContext,
  renderAccount,
  renderLabel,
  type Schemas,
} from './render.ts';
import type { RepositoryState } from './store.ts';

/** The URL templates that every form of a repository carries. */
function repositoryUrls(ctx: RenderContext, repo: RepositoryState) {
  const url = `${ctx.url}/repos/${repo.fullName}`;
  return {
    url,
    html_url: `${ctx.url}/${repo.fullName}`,
    archive_url: `${url}/{archive_format}{/ref}`,
    assignees_url: `${url}/assignees{/user}`,
    blobs_url: `${url}/git/blobs{/sha}`,
    branches_url: `${url}/branches{/branch}`,
    collaborators_url: `${url}/collaborators{/collaborator}`,
    comments_url: `${url}/comments{/number}`,
    commits_url: `${url}/commits{/sha}`,
    compare_url: `${url}/compare/{base}...{head}`,
    contents_url: `${url}/contents/{+path}`,
    contributors_url: `${url}/contributors`,
    deployments_url: `${url}/deployments`,
    downloads_url: `${url}/downloads`,
    events_url: `${url}/events`,
    forks_url: `${url}/forks`,
    git_commits_url: `${url}/git/commits{/sha}`,
    git_refs_url: `${url}/git/refs{/sha}`,
    git_tags_url: `${url}/git/tags{/sha}`,
    git_url: `git://${new URL(ctx.url).host}/${repo.fullName}.git`,
    issue_comment_url: `${url}/issues/comments{/number}`,
    issue_events_url: `${url}/issues/events{/number}`,
    issues_url: `${url}/issues{/number}`,
    keys_url: `${url}/keys{/key_id}`,
    labels_url: `${url}/labels{/name}`,
    languages_url: `${url}/languages`,
    merges_url: `${url}/merges`,
    milestones_url: `${url}/milestones{/number}`,
    notifications_url: `${url}/notifications{?since,all,participating}`,
    pulls_url: `${url}/pulls{/number}`,
    releases_url: `${url}/releases{/id}`,
    ssh_url: `git@${new URL(ctx.url).hostname}:${repo.fullName}.git`,
    stargazers_url: `${url}/stargazers`,
    statuses_url: `${url}/statuses/{sha}`,
    subscribers_url: `${url}/subscribers`,
    subscription_url: `${url}/subscription`,
    tags_url: `${url}/tags`,
    teams_url: `${url}/teams`,
    trees_url: `${url}/git/trees{/sha}`,
    clone_url: `${ctx.url}/${repo.fullName}.git`,
    mirror_url: null,
    hooks_url: `${url}/hooks`,
    svn_url: `${ctx.url}/${repo.fullName}`,
  };
}

/** A repository as lists show it. @param viewer login whose permissions are shown, or null */
export function renderRepository(
  ctx: RenderContext,
  repo: RepositoryState,
  viewer: string | null,
): Schemas['repository'] {
  const { repository } = repo;
  const open = [...repo.issues.values()].filter((issue) => issue.state === 'open').length;
  const push = viewer !== null && repository.writers.includes(viewer);
  return {
    id: repository.id,
    node_id: nodeId('R', repository.id),
    name: repository.name,
    full_name: repo.fullName,
    private: repository.private,
    owner: renderAccount(ctx, repository.owner),
    description: repository.description,
    fork: false,
    ...repositoryUrls(ctx, repo),
    created_at: repository.createdAt,
    updated_at: repository.updatedAt,
    pushed_at: repository.pushedAt,
    homepage: null,
    size: 412,
    stargazers_count: 0,
    watchers_count: 0,
    language: repository.language,
    has_issues: true,
    has_projects: true,
    has_downloads: true,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    forks_count: 0,
    archived: false,
    disabled: false,
    open_issues_count: open,
    license: null,
    allow_forking: true,
    is_template: false,
    web_commit_signoff_required: false,
    topics: repository.topics,
    visibility: repository.private ? 'private' : 'public',
    forks: 0,
    open_issues: open,
    watchers: 0,
    default_branch: repository.defaultBranch,
    permissions: { admin: push, maintain: push, push, triage: push, pull: true },
  };
}

/** One repository, in full. */
export function renderFullRepository(
  ctx: RenderContext,
  repo: RepositoryState,
  viewer: string | null,
): Schemas['full-repository'] {
  const { repository } = repo;
  const { permissions, temp_clone_token, ...plain } = renderRepository(ctx, repo, viewer);
  const owner = ctx.store.account(repository.owner);
  return {
    ...plain,
    has_discussions: false,
    pushed_at: repository.pushedAt,
    created_at: repository.createdAt,
    updated_at: repository.updatedAt,
    ...(permissions ? { permissions } : {}),
    ...(temp_clone_token === undefined ? {} : { temp_clone_token }),
    network_count: 0,
    subscribers_count: repository.writers.length,
    ...(owner?.type === 'Organization'
      ? { organization: renderAccount(ctx, repository.owner) }
      : {}),
  };
}

/** Added and deleted lines of a unified diff without file headers. */
function patchCounts(patch: string): { additions: number; deletions: number } {
  const lines = patch.split('\n');
  return {
    additions: lines.filter((line) => line.startsWith('+')).length,
    deletions: lines.filter((line) => line.startsWith('-')).length,
  };
}

/** A file of a pull request (https://docs.github.com/rest/pulls/pulls#list-pull-requests-files). */
export function renderChangedFile(
  ctx: RenderContext,
  repo: RepositoryState,
  pull: Pull,
  file: ChangedFile,
): Schemas['diff-entry'] {
  const { additions, deletions } = patchCounts(file.patch);
  const html = `${ctx.url}/${repo.fullName}`;
  const entry = repo.main.tree().entries.find((candidate) => candidate.path === file.path);
  return {
    sha: entry?.sha ?? pull.headSha,
    filename: file.path,
    status: file.status,
    additions,
    deletions,
    changes: additions + deletions,
    blob_url: `${html}/blob/${pull.headSha}/${encodeURIComponent(file.path)}`,
    raw_url: `${html}/raw/${pull.headSha}/${encodeURIComponent(file.path)}`,
    contents_url: `${ctx.url}/repos/${repo.fullName}/contents/${encodeURI(file.path)}?ref=${pull.headSha}`,
    patch: file.patch,
  };
}

/** The whole pull request as one unified diff, for the `diff` media type. */
export function renderDiff(pull: Pull): string {
  return pull.files
    .map((file) => {
      const from = file.status === 'added' ? '/dev/null' : `a/${file.path}`;
      const to = file.status === 'removed' ? '/dev/null' : `b/${file.path}`;
      const head = `diff --git a/${file.path} b/${file.path}\n--- ${from}\n+++ ${to}\n`;
      return `${head}${file.patch}\n`;
    })
    .join('');
}

function pullEnds(ctx: RenderContext, repo: RepositoryState, pull: Pull) {
  const rendered = renderRepository(ctx, repo, null);
  const { permissions: _hidden, ...plain } = rendered;
  const user = renderAccount(ctx, repo.repository.owner);
  const side = (ref: string, sha: string) => ({
    label: `${repo.repository.owner}:${ref}`,
    ref,
    sha,
    user,
    repo: plain,
  });
  return { head: side(pull.headRef, pull.headSha), base: side(pull.baseRef, pull.baseSha) };
}

function pullUrls(ctx: RenderContext, repo: RepositoryState, issue: Issue, pull: Pull) {
  const api = `${ctx.url}/repos/${repo.fullName}`;
  const url = `${api}/pulls/${issue.number}`;
  const html = `${ctx.url}/${repo.fullName}/pull/${issue.number}`;
  const urls = {
    url,
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: `${api}/issues/${issue.number}`,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${api}/pulls/comments{/number}`,
    comments_url: `${api}/issues/${issue.number}/comments`,
    statuses_url: `${api}/statuses/${pull.headSha}`,
  };
  const links = {
    self: { href: urls.url },
    html: { href: urls.html_url },
    issue: { href: urls.issue_url },
    comments: { href: urls.comments_url },
    review_comments: { href: urls.review_comments_url },
    review_comment: { href: urls.review_comment_url },
    commits: { href: urls.commits_url },
    statuses: { href: urls.statuses_url },
  };
  return { urls, links };
}

/** A pull request as lists show it. */
export function renderPullSimple(
  ctx: RenderContext,
  repo: RepositoryState,
  issue: Issue,
  pull: Pull,
): Schemas['pull-request-simple'] {
  const assignees = issue.assignees.map((login) => renderAccount(ctx, login));
  const { urls, links } = pullUrls(ctx, repo, issue, pull);
  return {
    ...urls,
    id: pull.id,
    node_id: nodeId('PR', issue.id),
    number: issue.number,
    state: issue.state,
    locked: issue.locked,
    title: issue.title,
    user: renderAccount(ctx, issue.author),
    body: issue.body,
    labels: labelsOf(repo, issue).map((label) => ({
      ...renderLabel(ctx, repo, label),
      description: label.description ?? '',
    })),
    milestone: milestoneOf(ctx, repo, issue),
    active_lock_reason: null,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeCommitSha,
    assignee: assignees[0] ?? null,
    assignees,
    requested_reviewers: [],
    requested_teams: [],
    ...pullEnds(ctx, repo, pull),
    _links: links,
    author_association: association(repo, issue.author),
    auto_merge: null,
    draft: pull.draft,
  };
}

/** One pull request, with the sums over its files that lists do not carry. */
export function renderPull(
  ctx: RenderContext,
  repo: RepositoryState,
  issue: Issue,
  pull: Pull,
): Schemas['pull-request'] {
  const simple = renderPullSimple(ctx, repo, issue, pull);
  const { requested_teams: _teams, ...rest } = simple;
  const counts = pull.files.map((file) => patchCounts(file.patch));
  const merged = pull.mergedAt !== null;
  return {
    ...rest,
    state: issue.state,
    user: renderAccount(ctx, issue.author),
    head: { ...simple.head, user: renderAccount(ctx, repo.repository.owner) },
    base: { ...simple.base, user: renderAccount(ctx, repo.repository.owner) },
    requested_teams: [],
    merged,
    mergeable: merged || issue.state === 'closed' ? null : true,
    rebaseable: merged || issue.state === 'closed' ? null : true,
    mergeable_state: pull.draft ? 'draft' : merged ? 'unknown' : 'clean',
    merged_by: pull.mergedBy === null ? null : renderAccount(ctx, pull.mergedBy),
    comments: commentCounts(repo).get(issue.number) ?? 0,
    review_comments: 0,
    maintainer_can_modify: false,
    commits: 1,
    additions: counts.reduce((sum, count) => sum + count.additions, 0),
    deletions: counts.reduce((sum, count) => sum + count.deletions, 0),
    changed_files: pull.files.length,
  };
}

/** A commit. Every commit the stand-in knows is made up from the record that names it. */
export function renderCommit(
  ctx: RenderContext,
  repo: RepositoryState,
  commit: { sha: string; message: string; author: string; date: string; parents: string[] },
): Schemas['commit'] {
  const api = `${ctx.url}/repos/${repo.fullName}`;
  const html = `${ctx.url}/${repo.fullName}/commit`;
  const person = {
    name: ctx.store.account(commit.author)?.name ?? commit.author,
    email: `${commit.author}@users.noreply.example`,
    date: commit.date,
  };
  const tree = repo.main.tree().sha;
  return {
    url: `${api}/commits/${commit.sha}`,
    sha: commit.sha,
    node_id: nodeId('C', commit.sha),
    html_url: `${html}/${commit.sha}`,
    comments_url: `${api}/commits/${commit.sha}/comments`,
    commit: {
      url: `${api}/git/commits/${commit.sha}`,
      author: person,
      committer: person,
      message: commit.message,
      comment_count: 0,
      tree: { sha: tree, url: `${api}/git/trees/${tree}` },
    },
    author: renderAccount(ctx, commit.author),
    committer: renderAccount(ctx, commit.author),
    parents: commit.parents.map((sha) => ({
      sha,
      url: `${api}/commits/${sha}`,
      html_url: `${html}/${sha}`,
    })),
  };
}
