/** The three services of the demo world for the tasks, and what their stores hold, as flat records. */
import type { WorldConfig } from '../../entry/index.ts';
import { type GithubStandIn, startGithubStandIn } from '../stand-ins/github/index.ts';
import { type LinearStandIn, startLinearStandIn } from '../stand-ins/linear/index.ts';
import { type NotionStandIn, startNotionStandIn } from '../stand-ins/notion/index.ts';

export interface Services {
  github: GithubStandIn;
  linear: LinearStandIn;
  notion: NotionStandIn;
}

/** Fields of one record by name. */
export type Fields = Record<string, unknown>;

/**
 * What the stores hold, by names that need no id to be looked up: `harbor/quay#12`,
 * `harbor/quay#12/comments/ID`, `harbor/quay:README.md`, `PLT-6`, `PLT-6/comments/ID`, `notion/ID`.
 */
export type Records = Record<string, Fields>;

/** Starts all three with the story of the demo. */
export async function startServices(): Promise<Services> {
  const [github, linear, notion] = await Promise.all([
    startGithubStandIn(),
    startLinearStandIn(),
    startNotionStandIn(),
  ]);
  return { github, linear, notion };
}

export async function closeServices({ github, linear, notion }: Services): Promise<void> {
  await Promise.all([github.close(), linear.close(), notion.close()]);
}

/** The mounts of a world over these services, and the tokens that it takes from its environment. */
export function mountsOf(
  { github, linear, notion }: Services,
  mode: 'rw' | 'stage',
): { mounts: NonNullable<WorldConfig['mounts']>; env: Record<string, string> } {
  const mount = (source: string, baseUrl: string) => ({
    source,
    mode,
    baseUrl,
    tokenEnv: `TASK_${source.toUpperCase()}`,
    // Longer than a task, so that what it costs does not depend on how busy the machine is.
    freshMs: 600_000,
  });
  return {
    mounts: {
      '/workspace': 'mem',
      '/mnt/github': mount('github', github.url),
      '/mnt/linear': mount('linear', linear.url),
      '/mnt/notion': mount('notion', notion.url),
    },
    env: { TASK_GITHUB: github.token, TASK_LINEAR: linear.token, TASK_NOTION: notion.token },
  };
}

/** Everything that a task could change, read from the stores and past every mount. */
export async function recordsOf({ github, linear, notion }: Services): Promise<Records> {
  const [ofGithub, ofLinear, ofNotion] = await Promise.all([
    github.dump(),
    linear.dump(),
    notion.dump(),
  ]);
  return { ...githubRecords(ofGithub), ...linearRecords(ofLinear), ...notionRecords(ofNotion) };
}

function githubRecords({ repositories }: Awaited<ReturnType<GithubStandIn['dump']>>): Records {
  const records: Records = {};
  for (const { repository, issues, comments, milestones, files } of repositories) {
    const name = `${repository.owner}/${repository.name}`;
    const milestone = new Map(milestones.map(({ number, title }) => [number, title]));
    for (const issue of issues) {
      records[`${name}#${issue.number}`] = {
        title: issue.title,
        body: issue.body,
        state: issue.state,
        stateReason: issue.stateReason,
        labels: issue.labels,
        assignees: issue.assignees,
        milestone: issue.milestone === null ? null : milestone.get(issue.milestone),
        isPull: issue.pull !== null,
      };
    }
    for (const { path, content } of files) records[`${name}:${path}`] = { content };
    for (const { id, issue, author, body } of comments) {
      records[`${name}#${issue}/comments/${id}`] = { author, body };
    }
  }
  return records;
}

function linearRecords(data: Awaited<ReturnType<LinearStandIn['dump']>>): Records {
  const names = new Map<string | null, string>();
  for (const { id, key } of data.teams) names.set(id, key);
  for (const { id, displayName } of data.users) names.set(id, displayName);
  for (const { id, name } of [...data.states, ...data.labels, ...data.projects])
    names.set(id, name);
  for (const { id, name, number } of data.cycles) names.set(id, name ?? `Cycle ${number}`);
  for (const { id, teamId, number } of data.issues) {
    names.set(id, `${names.get(teamId) ?? '?'}-${number}`);
  }
  const nameOf = (id: string | null): string | null => names.get(id) ?? id;
  const records: Records = {};
  for (const issue of data.issues) {
    records[nameOf(issue.id) ?? ''] = {
      title: issue.title,
      description: issue.description,
      state: nameOf(issue.stateId),
      priority: issue.priority,
      estimate: issue.estimate,
      labels: issue.labelIds.map(nameOf),
      assignee: nameOf(issue.assigneeId),
      project: nameOf(issue.projectId),
      cycle: nameOf(issue.cycleId),
      parent: nameOf(issue.parentId),
      dueDate: issue.dueDate,
      archived: issue.archivedAt !== null,
    };
  }
  for (const { id, issueId, userId, body } of data.comments) {
    records[`${nameOf(issueId) ?? '?'}/comments/${id}`] = { author: nameOf(userId), body };
  }
  return records;
}

function notionRecords(pages: Awaited<ReturnType<NotionStandIn['dump']>>): Records {
  const records: Records = {};
  for (const { id, title, markdown, properties, blocks, inTrash } of pages) {
    const values = Object.entries(properties).map(([name, value]) => [name, plain(value)]);
    records[`notion/${id}`] = {
      title,
      markdown,
      blocks,
      inTrash,
      ...Object.fromEntries(values.filter(([name]) => name !== 'title' && name !== 'Name')),
    };
  }
  return records;
}

/** The value of a Notion property without its wrapping: names of options and people, plain text, ids. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  const fields = value as Fields;
  if (typeof fields['plain_text'] === 'string') return fields['plain_text'];
  if (typeof fields['name'] === 'string') return fields['name'];
  if (typeof fields['start'] === 'string') return fields['start'];
  if (fields['object'] === 'page' || Object.keys(fields).join() === 'id') return fields['id'];
  if (typeof fields['type'] === 'string' && fields['type'] in fields) {
    return plain(fields[fields['type']]);
  }
  return fields;
}

/** What differs between two states of the stores. */
export interface Difference {
  /** New records, in the order of their names. */
  created: { record: string; fields: Fields }[];
  removed: string[];
  /** Of records that were and are there: the fields that differ, with their new values. */
  changed: Records;
}

export function difference(before: Records, after: Records): Difference {
  const changed: Records = {};
  for (const [record, fields] of Object.entries(after)) {
    const old = before[record];
    if (old === undefined) continue;
    const differs = Object.entries(fields).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name]),
    );
    if (differs.length > 0) changed[record] = Object.fromEntries(differs);
  }
  return {
    created: Object.entries(after)
      .filter(([record]) => !(record in before))
      .map(([record, fields]) => ({ record, fields })),
    removed: Object.keys(before).filter((record) => !(record in after)),
    changed,
  };
}
