/** What the replica holds of Linear: which collections there are, and a record's place in them. */
import type { Params } from '../../src/mount/route.ts';
import { type Origin, ServiceStore } from '../../src/mount/service-store.ts';
import type { RecordHead, StoredRecord } from '../../src/replica/replica.ts';
import { type ApiComment, type ApiIssue, commentSchema, issueSchema } from './schemas.ts';

/** All teams, by key. */
export const TEAMS = 'teams';
/** All users, by display name, which is unique in a workspace. */
export const USERS = 'users';

export function teamOf(params: Params): string {
  return params['team'] ?? '';
}

export function collection(kind: string, team: string): string {
  return `${kind}:${team}`;
}

export const OF_A_TEAM = ['issues', 'comments', 'states', 'labels', 'projects', 'cycles', 'team'];

/** The team's key in an identifier such as `ENG-12`. */
export function teamIn(identifier: string): string {
  return identifier.slice(0, identifier.lastIndexOf('-'));
}

/** Reads and writes the replica for one mount. */
export class LinearStore extends ServiceStore {
  issue(identifier: string): { record: StoredRecord; issue: ApiIssue } | null {
    const into = collection('issues', teamIn(identifier));
    const record = this.replica.get(this.mount, into, identifier);
    return record === null ? null : { record, issue: issueSchema.parse(record.value) };
  }

  /** The issues of a team that are not archived. */
  issues(team: string): { record: StoredRecord; issue: ApiIssue }[] {
    return this.replica
      .all(this.mount, collection('issues', team), 'live')
      .map((record) => ({ record, issue: issueSchema.parse(record.value) }));
  }

  comment(identifier: string, id: string): { record: StoredRecord; comment: ApiComment } | null {
    const record = this.replica.get(this.mount, collection('comments', teamIn(identifier)), id);
    if (record === null || record.tag !== identifier) return null;
    return { record, comment: commentSchema.parse(record.value) };
  }

  /** The comments of an issue, oldest first. */
  comments(identifier: string): { record: StoredRecord; comment: ApiComment }[] {
    return this.replica
      .all(this.mount, collection('comments', teamIn(identifier)), identifier)
      .map((record) => ({ record, comment: commentSchema.parse(record.value) }))
      .sort((a, b) => (a.comment.createdAt < b.comment.createdAt ? -1 : 1));
  }

  head(kind: string, team: string, key: string): RecordHead | null {
    return this.replica.head(this.mount, collection(kind, team), key);
  }

  heads(kind: string, team: string, tag?: string): RecordHead[] {
    return this.replica.heads(this.mount, collection(kind, team), tag);
  }

  /** Records of a kind by key, as Linear described them. */
  all(kind: string, team: string): StoredRecord[] {
    return this.replica.all(this.mount, collection(kind, team));
  }

  /** Stores an issue: nothing of it when it was deleted, no path when it is archived. */
  putIssue(issue: ApiIssue, origin: Origin): void {
    const team = issue.team.key;
    const into = collection('issues', team);
    const held = this.head('issues', team, issue.identifier);
    if (origin === 'listing' && held !== null && held.updatedAt > issue.updatedAt) return;
    if (issue.trashed === true) return this.dropIssue(issue.identifier);
    const live = (issue.archivedAt ?? null) === null;
    this.replica.upsert(this.mount, into, {
      key: issue.identifier,
      tag: live ? 'live' : 'archived',
      updatedAt: issue.updatedAt,
      size: 400 + issue.title.length + (issue.description ?? '').length,
      path: live ? `${pathOf(issue.identifier)}.md` : null,
      value: issue,
    });
    if (held !== null && (held.tag === 'live') !== live) this.#replaceComments(issue.identifier);
  }

  putComment(comment: ApiComment, origin: Origin): void {
    const identifier = comment.issue?.identifier;
    if (identifier === undefined) return;
    const team = teamIn(identifier);
    const held = this.head('comments', team, comment.id);
    if (origin === 'listing') {
      if (held !== null && held.updatedAt > comment.updatedAt) return;
      // We deleted it ourselves.
      if (this.isOwnWrite(comment.id)) return;
    }
    if ((comment.archivedAt ?? null) !== null) return this.drop('comments', team, comment.id);
    const archived = this.head('issues', team, identifier)?.tag === 'archived';
    this.replica.upsert(this.mount, collection('comments', team), {
      key: comment.id,
      tag: identifier,
      updatedAt: comment.updatedAt,
      size: 250 + comment.body.length,
      path: archived ? null : `${pathOf(identifier)}/comments/${comment.id}.md`,
      value: comment,
    });
  }

  /** Forgets a comment that we deleted ourselves. */
  deletedComment(team: string, id: string): void {
    this.noteOwnWrite(id);
    this.drop('comments', team, id);
  }

  /** Forgets an issue with its comments. */
  dropIssue(identifier: string): void {
    const team = teamIn(identifier);
    this.replica.transaction(() => {
      this.drop('issues', team, identifier);
      for (const { key } of this.heads('comments', team, identifier)) {
        this.drop('comments', team, key);
      }
    });
  }

  drop(kind: string, team: string, key: string): void {
    this.replica.remove(this.mount, collection(kind, team), key);
  }

  /** Forgets a team that is gone, or that the key may not see any more. */
  dropTeam(team: string): void {
    this.replica.transaction(() => {
      for (const kind of OF_A_TEAM) {
        this.replica.removeCollection(this.mount, collection(kind, team));
      }
      for (const one of this.replica.listed(this.mount, `${collection('comments-of', team)}-`)) {
        this.replica.removeCollection(this.mount, one);
      }
      this.replica.remove(this.mount, TEAMS, team);
    });
  }

  /** Comments are documents as long as their issue is listed. */
  #replaceComments(identifier: string): void {
    for (const { comment } of this.comments(identifier)) this.putComment(comment, 'lookup');
  }
}

/** Where an issue is in the mount, without `.md`. */
export function pathOf(identifier: string): string {
  return `/teams/${teamIn(identifier)}/issues/${identifier}`;
}
