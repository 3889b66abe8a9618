/** Reviews and their comments on lines as the service's JSON. */
import type { LineComment, Review } from './model.ts';
import { association, nodeId, type RenderContext, renderAccount, type Schemas } from './render.ts';
import type { RepositoryState } from './store.ts';

export function renderReview(
  ctx: RenderContext,
  repo: RepositoryState,
  review: Review,
): Schemas['pull-request-review'] {
  const html = `${ctx.url}/${repo.fullName}/pull/${review.pull}#pullrequestreview-${review.id}`;
  const pull = `${ctx.url}/repos/${repo.fullName}/pulls/${review.pull}`;
  return {
    id: review.id,
    node_id: nodeId('PRR', review.id),
    user: renderAccount(ctx, review.author),
    body: review.body,
    state: review.state,
    html_url: html,
    pull_request_url: pull,
    author_association: association(repo, review.author),
    _links: { html: { href: html }, pull_request: { href: pull } },
    submitted_at: review.submittedAt,
    commit_id: review.commit,
  };
}

export function renderLineComment(
  ctx: RenderContext,
  repo: RepositoryState,
  review: Review,
  line: LineComment,
): Schemas['pull-request-review-comment'] {
  const api = `${ctx.url}/repos/${repo.fullName}`;
  const url = `${api}/pulls/comments/${line.id}`;
  const html = `${ctx.url}/${repo.fullName}/pull/${review.pull}#discussion_r${line.id}`;
  const pull = `${api}/pulls/${review.pull}`;
  const patch = repo.issues.get(review.pull)?.pull?.files.find(({ path }) => path === line.path);
  return {
    url,
    pull_request_review_id: review.id,
    id: line.id,
    node_id: nodeId('PRRC', line.id),
    diff_hunk: patch?.patch ?? '',
    path: line.path,
    commit_id: review.commit,
    original_commit_id: review.commit,
    user: renderAccount(ctx, review.author),
    body: line.body,
    created_at: line.createdAt,
    updated_at: line.createdAt,
    html_url: html,
    pull_request_url: pull,
    author_association: association(repo, review.author),
    _links: { self: { href: url }, html: { href: html }, pull_request: { href: pull } },
    start_line: line.startLine,
    original_start_line: line.startLine,
    start_side: line.startLine === null ? null : 'RIGHT',
    line: line.line,
    original_line: line.line,
    side: 'RIGHT',
    subject_type: 'line',
  };
}
