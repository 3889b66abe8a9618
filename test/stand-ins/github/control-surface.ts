/** What the control surface of GitHub's stand-in can do beside what every stand-in can. */
import type { Parts } from './answer.ts';
import {
  type Counters,
  type Edit,
  editSchema,
  filesSchema,
  hookSchema,
  type LoggedRequest,
  pagingSchema,
  rateLimitSchema,
} from './control.ts';
import type { Comment, Issue } from './model.ts';
import type { RepositoryState, Store } from './store.ts';
import { send } from './webhooks.ts';

function countersOf(log: readonly LoggedRequest[]): Counters {
  const byStatus: Record<string, number> = {};
  for (const { status } of log) {
    const key = status === null ? 'cut' : String(status);
    byStatus[key] = (byStatus[key] ?? 0) + 1;
  }
  const reads = log.filter(
    ({ method, url }) => method === 'GET' || method === 'HEAD' || url === '/graphql',
  ).length;
  return {
    requests: log.length,
    reads,
    writes: log.length - reads,
    notModified: byStatus['304'] ?? 0,
    bytes: log.reduce((sum, { bytes }) => sum + bytes, 0),
    byStatus,
  };
}

function repositoryOf(store: Store, edit: Pick<Edit, 'owner' | 'repo'>): RepositoryState {
  const repo = store.repository(edit.owner, edit.repo);
  if (!repo) throw new Error(`the stand-in has no repository ${edit.owner}/${edit.repo}`);
  return repo;
}

function issueOf(repo: RepositoryState, number: number): Issue {
  const issue = repo.issues.get(number);
  if (!issue) throw new Error(`${repo.fullName} has no issue #${number}`);
  return issue;
}

function commentOf(repo: RepositoryState, id: number): Comment {
  const comment = repo.comments.get(id);
  if (!comment) throw new Error(`${repo.fullName} has no comment ${id}`);
  return comment;
}

/** Only fields that were given, so that an absent one does not overwrite. */
function given<Fields extends object>(fields: Fields): Partial<Fields> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Partial<Fields>;
}

function applyEdit(store: Store, edit: Edit): { id: number; number: number } {
  const repo = repositoryOf(store, edit);
  const someone = repo.repository.writers.at(-1) ?? repo.repository.owner;
  switch (edit.op) {
    case 'edit-issue': {
      const fields = given(edit.fields);
      const issue = issueOf(repo, edit.number);
      return store.editIssue(repo, issue, fields as Partial<Issue>, edit.by ?? someone);
    }
    case 'create-issue':
      return store.createIssue(repo, {
        title: edit.title,
        body: edit.body,
        labels: edit.labels,
        assignees: [],
        milestone: null,
        author: edit.by ?? someone,
      });
    case 'delete-issue': {
      const issue = issueOf(repo, edit.number);
      store.deleteIssue(repo, edit.number);
      return issue;
    }
    case 'add-comment': {
      issueOf(repo, edit.number);
      const comment = store.addComment(repo, edit.number, edit.by ?? someone, edit.body);
      return { id: comment.id, number: edit.number };
    }
    case 'add-review': {
      const { pull } = issueOf(repo, edit.number);
      const lines = edit.lines.map((line) => ({
        ...line,
        id: store.newId(),
        startLine: null,
        createdAt: store.now(),
      }));
      const review = store.addReview(repo, {
        pull: edit.number,
        author: edit.by ?? someone,
        body: edit.body,
        state: edit.state,
        commit: pull?.headSha ?? '',
        lines,
      });
      return { id: review.id, number: edit.number };
    }
    case 'transfer-issue': {
      const to = repositoryOf(store, edit.to);
      return store.transferIssue(repo, issueOf(repo, edit.number), to);
    }
    case 'rename-repository': {
      store.renameRepository(repo, edit.to.owner, edit.to.repo);
      return { id: repo.repository.id, number: 0 };
    }
    case 'edit-comment': {
      const comment = store.editComment(repo, commentOf(repo, edit.id), edit.body);
      return { id: comment.id, number: comment.issue };
    }
    case 'delete-comment': {
      const comment = commentOf(repo, edit.id);
      store.deleteComment(repo, comment);
      return { id: comment.id, number: comment.issue };
    }
    case 'request-review': {
      const issue = issueOf(repo, edit.number);
      if (issue.pull !== null) {
        const pull = { ...issue.pull, reviewers: [...(issue.pull.reviewers ?? []), edit.of] };
        repo.issues.set(edit.number, { ...issue, pull, updatedAt: store.now() });
      }
      return issue;
    }
    case 'notify': {
      issueOf(repo, edit.number);
      const { login, reason, number } = edit;
      const id = store.notify({ login, reason, number, repository: repo.repository.id });
      return { id, number };
    }
    case 'upload': {
      const { path, base64, contentType, location } = edit;
      store.uploads.set(path, { base64, contentType, location });
      return { id: repo.repository.id, number: 0 };
    }
    case 'put-submodule': {
      const { path, sha } = edit;
      store.push(repo, () => repo.main.putSubmodule({ path, sha }));
      return { id: repo.repository.id, number: 0 };
    }
    case 'put-file': {
      const data = edit.content === null ? null : Buffer.from(edit.content);
      store.commit(repo, repo.main, edit.path, data);
      return { id: repo.repository.id, number: 0 };
    }
  }
}

/** Carries out a control request, `METHOD /path`; undefined where there is no such one. */
export function control(
  { store, limits, ...parts }: Parts,
  log: readonly LoggedRequest[],
  what: string,
  input: unknown,
): unknown {
  switch (what) {
    case 'GET /counters':
      return countersOf(log);
    case 'PUT /rate-limit': {
      const { limit, remaining, resetInSeconds, searches } = rateLimitSchema.parse(input);
      limits.searches = searches;
      limits.set(limit, remaining, resetInSeconds, store.tokens.values());
      return {};
    }
    case 'PUT /files':
      store.given = filesSchema.parse(input);
      return {};
    case 'PUT /paging':
      store.paging = pagingSchema.parse(input);
      return {};
    case 'PUT /hook': {
      const target = hookSchema.parse(input);
      store.onHappening = (what) => {
        if (target !== null) send({ url: parts.url, store }, target, what);
      };
      return {};
    }
    case 'POST /edits': {
      const { id, number } = applyEdit(store, editSchema.parse(input));
      return { id, number };
    }
    case 'GET /dump':
      return store.dump();
    default:
      return undefined;
  }
}
