/** What the mount's files say, made from the replica. */
import {
  type Content,
  renderRecord,
  type StoredRecord,
  tsvContent,
  type Values,
} from '../../src/mount/index.ts';
import { cycleName, displayName, labelNames } from './names.ts';
import {
  commentRecord,
  commentValues,
  cycleRecord,
  cycleValues,
  issueRecord,
  issueValues,
  projectRecord,
  projectValues,
} from './records.ts';
import {
  cycleSchema,
  labelSchema,
  projectSchema,
  stateSchema,
  teamSchema,
  userSchema,
} from './schemas.ts';
import { type LinearStore, TEAMS, teamIn, USERS } from './store.ts';

/** The fields of an issue, and the record they are from. */
export function issueFields(
  store: LinearStore,
  identifier: string,
): { values: Values; record: StoredRecord } | null {
  const found = store.issue(identifier);
  if (found === null) return null;
  const labels = labelNames(store, teamIn(identifier), found.issue.labelIds);
  return { values: issueValues(found.issue, labels), record: found.record };
}

export function issueContent(store: LinearStore, identifier: string): Content | null {
  const found = issueFields(store, identifier);
  return found === null ? null : file(renderRecord(issueRecord, found.values), found.record);
}

export function commentContent(store: LinearStore, identifier: string, id: string): Content | null {
  const found = store.comment(identifier, id);
  if (found === null) return null;
  return file(renderRecord(commentRecord, commentValues(found.comment)), found.record);
}

/** An issue with its comments, oldest first. */
export function threadContent(store: LinearStore, identifier: string): Content | null {
  const issue = issueContent(store, identifier);
  if (issue === null) return null;
  const comments = store.comments(identifier).map(({ comment }) => {
    const who = comment.user?.displayName ?? 'somebody';
    return `\n## ${who}, ${comment.createdAt} (comments/${comment.id}.md)\n\n${comment.body}\n`;
  });
  return { ...issue, text: `${issue.text}${comments.join('')}` };
}

/** One line an issue; newest number first. */
export function indexContent(store: LinearStore, team: string): Content {
  const rows = store.issues(team).sort((a, b) => b.issue.number - a.issue.number);
  return tsvContent(
    ['identifier', 'state', 'title', 'labels', 'assignee', 'priority', 'updated'],
    rows.map(({ issue }) => {
      const { state, title, labels, assignee, priority } = issueValues(
        issue,
        labelNames(store, team, issue.labelIds),
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

export function hasTriage(store: LinearStore, team: string): boolean {
  const record = store.replica.get(store.mount, TEAMS, team);
  return record !== null && teamSchema.parse(record.value).triageEnabled;
}

/** The issues of a team that are in a state of type triage. */
export function inTriage(store: LinearStore, team: string): ReturnType<LinearStore['issues']> {
  const states = store.all('states', team).map(({ value }) => stateSchema.parse(value));
  const triage = new Set(states.filter(({ type }) => type === 'triage').map(({ id }) => id));
  return store.issues(team).filter(({ issue }) => triage.has(issue.state.id));
}

export function statesContent(store: LinearStore, team: string): Content {
  const records = store.all('states', team);
  const rows = records
    .map(({ value }) => stateSchema.parse(value))
    .sort((a, b) => a.position - b.position);
  return tsvContent(
    ['name', 'type', 'description'],
    rows.map(({ name, type, description }) => [name, type, description ?? '']),
    records,
  );
}

/** Groups are not among them: they are in the names of their labels. */
export function labelsContent(store: LinearStore, team: string): Content {
  const records = store.all('labels', team);
  const rows = records
    .map(({ value }) => labelSchema.parse(value))
    .filter(({ isGroup }) => !isGroup)
    .map((label) => [displayName('labels', label), label.color, label.description ?? ''])
    .sort(byFirst);
  return tsvContent(['name', 'color', 'description'], rows, records);
}

export function usersContent(store: LinearStore): Content {
  const records = store.replica.all(store.mount, USERS);
  const rows = records
    .map(({ value }) => userSchema.parse(value))
    .map((user) => [user.displayName, user.name, user.email, user.active ? 'active' : 'left'])
    .sort(byFirst);
  return tsvContent(['display_name', 'name', 'email', 'status'], rows, records);
}

export function projectsContent(store: LinearStore, team: string): Content {
  const records = store.all('projects', team);
  const rows = records
    .map(({ value }) => projectSchema.parse(value))
    .map((one) => [
      one.slugId,
      one.name,
      one.status?.type ?? '',
      one.lead?.displayName ?? '',
      one.targetDate ?? '',
    ])
    .sort((a, b) => ((a[1] ?? '') < (b[1] ?? '') ? -1 : 1));
  return tsvContent(['file', 'name', 'state', 'lead', 'target'], rows, records);
}

export function cyclesContent(store: LinearStore, team: string): Content {
  const records = store.all('cycles', team);
  const rows = records
    .map(({ value }) => cycleSchema.parse(value))
    .sort((a, b) => b.number - a.number)
    .map((one) => [
      String(one.number),
      cycleName(one),
      one.startsAt,
      one.endsAt,
      one.completedAt ?? '',
    ]);
  return tsvContent(['number', 'name', 'starts', 'ends', 'completed'], rows, records);
}

export function projectContent(record: StoredRecord): Content {
  return file(
    renderRecord(projectRecord, projectValues(projectSchema.parse(record.value))),
    record,
  );
}

export function cycleContent(record: StoredRecord): Content {
  return file(renderRecord(cycleRecord, cycleValues(cycleSchema.parse(record.value))), record);
}

export function teamContent(store: LinearStore, team: string): Content | null {
  const record = store.replica.get(store.mount, TEAMS, team);
  return record === null ? null : file(`${JSON.stringify(record.value, null, 2)}\n`, record);
}

function file(text: string, { version, updatedAt }: StoredRecord): Content {
  return { text, version, mtime: new Date(updatedAt) };
}

function byFirst(a: readonly string[], b: readonly string[]): number {
  return (a[0] ?? '') < (b[0] ?? '') ? -1 : 1;
}
