/**
 * What is asked of Linear. Each collection that a team has is a field of the root, 250 records a
 * page, several of them in one request: a connection inside another multiplies its cost, and a
 * query may cost 10,000 points (these cost some 4,000 at most).
 */
import { selectionOf } from '../../src/mount/index.ts';
import { graph } from './graph.ts';
import {
  attachmentSchema,
  comment,
  cycle,
  issue,
  label,
  project,
  state,
  teamSchema,
  update,
  user,
} from './records.ts';
import { relationSchema } from './relations.ts';

const ISSUE = selectionOf(issue.schema);
const COMMENT = selectionOf(comment.schema);
const RELATION = selectionOf(relationSchema);
const ATTACHMENT = selectionOf(attachmentSchema);

/** Whose the key is: a person may be in several organizations, with a key for each. */
export const ACCOUNT = 'query Account { viewer { id organization { id } } }';

const newest = (field: string) =>
  `  ${field}(first: 1, orderBy: updatedAt, includeArchived: true) { nodes { id updatedAt } }`;

/** What changed last, of all teams: a page of one record costs some points. */
export const NEWEST = `query Newest {
${['issues', 'comments', 'issueRelations', 'attachments'].map(newest).join('\n')}
${['projectUpdates', 'documents', 'initiatives', 'notifications'].map(newest).join('\n')}
}`;

/** Who the key belongs to; and with `$key`, whether there is such a team. */
export const PROBE = `query Probe($key: String) {
  viewer { displayName }
  teams(first: 1, filter: { key: { eq: $key } }) { nodes { id } }
}`;

/**
 * Issues and comments of a team that were updated lately, or all of them; and with them relations and
 * attachments, which Linear lists for the whole workspace only, those that were updated last first.
 */
export const SYNC_ISSUES = graph.collections(
  'SyncIssues',
  {
    issues: 'IssueFilter!',
    comments: 'CommentFilter!',
    attachments: 'AttachmentFilter!',
    archived: 'Boolean!',
  },
  {
    issues: { of: issue.schema, given: 'filter: $issues, includeArchived: $archived' },
    comments: { of: comment.schema, given: 'filter: $comments, includeArchived: $archived' },
    related: { of: relationSchema, field: 'issueRelations', given: 'orderBy: updatedAt' },
    attached: { of: attachmentSchema, field: 'attachments', given: 'filter: $attachments' },
  },
);

const ofTeam = 'filter: { team: { key: { eq: $key } } }';

/**
 * A team and what its issues may be given: states, labels, projects, cycles; and of its projects the
 * updates that were changed lately, or all of them.
 */
export const SYNC_TEAM = graph.collections(
  'SyncTeam',
  { key: 'String!', updates: 'ProjectUpdateFilter!' },
  {
    team: { of: teamSchema, field: 'teams', size: 1, given: 'filter: { key: { eq: $key } }' },
    states: { of: state.schema, field: 'workflowStates', given: ofTeam },
    labels: {
      of: label.schema,
      field: 'issueLabels',
      given: 'filter: { or: [{ team: { key: { eq: $key } } }, { team: { null: true } }] }',
    },
    projects: {
      of: project.schema,
      given: 'filter: { accessibleTeams: { some: { key: { eq: $key } } } }',
    },
    cycles: { of: cycle.schema, given: ofTeam },
    updates: { of: update.schema, field: 'projectUpdates', given: 'filter: $updates' },
  },
);

export const SYNC_TEAMS = graph.collections('SyncTeams', {}, { teams: { of: teamSchema } });
export const SYNC_USERS = graph.collections('SyncUsers', {}, { users: { of: user.schema } });

const page = (fields: string): string => `nodes { ${fields} } pageInfo { hasNextPage endCursor }`;

/** One issue, by its UUID or its identifier, with what relates to it and a page of its comments. */
export const LOOK_UP_ISSUE = `query LookUpIssue(
  $id: String!, $after: String, $comments: Boolean!, $related: Boolean!
) {
  issue(id: $id) {
    ${ISSUE}
    comments(first: 250, after: $after) @include(if: $comments) { ${page(COMMENT)} }
    relations(first: 50) @include(if: $related) { ${page(RELATION)} }
    inverseRelations(first: 50) @include(if: $related) { ${page(RELATION)} }
    attachments(first: 50) @include(if: $related) { ${page(ATTACHMENT)} }
  }
}`;

/** The fields of an update's root, in the order in which Linear carries them out. */
export const UPDATE = {
  unarchive: 'unarchive: issueUnarchive(id: $id) { success issue: entity { ...issue } }',
  update: 'update: issueUpdate(id: $id, input: $input) { success issue { ...issue } }',
  archive: 'archive: issueArchive(id: $id) { success issue: entity { ...issue } }',
} as const;

/** How many fields of the root change relations. */
interface RelationCount {
  made: number;
  gone: number;
}

/**
 * Changes an issue: some of {@link UPDATE} in one request, and relations with them, from
 * `$relate0` and `$unrelate0` on.
 */
export function updateIssue(
  steps: readonly (keyof typeof UPDATE)[],
  { made, gone }: RelationCount,
): string {
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
  const variables = [
    '$id: String!',
    ...(steps.includes('update') ? ['$input: IssueUpdateInput!'] : []),
    ...numbers(gone).map((n) => `$unrelate${n}: String!`),
    ...numbers(made).map((n) => `$relate${n}: IssueRelationCreateInput!`),
  ];
  const relations = [
    ...numbers(gone).map(
      (n) => `unrelate${n}: issueRelationDelete(id: $unrelate${n}) { success entityId }`,
    ),
    ...numbers(made).map(
      (n) => `relate${n}: issueRelationCreate(input: $relate${n}) {
    success issueRelation { ...relation }
  }`,
    ),
  ];
  const last = steps.indexOf('archive') < 0 ? steps.length : steps.indexOf('archive');
  const ways = steps.map((step) => UPDATE[step]);
  const fields = [...ways.slice(0, last), ...relations, ...ways.slice(last)];
  const needed = [
    ...(steps.length > 0 ? [`fragment issue on Issue { ${ISSUE} }`] : []),
    ...(made > 0 ? [`fragment relation on IssueRelation { ${RELATION} }`] : []),
  ];
  // A variable that is not used is refused.
  const declared = steps.length > 0 ? variables : variables.slice(1);
  return [
    `mutation UpdateIssue(${declared.join(', ')}) {`,
    ...fields.map((field) => `  ${field}`),
    '}',
    ...needed,
  ].join('\n');
}
