/**
 * What the stand-in sends by itself, as the real one does: JSON, signed over its bytes, with an id
 * of its own. A delivery that is not taken is not sent again (docs.github.com/webhooks).
 */
import { createHmac, randomUUID } from 'node:crypto';
import type { Comment, Issue } from './model.ts';
import { type RenderContext, renderAccount, renderComment, renderIssue } from './render.ts';
import { renderRepository } from './render-repos.ts';
import type { RepositoryState } from './store.ts';

/** Something that happened in a repository. */
export interface Happening {
  event: 'issues' | 'issue_comment';
  action: string;
  repo: RepositoryState;
  issue: Issue;
  comment?: Comment;
  by: string;
}

/** Where it is sent. */
export interface HookTarget {
  url: string;
  secret: string;
}

export function send(ctx: RenderContext, { url, secret }: HookTarget, what: Happening): void {
  const { event, action, repo, issue, comment, by } = what;
  const body = JSON.stringify({
    action,
    issue: renderIssue(ctx, repo, issue, {
      single: false,
      comments: repo.commentsOf(issue.number).length,
    }),
    ...(comment === undefined ? {} : { comment: renderComment(ctx, repo, comment) }),
    repository: renderRepository(ctx, repo, null),
    sender: renderAccount(ctx, by),
  });
  const signature = createHmac('sha256', secret).update(body).digest('hex');
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'GitHub-Hookshot/5f6f1a2',
      'x-github-delivery': randomUUID(),
      'x-github-event': event,
      'x-hub-signature-256': `sha256=${signature}`,
    },
    body,
  }).catch(() => undefined);
}
