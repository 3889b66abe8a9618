/** What the mount's files say, made from the replica. */
import {
  type Content,
  dateOf,
  descending,
  renderRecord,
  type StoredRecord,
  tsvContent,
  type Values,
} from '../../src/mount/index.ts';
import { type ApiIssue, commentRecord, issueRecord, pullRecord, pullValues } from './records.ts';
import { pullFileSchema } from './schemas.ts';
import { collection, type GithubStore, type RepoName } from './store.ts';

/** The fields of an issue or a pull request, and the record they are from; null when it is not of that kind. */
export function issueFields(
  store: GithubStore,
  name: RepoName,
  number: string,
  kind: 'issue' | 'pull',
): { values: Values; record: StoredRecord } | null {
  const found = store.issue(name, number);
  if (found === null || found.record.tag !== kind) return null;
  const values =
    kind === 'pull'
      ? pullValues(found.issue, store.pull(name, number))
      : issueRecord.values(found.issue);
  return { values, record: found.record };
}

/** An issue's or a pull request's file. */
export function issueContent(
  store: GithubStore,
  name: RepoName,
  number: string,
  kind: 'issue' | 'pull',
): Content | null {
  const found = issueFields(store, name, number, kind);
  if (found === null) return null;
  const text = renderRecord((kind === 'pull' ? pullRecord : issueRecord).type, found.values);
  return { text, version: found.record.version, mtime: new Date(found.record.updatedAt) };
}

export function commentContent(
  store: GithubStore,
  name: RepoName,
  number: string,
  id: string,
): Content | null {
  const found = store.comment(name, number, id);
  if (found === null) return null;
  const { record } = found;
  const text = renderRecord(commentRecord.type, commentRecord.values(found.comment));
  return { text, version: record.version, mtime: new Date(record.updatedAt) };
}

/** An issue with its comments, oldest first. */
export function threadContent(
  store: GithubStore,
  name: RepoName,
  number: string,
  kind: 'issue' | 'pull',
): Content | null {
  const content = issueContent(store, name, number, kind);
  if (content === null) return null;
  const comments = store.comments(name, number).map(({ comment }) => {
    const { author, created_at, body } = commentRecord.values(comment);
    return `\n## ${author}, ${created_at} (comments/${comment.id}.md)\n\n${body}\n`;
  });
  return { ...content, text: `${content.text}${comments.join('')}` };
}

/** One line an issue: number, state, title, labels, assignees, updated; newest number first. */
export function indexContent(store: GithubStore, name: RepoName, kind: 'issue' | 'pull'): Content {
  const rows = store
    .issues(name)
    .filter(({ record }) => record.tag === kind)
    .sort(descending((one) => one.issue.number));
  return tsvContent(
    ['number', 'state', 'title', 'labels', 'assignees', 'updated'],
    rows.map((one) => indexRow(one.issue)),
    rows.map(({ record }) => record),
  );
}

function indexRow(one: ApiIssue): string[] {
  const { number, state, title, labels, assignees, updated_at } = issueRecord.values(one);
  const now = one.pull_request?.merged_at ? 'merged' : state;
  return [number, now, title, labels, assignees, updated_at].map(String);
}

/** null until they were asked for. */
export function filesContent(store: GithubStore, name: RepoName, number: string): Content | null {
  const into = `${collection('files', name)}#${number}`;
  if (store.replica.listing(store.mount, into) === null) return null;
  const records = sorted(store.replica.all(store.mount, into));
  const rows = records.map((record) => pullFileSchema.parse(record.value));
  return tsvContent(
    ['path', 'status', 'additions', 'deletions', 'previous'],
    rows.map((file) => [
      file.filename,
      file.status,
      String(file.additions),
      String(file.deletions),
      file.previous_filename ?? '',
    ]),
    records,
  );
}

export function repoContent(record: StoredRecord): Content {
  return {
    text: `${JSON.stringify(record.value, null, 2)}\n`,
    version: record.version,
    mtime: dateOf(record.updatedAt),
  };
}

function sorted(records: StoredRecord[]): StoredRecord[] {
  return records.sort((a, b) => (a.key < b.key ? -1 : 1));
}
