/**
 * The service's JSON. The types come from GitHub's OpenAPI description, so that the compiler checks
 * every field here against the service's own account of itself.
 */
import { createHash } from 'node:crypto';
import type { components } from '@octokit/openapi-types';
import type { Account, Comment, Issue, Label, Milestone } from './model.ts';
import type { Listable, RepositoryState, Store } from './store.ts';

export type Schemas = components['schemas'];

/** What every renderer needs to make absolute URLs and look up accounts. */
export interface RenderContext {
  url: string;
  store: Store;
}

/** An opaque global id; clients must not read anything into it. */
export function nodeId(kind: string, id: number | string): string {
  return `${kind}_kwDO${createHash('sha1').update(`${kind}${id}`).digest('base64url').slice(0, 14)}`;
}

/** A `simple-user`. Of an unknown login the service's `ghost` is left. */
export function renderAccount(ctx: RenderContext, login: string): Schemas['simple-user'] {
  const account: Account = ctx.store.account(login) ?? {
    id: 10137,
    login: 'ghost',
    type: 'User',
    name: null,
    bio: null,
    createdAt: '2012-07-01T00:00:00Z',
  };
  // A bot is called `helper[bot]`.
  const base = `${ctx.url}/users/${encodeURIComponent(account.login)}`;
  return {
    login: account.login,
    id: account.id,
    node_id: nodeId('U', account.id),
    avatar_url: `${ctx.url}/avatars/u/${account.id}?v=4`,
    gravatar_id: '',
    url: base,
    html_url: `${ctx.url}/${encodeURIComponent(account.login)}`,
    followers_url: `${base}/followers`,
    following_url: `${base}/following{/other_user}`,
    gists_url: `${base}/gists{/gist_id}`,
    starred_url: `${base}/starred{/owner}{/repo}`,
    subscriptions_url: `${base}/subscriptions`,
    organizations_url: `${base}/orgs`,
    repos_url: `${base}/repos`,
    events_url: `${base}/events{/privacy}`,
    received_events_url: `${base}/received_events`,
    type: account.type,
    user_view_type: 'public',
    site_admin: false,
  };
}

const repoUrl = (ctx: RenderContext, repo: RepositoryState): string =>
  `${ctx.url}/repos/${repo.fullName}`;
const htmlUrl = (ctx: RenderContext, repo: RepositoryState): string =>
  `${ctx.url}/${repo.fullName}`;

export function renderLabel(
  ctx: RenderContext,
  repo: RepositoryState,
  label: Label,
): Schemas['label'] {
  return {
    id: label.id,
    node_id: nodeId('LA', label.id),
    url: `${repoUrl(ctx, repo)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    color: label.color,
    default: label.name === 'bug' || label.name === 'enhancement',
    description: label.description,
  };
}

function milestoneCounts(repo: RepositoryState): Map<number, { open: number; closed: number }> {
  return repo.memo('milestones', () => {
    const counts = new Map<number, { open: number; closed: number }>();
    for (const { milestone, state } of repo.issues.values()) {
      if (milestone === null) continue;
      const count = counts.get(milestone) ?? { open: 0, closed: 0 };
      count[state] += 1;
      counts.set(milestone, count);
    }
    return counts;
  });
}

export function renderMilestone(
  ctx: RenderContext,
  repo: RepositoryState,
  milestone: Milestone,
): Schemas['milestone'] {
  const { open, closed } = milestoneCounts(repo).get(milestone.number) ?? { open: 0, closed: 0 };
  const url = `${repoUrl(ctx, repo)}/milestones/${milestone.number}`;
  return {
    url,
    html_url: `${htmlUrl(ctx, repo)}/milestone/${milestone.number}`,
    labels_url: `${url}/labels`,
    id: milestone.id,
    node_id: nodeId('MI', milestone.id),
    number: milestone.number,
    title: milestone.title,
    description: milestone.description,
    creator: renderAccount(ctx, milestone.creator),
    open_issues: open,
    closed_issues: closed,
    state: milestone.state,
    created_at: milestone.createdAt,
    updated_at: milestone.updatedAt,
    due_on: milestone.dueOn,
    closed_at: milestone.closedAt,
  };
}

/** The labels of an issue, in the order it has them; a deleted label is gone from it. */
export function labelsOf(repo: RepositoryState, issue: Issue): Label[] {
  return issue.labels.flatMap((name) => repo.labels.find((label) => label.name === name) ?? []);
}

/** The milestone of an issue, or null. */
export function milestoneOf(ctx: RenderContext, repo: RepositoryState, issue: Issue) {
  const milestone = repo.milestones.find((candidate) => candidate.number === issue.milestone);
  return milestone ? renderMilestone(ctx, repo, milestone) : null;
}

/** How the author stands to the repository. */
export function association(repo: RepositoryState, login: string): Schemas['author-association'] {
  if (repo.repository.writers.includes(login)) return 'MEMBER';
  const contributors = repo.memo('contributors', () => {
    const merged = [...repo.issues.values()].filter((issue) => issue.pull?.mergedAt);
    return new Set(merged.map((issue) => issue.author));
  });
  return contributors.has(login) ? 'CONTRIBUTOR' : 'NONE';
}

function reactions(url: string): Schemas['reaction-rollup'] {
  const none = { '+1': 0, '-1': 0, laugh: 0, hooray: 0, confused: 0, heart: 0, rocket: 0, eyes: 0 };
  return { url: `${url}/reactions`, total_count: 0, ...none };
}

function pullLinks(ctx: RenderContext, repo: RepositoryState, issue: Issue) {
  if (!issue.pull) return {};
  const html = `${htmlUrl(ctx, repo)}/pull/${issue.number}`;
  return {
    draft: issue.pull.draft,
    pull_request: {
      url: `${repoUrl(ctx, repo)}/pulls/${issue.number}`,
      html_url: html,
      diff_url: `${html}.diff`,
      patch_url: `${html}.patch`,
      merged_at: issue.pull.mergedAt,
    },
  };
}

/**
 * An issue, or a pull request as the issue endpoints show it: "GitHub's REST API considers every
 * pull request an issue, but not every issue is a pull request … identify pull requests by the
 * `pull_request` key" (https://docs.github.com/rest/issues/issues#list-repository-issues).
 * @param single true for the reply about one issue, which alone carries `closed_by`
 */
export function renderIssue(
  ctx: RenderContext,
  repo: RepositoryState,
  issue: Issue,
  options: { single: boolean; comments: number },
): Schemas['issue'] {
  const url = `${repoUrl(ctx, repo)}/issues/${issue.number}`;
  const assignees = issue.assignees.map((login) => renderAccount(ctx, login));
  return {
    url,
    repository_url: repoUrl(ctx, repo),
    labels_url: `${url}/labels{/name}`,
    comments_url: `${url}/comments`,
    events_url: `${url}/events`,
    html_url: `${htmlUrl(ctx, repo)}/${issue.pull ? 'pull' : 'issues'}/${issue.number}`,
    id: issue.id,
    node_id: nodeId(issue.pull ? 'PR' : 'I', issue.id),
    number: issue.number,
    title: issue.title,
    user: renderAccount(ctx, issue.author),
    labels: labelsOf(repo, issue).map((label) => renderLabel(ctx, repo, label)),
    state: issue.state,
    locked: issue.locked,
    assignee: assignees[0] ?? null,
    assignees,
    milestone: milestoneOf(ctx, repo, issue),
    comments: options.comments,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    closed_at: issue.closedAt,
    author_association: association(repo, issue.author),
    active_lock_reason: null,
    ...pullLinks(ctx, repo, issue),
    body: issue.body,
    ...(options.single
      ? { closed_by: issue.closedBy === null ? null : renderAccount(ctx, issue.closedBy) }
      : {}),
    reactions: reactions(url),
    timeline_url: `${url}/timeline`,
    performed_via_github_app: null,
    state_reason: issue.stateReason,
  };
}

/** Counts the comments of every issue in one pass. */
export function commentCounts(view: Listable): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { issue } of view.comments.values()) counts.set(issue, (counts.get(issue) ?? 0) + 1);
  return counts;
}

export function renderComment(
  ctx: RenderContext,
  repo: RepositoryState,
  comment: Comment,
): Schemas['issue-comment'] {
  const url = `${repoUrl(ctx, repo)}/issues/comments/${comment.id}`;
  const kind = repo.issues.get(comment.issue)?.pull ? 'pull' : 'issues';
  return {
    url,
    html_url: `${htmlUrl(ctx, repo)}/${kind}/${comment.issue}#issuecomment-${comment.id}`,
    issue_url: `${repoUrl(ctx, repo)}/issues/${comment.issue}`,
    id: comment.id,
    node_id: nodeId('IC', comment.id),
    user: renderAccount(ctx, comment.author),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    body: comment.body,
    author_association: association(repo, comment.author),
    reactions: reactions(url),
    performed_via_github_app: null,
  };
}
