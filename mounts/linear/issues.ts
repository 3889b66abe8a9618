/**
 * Issues and their comments. As on GitHub the directory of what belongs to an issue stands beside the
 * issue's file. An archived issue is in no listing and no index, as in Linear's own; by its name it can
 * be read, and brought back with `archived: false`.
 */
import {
  ascending,
  descending,
  joint,
  namesAt,
  type Place,
  type Problem,
  type Resource,
  renderRecord,
  resource,
  type Scope,
  type ServiceRequest,
  type Values,
} from '../../src/mount/index.ts';
import type { LinearClient } from './client.ts';
import { graph } from './graph.ts';
import { attached, related, withParts } from './issue-parts.ts';
import { inputOf, names } from './names.ts';
import { ISSUES, TEAM, teamIn } from './paths.ts';
import {
  type ApiComment,
  attachment,
  comment,
  type HeldIssue,
  heldIssueSchema,
  isPutAway,
  issue,
} from './records.ts';
import { relation, relationKind, relationSteps, relations } from './relations.ts';
import { labels, refusedTeam, states, teams } from './teams.ts';

type At = Scope<LinearClient>;

export const issueKind = graph.kind('issue', issue.schema);
const commentKind = graph.kind('comment', comment.schema);

const isLive = ({ archivedAt }: HeldIssue): boolean => (archivedAt ?? null) === null;

// One by itself is asked for with what belongs to it.
const { get: _, ...ways } = issueKind.ways;

/** Issues of all teams, by their UUIDs: one that is moved is the same issue. */
const issues: Resource<HeldIssue, LinearClient> = resource<HeldIssue, LinearClient>('issues', {
  ...issue,
  ...ways,
  about: 'an issue',
  directory: 'issues that are not archived',
  removeHint: 'close it with a state of type completed or canceled, or write `archived: true`',
  path: `${ISSUES}/:issue.md`,
  document: true,
  heldAt: '',
  within: ({ team }) => ({ team: team.key }),
  schema: heldIssueSchema,
  values: valuesOf,
  formerNames: ({ previousIdentifiers }) => previousIdentifiers,
  moved: ({ identifier }) => `it was moved to another team and is ${identifier} there`,
  gone: ({ trashed }) => trashed === true,
  listed: isLive,
  parts: [related, attached],
  told: (one, place) => withParts(one, place, (id) => place.held(issues, id)?.identifier ?? null),
  with: [labels],
  offers: names.offers,
  allowed: (place) => names.allowed(place),
  check: checkIssue,
  normal: (values, place) =>
    relations.normal(
      names.spelled(values, placeAfter(place, values)),
      place.find(issues)?.ends ?? [],
    ),
  create: async (values, at, key) => {
    await at.ensure(labels);
    return issueKind.create({ id: key, teamId: at.record(teams).id, ...inputOf(at, values) });
  },
  update: updated,
  brings: (answer) => ({ related: relationKind.brought(answer) }),
  table: {
    about: 'one line each: identifier, state, title, labels, assignee, priority, updated',
    columns: [
      'identifier',
      'state',
      'title',
      'labels',
      'assignee',
      'priority',
      ['updated', 'updated_at'],
    ],
    order: descending(({ number }) => number),
    where: isLive,
  },
});

const comments = resource('comments', {
  ...comment,
  ...commentKind.ways,
  about: 'a comment',
  directory: 'its comments',
  path: `${ISSUES}/:issue/comments/:id.md`,
  document: true,
  owner: { of: issues, key: ({ issue: of }) => of?.id ?? null },
  gone: isPutAway,
  create: ({ body }, at: At, key) =>
    commentKind.create({ id: key, issueId: uuidOf(at, at.params['issue'] ?? ''), body }),
  update: ({ id }, { body }) => commentKind.update(id, { body }),
  remove: ({ id }) => commentKind.remove(id),
});

const ofIssues = { of: issues, schema: heldIssueSchema, key: issue.key };

const places = resource('issue-places', {
  ...ofIssues,
  listed: isLive,
  about: 'what belongs to it',
  path: `${ISSUES}/:issue`,
  with: [labels],
  uploads: ({ description }, place) => [
    description ?? '',
    ...commentsOf(place).map(({ body }) => body),
  ],
  files: {
    'attachments.tsv': {
      about: 'what is attached to it, pull requests among others: title, source, status, url',
      readOnly: 'what is attached is linked in Linear, or by a pull request that names the issue',
      columns: Object.keys(attachment.type.fields),
      rows: (one) => one.attached.map((row) => Object.values(row)),
    },
    'thread.md': {
      about: 'the issue with its comments, oldest first; read-only',
      readOnly:
        'it is made of the issue and its comments: write those, and comments/new.md to add one',
      hidden: true,
      text: (one, place) =>
        [renderRecord(issue.type, valuesOf(one, place))]
          .concat(commentsOf(place).map(paragraph))
          .join(''),
    },
  },
});

// Links, since an issue leaves it by its state.
const triage = resource('triage', {
  ...ofIssues,
  about: 'a link to an issue',
  directory: 'links to the issues that wait for triage; giving one another state takes it out',
  readOnly: 'it leads to the issue: write that one',
  path: `${TEAM}/triage/:issue.md`,
  linked: true,
  with: [states],
  isThere: (place) => place.find(teams)?.triageEnabled === true,
  where: (one, place) => isLive(one) && place.held(states, one.state.id)?.type === 'triage',
});

export const ISSUE_RESOURCES = [related, attached, issues, places, triage, comments];

// --- questions

const SYNC_ISSUES = graph.collections(
  'SyncIssues',
  {},
  {
    issues: { of: issue.schema, filter: 'issues: IssueFilter!', archived: true },
    comments: { of: comment.schema, filter: 'comments: CommentFilter!', archived: true },
    related: { of: relation.schema, field: 'issueRelations', given: 'orderBy: updatedAt' },
    attached: {
      of: attachment.schema,
      field: 'attachments',
      filter: 'attachments: AttachmentFilter!',
    },
  },
);

/** The issues of a team with their comments, and with them what Linear lists for the whole workspace only. */
const teamIssues = joint({
  id: 'issues',
  path: TEAM,
  of: [issues, comments],
  wide: [related, attached],
  covers: { issues: isLive },
  // Linear does not count a new name of a state, a project or another such thing among the updates of issues.
  basis: (place) => {
    const { assignee: _, ...shown } = names.allowed(place);
    // Every team has states: without them its names are not known yet.
    return place.all(states).length > 0 ? JSON.stringify(shown) : null;
  },
  list: graph.follows(SYNC_ISSUES, ({ team }) => {
    const ofTeam = { team: { key: { eq: team } } };
    return { newestFirst: ['related'], where: { issues: ofTeam, comments: { issue: ofTeam } } };
  }),
});

const LOOK_UP_ISSUE = graph.collectionsOf('issue', issue.schema, {
  comments: { of: comment.schema },
  relations: { of: relation.schema, size: 50 },
  inverseRelations: { of: relation.schema, size: 50 },
  attachments: { of: attachment.schema, size: 50 },
});

/** One issue by its identifier, with what relates to it, and its comments. */
const oneIssue = joint({
  id: 'issue',
  path: `${ISSUES}/:issue`,
  one: issues,
  of: [related, attached, comments],
  list: async function* ({ client, params: { team, issue: id = '' } }: At, { of }) {
    let isThere = false;
    const wanted = LOOK_UP_ISSUE.names.filter((name) => name !== 'comments' || of.has(name));
    if (teamIn(id) === team)
      for await (const { one, rows } of graph.about(client, LOOK_UP_ISSUE, id, wanted)) {
        const { relations = [], inverseRelations = [], attachments = [], comments = [] } = rows;
        isThere = true;
        yield {
          of: {
            issues: [one],
            related: [...relations, ...inverseRelations],
            attached: attachments,
            ...(of.has('comments') && { comments }),
          },
        };
      }
    if (!isThere) yield { of: {} };
  },
});

export const ISSUE_QUESTIONS = [teamIssues, oneIssue];

// --- what is shown of them

function valuesOf(one: HeldIssue, place: Place): Values {
  return {
    ...issue.values(one),
    ...relations.values(one.ends),
    labels: namesAt(place.at({ team: one.team.key }), labels, one.labelIds),
    pull_requests: one.pulls.length > 0 ? one.pulls : undefined,
  };
}

/** The comments of an issue, oldest first. */
function commentsOf(place: Place): ApiComment[] {
  return place.all(comments).sort(ascending(({ createdAt }) => createdAt));
}

function paragraph({ id, user, createdAt, body }: ApiComment): string {
  const who = user?.displayName ?? 'somebody';
  return `\n## ${who}, ${createdAt} (comments/${id}.md)\n\n${body}\n`;
}

// --- how they are written

/** The UUID of an issue wherever it is, if it is held. */
function uuidOf(place: Place, identifier: string): string {
  const held = place.at({ team: teamIn(identifier), issue: identifier }).find(issues);
  return held?.id ?? identifier;
}

/** The place of an issue once these values are written: names are those of that team. */
function placeAfter<P extends Place>(place: P, { team }: Values): P {
  return typeof team === 'string' ? (place.at({ ...place.params, team }) as P) : place;
}

/** Changes an issue: fields by one mutation, archiving by another, relations by one each, all in one request. */
function updated(one: HeldIssue, delta: Values, at: At): ServiceRequest {
  const { id } = one;
  const { archived, ...fields } = delta;
  const place = placeAfter(at, delta);
  const input: Values = {
    ...inputOf(place, fields),
    ...(delta['team'] === undefined ? {} : { teamId: place.record(teams).id }),
  };
  // What is archived cannot be changed: it is brought back before, and put away after.
  return graph.changes('UpdateIssue', [
    ...(archived === false ? [issueKind.step('Unarchive', { id }, 'entity')] : []),
    ...(Object.keys(input).length > 0 ? [issueKind.step('Update', { id, input })] : []),
    ...relationSteps(one, delta, (other) => uuidOf(at, other)),
    ...(archived === true ? [issueKind.step('Archive', { id }, 'entity')] : []),
  ]);
}

/** Names must be known, and other issues must be there: each is asked for once, and only when it is named. */
async function checkIssue(values: Values, one: HeldIssue | null, at: At): Promise<Problem[]> {
  const { team, parent } = values;
  const refused = typeof team === 'string' ? await refusedTeam(team, at) : null;
  if (refused !== null) return [{ field: 'team', message: refused }];
  const after = placeAfter(at, values);
  if (team !== undefined) await after.ensure(labels);
  const problems = await names.check(values, after);
  const named = relations.named(values);
  if (typeof parent === 'string') named.push({ field: 'parent', identifier: parent });
  for (const { field, identifier } of named) {
    const message = await refusedOther(field, identifier, one, at);
    if (message !== null) problems.push({ field, message });
  }
  return problems;
}

/** Why another issue cannot be named; null where it can. */
async function refusedOther(
  field: string,
  identifier: string,
  one: HeldIssue | null,
  at: At,
): Promise<string | null> {
  if (identifier === one?.identifier)
    return `an issue cannot be ${field === 'parent' ? 'part of' : 'related to'} itself`;
  const other = at.at({ team: teamIn(identifier), issue: identifier });
  if (other.find(issues) === null) await other.look(issues);
  if (other.find(issues) !== null) return null;
  const elsewhere = other.elsewhere(issues);
  return elsewhere === null
    ? `there is no issue ${identifier} on Linear`
    : `${identifier} is none any more: ${elsewhere}`;
}
