/**
 * Comments on issues and pull requests. https://docs.github.com/rest/issues/comments
 *
 * A new comment moves the issue's `updated_at` and its count. What editing or deleting a comment
 * does to the issue's `updated_at` is not documented: it stays here, the harder case for a client
 * that follows changes with `since`.
 */
import {
  type Call,
  canPush,
  notFound,
  numberParam,
  paged,
  Refusal,
  type Reply,
  type Route,
  repositoryOf,
  signedIn,
  sinceOf,
  sorted,
} from '../http.ts';
import type { Comment } from '../model.ts';
import { pagedUpTo } from '../paging.ts';
import { renderComment } from '../render.ts';
import type { RepositoryState } from '../store.ts';
import { commentBody } from './fields.ts';
import { issueOf } from './issues.ts';

function afterSince(call: Call, comments: Iterable<Comment>): Comment[] {
  const since = sinceOf(call);
  return [...comments].filter((comment) => since === null || comment.updatedAt >= since);
}

/**
 * "By default, issue comments are ordered by ascending ID"; `direction` is "ignored without the
 * sort parameter". With `sort` and no `direction` the newest come first, as in the other listings.
 */
function listAll(call: Call): Reply {
  const repo = repositoryOf(call);
  const found = afterSince(call, call.view(repo).comments.values());
  const sort = call.query.get('sort');
  const id = (comment: Comment) => comment.id;
  const key = (comment: Comment) => (sort === 'updated' ? comment.updatedAt : comment.createdAt);
  const direction = call.query.get('direction') === 'asc' ? 'asc' : 'desc';
  const items = sort ? sorted(found, key, id, direction) : sorted(found, id, id, 'asc');
  const render = (comment: Comment) => renderComment(call, repo, comment);
  return pagedUpTo(call, items, render, repo, call.store.paging.commentsMost);
}

/** Comments of one issue, by ascending id; this route has neither sort nor direction. */
function listOne(call: Call): Reply {
  const repo = repositoryOf(call);
  const view = call.view(repo);
  const issue = issueOf(call, repo, view);
  const found = afterSince(call, repo.commentsOf(issue.number, view));
  const id = (comment: Comment) => comment.id;
  return paged(call, sorted(found, id, id, 'asc'), (c) => renderComment(call, repo, c), repo);
}

function commentOf(call: Call, repo: RepositoryState): Comment {
  const comment = repo.comments.get(numberParam(call, 'comment_id'));
  if (!comment) throw notFound();
  return comment;
}

function reply(call: Call, repo: RepositoryState, comment: Comment, status = 200): Reply {
  const body = renderComment(call, repo, comment);
  return {
    status,
    body,
    lastModified: comment.updatedAt,
    ...(status === 201 ? { headers: { location: body.url } } : {}),
  };
}

function create(call: Call): Reply {
  const repo = repositoryOf(call);
  const author = signedIn(call).login;
  const issue = issueOf(call, repo);
  const comment = call.store.addComment(repo, issue.number, author, commentBody(call));
  return reply(call, repo, comment, 201);
}

/** The author, or whoever can push. @throws Refusal 403 for anyone else */
function editable(call: Call, repo: RepositoryState): Comment {
  const viewer = signedIn(call);
  const comment = commentOf(call, repo);
  if (comment.author !== viewer.login && !canPush(call, repo)) {
    throw new Refusal(403, 'Must have admin rights to Repository.');
  }
  return comment;
}

function update(call: Call): Reply {
  const repo = repositoryOf(call);
  const comment = editable(call, repo);
  return reply(call, repo, call.store.editComment(repo, comment, commentBody(call)));
}

function remove(call: Call): Reply {
  const repo = repositoryOf(call);
  call.store.deleteComment(repo, editable(call, repo));
  return { status: 204 };
}

const base = '/repos/{owner}/{repo}/issues';
const docs = 'issues/comments';

/** Routes for issue comments, of one issue and of the whole repository. */
export function commentRoutes(): Route[] {
  return [
    {
      method: 'GET',
      pattern: `${base}/comments`,
      docs: `${docs}#list-issue-comments-for-a-repository`,
      handle: listAll,
    },
    {
      method: 'GET',
      pattern: `${base}/comments/{comment_id}`,
      docs: `${docs}#get-an-issue-comment`,
      handle: (call) => {
        const repo = repositoryOf(call);
        return reply(call, repo, commentOf(call, repo));
      },
    },
    {
      method: 'PATCH',
      pattern: `${base}/comments/{comment_id}`,
      docs: `${docs}#update-an-issue-comment`,
      handle: update,
    },
    {
      method: 'DELETE',
      pattern: `${base}/comments/{comment_id}`,
      docs: `${docs}#delete-an-issue-comment`,
      handle: remove,
    },
    {
      method: 'GET',
      pattern: `${base}/{issue_number}/comments`,
      docs: `${docs}#list-issue-comments`,
      handle: listOne,
    },
    {
      method: 'POST',
      pattern: `${base}/{issue_number}/comments`,
      docs: `${docs}#create-an-issue-comment`,
      handle: create,
    },
  ];
}
