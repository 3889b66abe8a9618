/**
 * Reviews of pull requests, and their comments on lines of the diff.
 * https://docs.github.com/rest/pulls/reviews and https://docs.github.com/rest/pulls/comments
 *
 * That a review moves the pull request's `updated_at` is not documented. Reviews are submitted at
 * once here: one without an `event`, which the service keeps as pending, is refused as not held.
 */
import {
  type Call,
  invalid,
  paged,
  Refusal,
  type Reply,
  type Route,
  signedIn,
  sorted,
} from '../http.ts';
import type { ChangedFile, LineComment, Review } from '../model.ts';
import { renderLineComment, renderReview } from '../render-reviews.ts';
import { type Found, pullOf } from './pulls.ts';

const STATES: Readonly<Record<string, Review['state']>> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
};

const BODY_LIMIT = 65_536;

/** "The list of reviews returns in chronological order." */
function list(call: Call): Reply {
  const { repo, issue } = pullOf(call);
  const id = (review: Review) => review.id;
  const found = sorted(
    repo.reviewsOf(issue.number, call.view(repo)),
    (review) => review.submittedAt,
    id,
    'asc',
  );
  return paged(call, found, (review) => renderReview(call, repo, review), repo);
}

/** "By default, review comments are in ascending order by ID." */
function lines(call: Call): Reply {
  const { repo, issue } = pullOf(call);
  const found = repo
    .reviewsOf(issue.number, call.view(repo))
    .flatMap((review) => review.lines.map((line) => ({ review, line })))
    .sort((a, b) => a.line.id - b.line.id);
  return paged(
    call,
    found,
    ({ review, line }) => renderLineComment(call, repo, review, line),
    repo,
  );
}

/**
 * A refusal that is a sentence and not a field, as the service words those of reviews:
 * https://github.com/hubtty/hubtty/issues/33, https://github.com/parkerbxyz/suggest-changes/issues/64
 */
function unprocessable(...sentences: string[]): Refusal {
  return new Refusal(422, 'Unprocessable Entity', undefined, sentences);
}

/** The lines of a file after the change that its patch shows. */
function isShown(file: ChangedFile, line: number): boolean {
  let next = 0;
  for (const text of file.patch.split('\n')) {
    const [, start] = /^@@ -\S+ \+(\d+)/.exec(text) ?? [];
    if (start !== undefined) next = Number(start);
    else if (!text.startsWith('-')) {
      if (next === line) return true;
      next += 1;
    }
  }
  return false;
}

/** `path` and `body` are required; the line must be one that the diff shows. */
function lineOf(call: Call, { pull }: Found, given: unknown): LineComment {
  const { path, body, line, start_line: start } = given as Record<string, unknown>;
  if (typeof path !== 'string' || typeof body !== 'string' || body.trim() === '') {
    throw new Refusal(422, 'Invalid request.\n\n"path", "body" weren\'t supplied.');
  }
  const file = pull.files.find((one) => one.path === path);
  if (!file) throw unprocessable('Path could not be resolved');
  const shown = (at: unknown): at is number => typeof at === 'number' && isShown(file, at);
  if (!shown(line) || (start !== undefined && !shown(start))) {
    throw unprocessable('Pull request review thread line must be part of the diff');
  }
  if (start !== undefined && start >= line) {
    throw unprocessable('Pull request review thread start line must precede the end line.');
  }
  const startLine = typeof start === 'number' ? start : null;
  return { id: call.store.newId(), path, line, startLine, body, createdAt: call.store.now() };
}

/** `body` is "required when using REQUEST_CHANGES or COMMENT for the event parameter". */
function create(call: Call): Reply {
  const found = pullOf(call);
  const { repo, issue, pull } = found;
  const author = signedIn(call).login;
  const { event, body = '', comments = [] } = call.body;
  const state = STATES[String(event)];
  if (state === undefined) {
    throw invalid([{ resource: 'PullRequestReview', field: 'event', code: 'invalid' }]);
  }
  if (typeof body !== 'string' || !Array.isArray(comments)) {
    throw new Refusal(422, "Invalid request.\n\nFor 'body', it is not a string.");
  }
  if (body.trim() === '' && event !== 'APPROVE') {
    throw invalid([{ resource: 'PullRequestReview', field: 'body', code: 'missing_field' }]);
  }
  if ([...body].length > BODY_LIMIT) {
    const message = `body is too long (maximum is ${BODY_LIMIT} characters)`;
    throw invalid([{ resource: 'PullRequestReview', field: 'body', code: 'custom', message }]);
  }
  if (issue.author === author && event === 'APPROVE') {
    throw unprocessable('Can not approve your own pull request');
  }
  if (issue.author === author && event === 'REQUEST_CHANGES') {
    throw unprocessable('Can not request changes on your own pull request');
  }
  const review = call.store.addReview(repo, {
    pull: issue.number,
    author,
    body,
    state,
    commit: pull.headSha,
    lines: comments.map((one: unknown) => lineOf(call, found, one)),
  });
  return { status: 200, body: renderReview(call, repo, review) };
}

const one = '/repos/{owner}/{repo}/pulls/{pull_number}';

/** Routes for reviews. */
export function reviewRoutes(): Route[] {
  return [
    {
      method: 'GET',
      pattern: `${one}/reviews`,
      docs: 'pulls/reviews#list-reviews-for-a-pull-request',
      handle: list,
    },
    {
      method: 'POST',
      pattern: `${one}/reviews`,
      docs: 'pulls/reviews#create-a-review-for-a-pull-request',
      handle: create,
    },
    {
      method: 'GET',
      pattern: `${one}/comments`,
      docs: 'pulls/comments#list-review-comments-on-a-pull-request',
      handle: lines,
    },
  ];
}
