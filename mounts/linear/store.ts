/** What the replica holds of Linear: which collections there are, and a record's place in them. */
import {
  type Origin,
  type Params,
  type RecordHead,
  ServiceStore,
  type StoredRecord,
} from '../../src/mount/index.ts';
import { endOf } from './relations.ts';
import {
  type ApiAttachment,
  type ApiComment,
  type ApiIssue,
  type ApiRelation,
  attachmentSchema,
  commentSchema,
  type HeldIssue,
  heldIssueSchema,
  relationSchema,
} from './schemas.ts';

/**
 * Relations of all issues, each twice: by the issue at either end. Linear lists them for the whole
 * workspace only.
 */
export const RELATIONS = 'relations';
/** Attachments of all issues, by issue. */
export const ATTACHMENTS = 'attachments';
/** Where issues went that were moved to another team, by the identifier that they had. */
const MOVED = 'moved';

export function teamOf(params: Params): string {
  return params['team'] ?? '';
}

export function collection(kind: string, team: string): string {
  return `${kind}/${team}`;
}

/** Of one issue whose comments were asked for by themselves. */
export function commentsOf(identifier: string): string {
  return `comments/${teamIn(identifier)}/${identifier}`;
}

/** The team's key in an identifier such as `ENG-12`. */
export function teamIn(identifier: string): string {
  return identifier.slice(0, identifier.lastIndexOf('-'));
}

/** Reads and writes the replica for one mount. */
export class LinearStore extends ServiceStore {
  issue(identifier: string): { record: StoredRecord; issue: HeldIssue } | null {
    const into = collection('issues', teamIn(identifier));
    const record = this.replica.get(this.mount, into, identifier);
    return record === null ? null : { record, issue: heldIssueSchema.parse(record.value) };
  }

  /** The issues of a team that are not archived. */
  issues(team: string): { record: StoredRecord; issue: HeldIssue }[] {
    return this.replica
      .all(this.mount, collection('issues', team), 'live')
      .map((record) => ({ record, issue: heldIssueSchema.parse(record.value) }));
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

  /** Stores an issue: nothing of it when it was deleted, no path when it is archived. */
  putIssue(issue: ApiIssue, origin: Origin): void {
    const team = issue.team.key;
    const into = collection('issues', team);
    const held = this.head('issues', team, issue.identifier);
    if (origin === 'listing' && held !== null && held.updatedAt > issue.updatedAt) return;
    if (origin === 'write') this.noteOwnWrite(issue.id);
    if (issue.trashed === true) return this.dropIssue(issue.identifier);
    for (const before of issue.previousIdentifiers) this.#leave(before, issue);
    const live = (issue.archivedAt ?? null) === null;
    const { ends, pulls } = this.#around(issue);
    this.replica.upsert(this.mount, into, {
      key: issue.identifier,
      tag: live ? 'live' : 'archived',
      updatedAt: issue.updatedAt,
      size: 400 + issue.title.length + (issue.description ?? '').length,
      path: live ? `${pathOf(issue.identifier)}.md` : null,
      value: { ...issue, ends, pulls },
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
      if (this.isOwnWrite(`${collection('comments', team)} ${comment.id}`)) return;
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

  putRelation(relation: ApiRelation, origin: Origin): void {
    if (origin === 'listing' && this.isOwnWrite(relation.id)) return;
    if (origin === 'write') this.noteOwnWrite(relation.id);
    if ((relation.archivedAt ?? null) !== null) return this.dropRelation(relation.id);
    for (const end of ENDS) {
      this.replica.upsert(this.mount, RELATIONS, {
        key: `${relation.id} ${end}`,
        tag: relation[end].id,
        updatedAt: relation.updatedAt,
        size: 100,
        path: null,
        value: relation,
      });
    }
    this.#tellIssues([relation.issue.identifier, relation.relatedIssue.identifier]);
  }

  /** Forgets a relation that we deleted ourselves. */
  deletedRelation(id: string): void {
    this.noteOwnWrite(id);
    this.dropRelation(id);
  }

  dropRelation(id: string): void {
    const held = this.replica.get(this.mount, RELATIONS, `${id} issue`);
    for (const end of ENDS) this.replica.remove(this.mount, RELATIONS, `${id} ${end}`);
    if (held === null) return;
    const { issue, relatedIssue } = relationSchema.parse(held.value);
    this.#tellIssues([issue.identifier, relatedIssue.identifier]);
  }

  /** The relations of an issue, by its UUID. */
  relations(issueId: string): ApiRelation[] {
    return this.replica
      .all(this.mount, RELATIONS, issueId)
      .map(({ value }) => relationSchema.parse(value));
  }

  putAttachment(attachment: ApiAttachment): void {
    if ((attachment.archivedAt ?? null) !== null) return this.dropAttachment(attachment.id);
    this.replica.upsert(this.mount, ATTACHMENTS, {
      key: attachment.id,
      tag: attachment.issue.id,
      updatedAt: attachment.updatedAt,
      size: 100,
      path: null,
      value: attachment,
    });
    this.#tellIssues([attachment.issue.identifier]);
  }

  dropAttachment(id: string): void {
    const held = this.replica.get(this.mount, ATTACHMENTS, id);
    if (held === null) return;
    this.replica.remove(this.mount, ATTACHMENTS, id);
    this.#tellIssues([attachmentSchema.parse(held.value).issue.identifier]);
  }

  /** What is attached to an issue, oldest first. */
  attachments(identifier: string): { record: StoredRecord; attachment: ApiAttachment }[] {
    const found = this.issue(identifier);
    if (found === null) return [];
    return this.replica
      .all(this.mount, ATTACHMENTS, found.issue.id)
      .map((record) => ({ record, attachment: attachmentSchema.parse(record.value) }))
      .sort((a, b) => (a.attachment.createdAt < b.attachment.createdAt ? -1 : 1));
  }

  /** The identifier that an issue has since it was moved; null where that is not known. */
  movedTo(identifier: string): string | null {
    const held = this.replica.get(this.mount, MOVED, identifier);
    return held === null ? null : String(held.value);
  }

  noteMoved(before: string, identifier: string): void {
    const [key, value] = [before, identifier];
    this.replica.upsert(this.mount, MOVED, { key, updatedAt: '', size: 1, path: null, value });
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

  /** What other records tell of an issue. */
  #around(issue: ApiIssue): Pick<HeldIssue, 'ends' | 'pulls'> {
    const ends = this.relations(issue.id).flatMap((relation) => {
      this.#renamed(relation, issue);
      return endOf(relation, issue.id) ?? [];
    });
    const pulls = this.replica
      .all(this.mount, ATTACHMENTS, issue.id)
      .map(({ value }) => attachmentSchema.parse(value).url)
      .filter((url) => PULL.test(url));
    return { ends, pulls: [...new Set(pulls)].sort() };
  }

  /** An issue that was moved has another name in its relations, and so in the files of the others. */
  #renamed(relation: ApiRelation, { id, identifier }: ApiIssue): void {
    const own = relation.issue.id === id ? 'issue' : 'relatedIssue';
    if (relation[own].identifier === identifier) return;
    this.putRelation({ ...relation, [own]: { ...relation[own], identifier } }, 'lookup');
  }

  /** Issues that are held are told again: what relates to them is in their files. */
  #tellIssues(identifiers: readonly string[]): void {
    for (const identifier of identifiers) {
      const found = this.issue(identifier);
      if (found !== null) this.putIssue(found.issue, 'lookup');
    }
  }

  /** An issue that was moved takes its comments with it, and leaves word of where it went. */
  #leave(before: string, issue: ApiIssue): void {
    const { id, identifier } = issue;
    if (before === identifier) return;
    const held = this.issue(before);
    if (held !== null && held.issue.id !== id) return;
    this.noteMoved(before, identifier);
    for (const { comment } of this.comments(before)) {
      this.putComment({ ...comment, issue: { id, identifier } }, 'lookup');
    }
    this.dropIssue(before);
  }

  /** Comments are documents as long as their issue is listed. */
  #replaceComments(identifier: string): void {
    for (const { comment } of this.comments(identifier)) this.putComment(comment, 'lookup');
  }
}

const ENDS = ['issue', 'relatedIssue'] as const;

/** Addresses of pull requests on GitHub and merge requests on GitLab. */
const PULL = /^https?:\/\/[^?#]+\/(?:pull|merge_requests)\/\d+(?:[?#].*)?$/;

/** Where an issue is in the mount, without `.md`. */
export function pathOf(identifier: string): string {
  return `/teams/${teamIn(identifier)}/issues/${identifier}`;
}
