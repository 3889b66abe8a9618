/** What the mount's files say, made from the replica. */
import {
  type Content,
  dateOf,
  renderRecord,
  type StoredRecord,
  tsvContent,
  type Values,
} from '../../src/mount/index.ts';
import {
  commentRecord,
  commentValues,
  issueRecord,
  issueValues,
  labelNames,
  pullRecord,
} from './records.ts';
import { type ApiIssue, pullFileSchema } from './schemas.ts';
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
  const pull = kind === 'pull' ? store.pull(name, number) : null;
  return { values: issueValues(found.issue, pull), record: found.record };
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
  const text = renderRecord(kind === 'pull' ? pullRecord : issueRecord, found.values);
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
  const { record, comment } = found;
  const text = renderRecord(commentRecord, commentValues(comment));
  return { text, version: record.version, mtime: new Date(record.updatedAt) };
}

/** An issue with its comments, oldest first. */
export function threadContent(
  store: GithubStore,
  name: RepoName,
  number: string,
  kind: 'issue' | 'pull',
): Content | null {
  const issue = issueContent(store, name, number, kind);
  if (issue === null) return null;
  const comments = store.comments(name, number).map(({ comment }) => {
    const who = comment.user?.login ?? 'ghost';
    return `\n## ${who}, ${comment.created_at} (comments/${comment.id}.md)\n\n${comment.body ?? ''}\n`;
  });
  return { ...issue, text: `${issue.text}${comments.join('')}` };
}

/** One line an issue: number, state, title, labels, assignees, updated; newest number first. */
export function indexContent(store: GithubStore, name: RepoName, kind: 'issue' | 'pull'): Content {
  const rows = store
    .issues(name)
    .filter(({ record }) => record.tag === kind)
    .sort((a, b) => b.issue.number - a.issue.number);
  return tsvContent(
    ['number', 'state', 'title', 'labels', 'assignees', 'updated'],
    rows.map(({ issue }) => indexRow(issue)),
    rows.map(({ record }) => record),
  );
}

function indexRow(issue: ApiIssue): string[] {
  return [
    String(issue.number),
    issue.pull_request?.merged_at ? 'merged' : issue.state,
    issue.title,
    labelNames(issue).join(','),
    (issue.assignees ?? []).map(({ login }) => login).join(','),
    issue.updated_at,
  ];
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
