/** What the mount's files say, made from the replica. */
import {
  type Content,
  renderRecord,
  type StoredRecord,
  tsvContent,
  type Values,
} from '../../src/mount/index.ts';
import { labelNames } from './names.ts';
import { commentRecord, commentValues, issueRecord, issueValues } from './records.ts';
import { type LinearStore, teamIn } from './store.ts';
import type { WriteParts } from './sync.ts';
import { states } from './teams.ts';

type Held = ReturnType<LinearStore['issues']>[number];

/** The fields of an issue, and the record they are from. */
export function issueFields(
  { store, scope }: WriteParts,
  identifier: string,
): { values: Values; record: StoredRecord } | null {
  const found = store.issue(identifier);
  if (found === null) return null;
  const labels = labelNames(scope({ team: teamIn(identifier) }), found.issue.labelIds);
  return { values: issueValues(found.issue, labels), record: found.record };
}

export function issueContent(parts: WriteParts, identifier: string): Content | null {
  const found = issueFields(parts, identifier);
  return found === null ? null : file(renderRecord(issueRecord, found.values), found.record);
}

export function commentContent(store: LinearStore, identifier: string, id: string): Content | null {
  const found = store.comment(identifier, id);
  if (found === null) return null;
  return file(renderRecord(commentRecord, commentValues(found.comment)), found.record);
}

/** An issue with its comments, oldest first. */
export function threadContent(parts: WriteParts, identifier: string): Content | null {
  const issue = issueContent(parts, identifier);
  if (issue === null) return null;
  const comments = parts.store.comments(identifier).map(({ comment }) => {
    const who = comment.user?.displayName ?? 'somebody';
    return `\n## ${who}, ${comment.createdAt} (comments/${comment.id}.md)\n\n${comment.body}\n`;
  });
  return { ...issue, text: `${issue.text}${comments.join('')}` };
}

/** One line an issue; newest number first. */
export function indexContent({ store, scope }: WriteParts, team: string): Content {
  const place = scope({ team });
  const rows = store.issues(team).sort((a, b) => b.issue.number - a.issue.number);
  return tsvContent(
    ['identifier', 'state', 'title', 'labels', 'assignee', 'priority', 'updated'],
    rows.map(({ issue }) => {
      const { state, title, labels, assignee, priority } = issueValues(
        issue,
        labelNames(place, issue.labelIds),
      );
      const cells = [issue.identifier, state, title, (labels as string[]).join(',')];
      return [...cells, assignee ?? '', priority, issue.updatedAt].map(String);
    }),
    rows.map(({ record }) => record),
  );
}

/** One line for each, oldest first. Which state there is depends on the source; many have none. */
export function attachmentsContent(store: LinearStore, identifier: string): Content | null {
  const found = store.attachments(identifier);
  if (found.length === 0) return null;
  return tsvContent(
    ['title', 'source', 'status', 'url', 'subtitle', 'created'],
    found.map(({ attachment: { title, sourceType, metadata, url, subtitle, createdAt } }) => [
      title,
      sourceType ?? '',
      metadata.status ?? '',
      url,
      subtitle ?? '',
      createdAt,
    ]),
    found.map(({ record }) => record),
  );
}

/** The issues of a team that are in a state of type triage. */
export function inTriage({ scope, store }: WriteParts, team: string): Held[] {
  const all = scope({ team }).all(states);
  const triage = new Set(all.filter(({ type }) => type === 'triage').map(({ id }) => id));
  return store.issues(team).filter(({ issue }) => triage.has(issue.state.id));
}

function file(text: string, { version, updatedAt }: StoredRecord): Content {
  return { text, version, mtime: new Date(updatedAt) };
}
