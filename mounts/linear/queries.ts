/**
 * What is asked of Linear. Each collection that a team has is a field of the root, 250 records a
 * page, several of them in one request: a connection inside another multiplies its cost, and a
 * query may cost 10,000 points (these cost some 4,000 at most).
 */

export const ISSUE_FIELDS = `
  id identifier number title description priority estimate dueDate url labelIds
  createdAt updatedAt archivedAt completedAt canceledAt trashed
  state { id name } assignee { id displayName } creator { displayName }
  project { id name } cycle { id number name } parent { identifier } team { id key } previousIdentifiers
`;
const ISSUE = `fragment issue on Issue { ${ISSUE_FIELDS} }`;

export const COMMENT_FIELDS = `
  id body url createdAt updatedAt archivedAt
  issue { id identifier } user { displayName } parent { id }
`;
const COMMENT = `fragment comment on Comment { ${COMMENT_FIELDS} }`;

const RELATION = `fragment relation on IssueRelation {
  id type updatedAt archivedAt issue { id identifier } relatedIssue { id identifier }
}`;

const ATTACHMENT = `fragment attachment on Attachment {
  id title subtitle url sourceType metadata createdAt updatedAt archivedAt issue { id identifier }
}`;

const TEAM = `fragment team on Team {
  id key name description timezone issueEstimationType cyclesEnabled triageEnabled visibility
  createdAt updatedAt
}`;

/** Behind the nodes of every page. */
export const PAGE = 'pageInfo { hasNextPage endCursor }';

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

/** Names of collections: each has `$NAMEAfter` and `$withNAME` in its query. */
export const OF_ISSUES = ['issues', 'comments', 'relations', 'attachments'] as const;

/** Of an update of a project. */
export const UPDATE_FIELDS =
  'id body health url createdAt updatedAt archivedAt user { displayName } project { id slugId }';

/**
 * Issues and comments of a team that were updated after `$since`, or all of them; and with them
 * relations and attachments, which Linear lists for the whole workspace only, those that were
 * updated last first.
 */
export const SYNC_ISSUES = `query SyncIssues(
  $issues: IssueFilter!, $comments: CommentFilter!, $attachments: AttachmentFilter!,
  $archived: Boolean!,
  $issuesAfter: String, $withissues: Boolean!, $commentsAfter: String, $withcomments: Boolean!,
  $relationsAfter: String, $withrelations: Boolean!,
  $attachmentsAfter: String, $withattachments: Boolean!
) {
  issues(first: 250, after: $issuesAfter, filter: $issues, includeArchived: $archived)
    @include(if: $withissues) { nodes { ...issue } ${PAGE} }
  comments(first: 250, after: $commentsAfter, filter: $comments, includeArchived: $archived)
    @include(if: $withcomments) { nodes { ...comment } ${PAGE} }
  relations: issueRelations(first: 250, after: $relationsAfter, orderBy: updatedAt)
    @include(if: $withrelations) { nodes { ...relation } ${PAGE} }
  attachments(first: 250, after: $attachmentsAfter, filter: $attachments)
    @include(if: $withattachments) { nodes { ...attachment } ${PAGE} }
}
${ISSUE}
${COMMENT}
${RELATION}
${ATTACHMENT}`;

/**
 * A team and what its issues may be given: states, labels, projects, cycles; and of its projects the
 * updates that were changed lately, or all of them.
 */
export const SYNC_TEAM = `query SyncTeam(
  $key: String!,
  $teamAfter: String, $withteam: Boolean!, $statesAfter: String, $withstates: Boolean!,
  $labelsAfter: String, $withlabels: Boolean!, $projectsAfter: String, $withprojects: Boolean!,
  $cyclesAfter: String, $withcycles: Boolean!,
  $updates: ProjectUpdateFilter!, $updatesAfter: String, $withupdates: Boolean!
) {
  team: teams(first: 1, after: $teamAfter, filter: { key: { eq: $key } })
    @include(if: $withteam) { nodes { ...team } ${PAGE} }
  states: workflowStates(first: 250, after: $statesAfter, filter: { team: { key: { eq: $key } } })
    @include(if: $withstates) { nodes { id name type position description updatedAt } ${PAGE} }
  labels: issueLabels(first: 250, after: $labelsAfter,
    filter: { or: [{ team: { key: { eq: $key } } }, { team: { null: true } }] })
    @include(if: $withlabels) {
      nodes { id name color description isGroup updatedAt parent { name } team { key } } ${PAGE}
    }
  projects(first: 250, after: $projectsAfter,
    filter: { accessibleTeams: { some: { key: { eq: $key } } } })
    @include(if: $withprojects) {
      nodes {
        id slugId name description content priority progress startDate targetDate url health
        createdAt updatedAt lead { displayName } status { name type }
      } ${PAGE}
    }
  cycles(first: 250, after: $cyclesAfter, filter: { team: { key: { eq: $key } } })
    @include(if: $withcycles) {
      nodes {
        id number name description startsAt endsAt completedAt progress createdAt updatedAt
      } ${PAGE}
    }
  updates: projectUpdates(first: 250, after: $updatesAfter, filter: $updates)
    @include(if: $withupdates) { nodes { ${UPDATE_FIELDS} } ${PAGE} }
}
${TEAM}`;

export const SYNC_TEAMS = `query SyncTeams($teamsAfter: String, $withteams: Boolean!) {
  teams(first: 250, after: $teamsAfter) @include(if: $withteams) {
    nodes { ...team } ${PAGE}
  }
}
${TEAM}`;

export const SYNC_USERS = `query SyncUsers($usersAfter: String, $withusers: Boolean!) {
  users(first: 250, after: $usersAfter) @include(if: $withusers) {
    nodes { id displayName name email active createdAt updatedAt } ${PAGE}
  }
}`;

/** One issue, by its UUID or its identifier, with what relates to it and a page of its comments. */
export const LOOK_UP_ISSUE = `query LookUpIssue(
  $id: String!, $after: String, $comments: Boolean!, $related: Boolean!
) {
  issue(id: $id) {
    ...issue
    comments(first: 250, after: $after) @include(if: $comments) { nodes { ...comment } ${PAGE} }
    relations(first: 50) @include(if: $related) { nodes { ...relation } ${PAGE} }
    inverseRelations(first: 50) @include(if: $related) { nodes { ...relation } ${PAGE} }
    attachments(first: 50) @include(if: $related) { nodes { ...attachment } ${PAGE} }
  }
}
${ISSUE}
${COMMENT}
${RELATION}
${ATTACHMENT}`;

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
  const needed = [...(steps.length > 0 ? [ISSUE] : []), ...(made > 0 ? [RELATION] : [])];
  // A variable that is not used is refused.
  const declared = steps.length > 0 ? variables : variables.slice(1);
  return [
    `mutation UpdateIssue(${declared.join(', ')}) {`,
    ...fields.map((field) => `  ${field}`),
    '}',
    ...needed,
  ].join('\n');
}
