/**
 * What is asked of Linear. Each collection that a team has is a field of the root, 250 records a
 * page, several of them in one request: a connection inside another multiplies its cost, and a
 * query may cost 10,000 points (these cost some 4,000 at most).
 */

const ISSUE = `fragment issue on Issue {
  id identifier number title description priority estimate dueDate url labelIds
  createdAt updatedAt archivedAt completedAt canceledAt trashed
  state { id name } assignee { id displayName } creator { displayName }
  project { id name } cycle { id number name } parent { identifier } team { id key }
}`;

const COMMENT = `fragment comment on Comment {
  id body url createdAt updatedAt archivedAt
  issue { id identifier } user { displayName } parent { id }
}`;

const TEAM = `fragment team on Team {
  id key name description timezone issueEstimationType cyclesEnabled private createdAt updatedAt
}`;

const PAGE = 'pageInfo { hasNextPage endCursor }';

/** Who the key belongs to; and with `$key`, whether there is such a team. */
export const PROBE = `query Probe($key: String) {
  viewer { displayName }
  teams(first: 1, filter: { key: { eq: $key } }) { nodes { id } }
}`;

/** Names of collections: each has `$NAMEAfter` and `$withNAME` in its query. */
export const OF_ISSUES = ['issues', 'comments'] as const;
export const OF_TEAM = ['team', 'states', 'labels', 'projects', 'cycles'] as const;

/** Issues and comments of a team that were updated after `$since`, or all of them. */
export const SYNC_ISSUES = `query SyncIssues(
  $issues: IssueFilter!, $comments: CommentFilter!, $archived: Boolean!,
  $issuesAfter: String, $withissues: Boolean!, $commentsAfter: String, $withcomments: Boolean!
) {
  issues(first: 250, after: $issuesAfter, filter: $issues, includeArchived: $archived)
    @include(if: $withissues) { nodes { ...issue } ${PAGE} }
  comments(first: 250, after: $commentsAfter, filter: $comments, includeArchived: $archived)
    @include(if: $withcomments) { nodes { ...comment } ${PAGE} }
}
${ISSUE}
${COMMENT}`;

/** A team and what its issues may be given: states, labels, projects, cycles. */
export const SYNC_TEAM = `query SyncTeam(
  $key: String!,
  $teamAfter: String, $withteam: Boolean!, $statesAfter: String, $withstates: Boolean!,
  $labelsAfter: String, $withlabels: Boolean!, $projectsAfter: String, $withprojects: Boolean!,
  $cyclesAfter: String, $withcycles: Boolean!
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
        id slugId name description content state priority progress startDate targetDate url
        createdAt updatedAt lead { displayName }
      } ${PAGE}
    }
  cycles(first: 250, after: $cyclesAfter, filter: { team: { key: { eq: $key } } })
    @include(if: $withcycles) {
      nodes {
        id number name description startsAt endsAt completedAt progress createdAt updatedAt
      } ${PAGE}
    }
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

/** One issue, by its UUID or its identifier, with a page of its comments. */
export const LOOK_UP_ISSUE = `query LookUpIssue($id: String!, $after: String, $comments: Boolean!) {
  issue(id: $id) {
    ...issue
    comments(first: 250, after: $after) @include(if: $comments) { nodes { ...comment } ${PAGE} }
  }
}
${ISSUE}
${COMMENT}`;

export const LOOK_UP_COMMENT = `query LookUpComment($id: String!) { comment(id: $id) { ...comment } }
${COMMENT}`;

export const CREATE_ISSUE = `mutation CreateIssue($input: IssueCreateInput!) {
  issueCreate(input: $input) { success issue { ...issue } }
}
${ISSUE}`;

export const CREATE_COMMENT = `mutation CreateComment($input: CommentCreateInput!) {
  commentCreate(input: $input) { success comment { ...comment } }
}
${COMMENT}`;

export const UPDATE_COMMENT = `mutation UpdateComment($id: String!, $input: CommentUpdateInput!) {
  commentUpdate(id: $id, input: $input) { success comment { ...comment } }
}
${COMMENT}`;

export const DELETE_COMMENT = `mutation DeleteComment($id: String!) {
  commentDelete(id: $id) { success }
}`;

/** The fields of an update's root, in the order in which Linear carries them out. */
export const UPDATE = {
  unarchive: 'unarchive: issueUnarchive(id: $id) { success issue: entity { ...issue } }',
  update: 'update: issueUpdate(id: $id, input: $input) { success issue { ...issue } }',
  archive: 'archive: issueArchive(id: $id) { success issue: entity { ...issue } }',
} as const;

/** Changes an issue: some of {@link UPDATE} in one request. */
export function updateIssue(steps: readonly (keyof typeof UPDATE)[]): string {
  const input = steps.includes('update') ? ', $input: IssueUpdateInput!' : '';
  const fields = steps.map((step) => `  ${UPDATE[step]}`).join('\n');
  return `mutation UpdateIssue($id: String!${input}) {\n${fields}\n}\n${ISSUE}`;
}
