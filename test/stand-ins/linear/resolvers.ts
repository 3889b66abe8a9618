/** How each field of the schema is answered from the tables. A field that is not known here is an error. */
import { GraphQLError, type GraphQLFieldResolver, type GraphQLTypeResolver } from 'graphql';
import { connection, type PageArguments } from './connections.ts';
import { notFound } from './errors.ts';
import { matches } from './filters.ts';
import type { Row, TableName } from './model.ts';
import { MUTATIONS } from './mutations.ts';
import type { Store, View } from './store.ts';

/** What every resolver is handed. */
export interface Context {
  store: Store;
  /** Who asks. */
  userId: string;
  /** The tables as listings see them: they may lag behind. */
  listed: View;
}

type Arguments = Readonly<Record<string, unknown>>;
type Resolver = (source: never, args: Arguments, context: Context) => unknown;

/** Does somebody see a row? What belongs to a private team is seen by its members alone. */
function isSeen(store: Store, userId: string, row: Row): boolean {
  if ('issueId' in row) {
    const issue = store.now.issues.get(row.issueId ?? '');
    return issue === undefined || isSeen(store, userId, issue);
  }
  const team = 'teamId' in row ? store.now.teams.get(row.teamId ?? '') : row;
  if (team === undefined || !('memberIds' in team) || team.visibility !== 'private') return true;
  return team.memberIds?.includes(userId) ?? true;
}

/** The page of a table's rows that an argument list asks for. */
function page<Name extends TableName>(
  { store, listed: view, userId }: Context,
  table: Name,
  args: Arguments,
  where: (row: Row<Name>) => boolean = () => true,
) {
  const filter = (args['filter'] ?? {}) as Arguments;
  const rows = [...view[table].values()].filter(
    (row) =>
      isSeen(store, userId, row) &&
      where(row) &&
      matches({ store, view, userId }, table, row, filter),
  );
  return connection(rows, args as PageArguments);
}

const one =
  <Name extends TableName>(table: Name, entity: string): Resolver =>
  (_source, args, { store, userId }) => {
    const id = String(args['id']);
    const found = table === 'issues' ? store.issue(store.now, id) : store.now[table].get(id);
    if (found === undefined || !isSeen(store, userId, found)) throw notFound(entity);
    return found;
  };

const list =
  <Name extends TableName>(table: Name): Resolver =>
  (_source, args, context) =>
    page(context, table, args);

/** A field with the id of another record. */
const reference =
  (field: string, table: TableName): Resolver =>
  (source: Readonly<Record<string, unknown>>, _args, { store }) =>
    store.now[table].get(String(source[field])) ?? null;

/** As listings see them, searches do. Linear ranks what it finds; here it is in the order of a listing. */
const search =
  <Name extends 'documents' | 'projects'>(table: Name): Resolver =>
  (_source, args, context) => {
    const term = String(args['term']).toLowerCase();
    const found = page(context, table, { ...args, filter: {} }, (row) =>
      JSON.stringify([row.content, 'title' in row ? row.title : row.name])
        .toLowerCase()
        .includes(term),
    );
    return { ...found, totalCount: found.total };
  };

const searchIssues: Resolver = (_source, args, context) => {
  const term = String(args['term']).toLowerCase();
  const has = (text: string | null) => (text ?? '').toLowerCase().includes(term);
  const { comments } = context.listed;
  const found = page(context, 'issues', args, (issue) => {
    if (issue.trashed === true) return false;
    if (has(issue.title) || has(issue.description)) return true;
    if (args['includeComments'] !== true) return false;
    return [...comments.values()].some((one) => one.issueId === issue.id && has(one.body));
  });
  return { ...found, totalCount: found.total };
};

const PRIORITIES = ['No priority', 'Urgent', 'High', 'Medium', 'Low'];
const team = reference('teamId', 'teams');

const NOTIFICATION: Readonly<Record<string, Resolver>> = {
  issue: reference('issueId', 'issues'),
  comment: reference('commentId', 'comments'),
  project: reference('projectId', 'projects'),
  document: reference('documentId', 'documents'),
  initiative: reference('initiativeId', 'initiatives'),
  user: reference('userId', 'users'),
  actor: reference('actorId', 'users'),
  url: ({ id }: Row<'notifications'>, _args, { store }) =>
    `https://linear.app/${store.workspace}/inbox/${id}`,
  inboxUrl: ({ id }: Row<'notifications'>, _args, { store }) =>
    `https://linear.app/${store.workspace}/inbox/${id}`,
};

/** Which of its kinds a record of an interface is, for `execute` of graphql-js. */
export const typeResolver: GraphQLTypeResolver<unknown, Context> = (value) => {
  const of = value as Partial<Row<'notifications'>>;
  if (of.projectId) return 'ProjectNotification';
  if (of.documentId) return 'DocumentNotification';
  return of.initiativeId ? 'InitiativeNotification' : 'IssueNotification';
};

const RESOLVERS: Readonly<Record<string, Readonly<Record<string, Resolver>>>> = {
  Query: {
    viewer: (_source, _args, { store, userId }) => store.now.users.get(userId),
    users: (_source, args, context) =>
      page(context, 'users', args, (user) => args['includeDisabled'] === true || user.active),
    user: one('users', 'User'),
    teams: list('teams'),
    team: one('teams', 'Team'),
    workflowStates: list('states'),
    workflowState: one('states', 'WorkflowState'),
    issueLabels: list('labels'),
    issueLabel: one('labels', 'IssueLabel'),
    projects: list('projects'),
    project: one('projects', 'Project'),
    cycles: list('cycles'),
    cycle: one('cycles', 'Cycle'),
    issues: list('issues'),
    issue: one('issues', 'Issue'),
    comments: list('comments'),
    comment: one('comments', 'Comment'),
    issueRelations: list('relations'),
    issueRelation: one('relations', 'IssueRelation'),
    attachments: list('attachments'),
    attachment: one('attachments', 'Attachment'),
    documents: (_source, args, context) =>
      page(context, 'documents', args, ({ trashed }) => trashed !== true),
    document: one('documents', 'Document'),
    initiatives: (_source, args, context) =>
      page(context, 'initiatives', args, ({ trashed }) => trashed !== true),
    initiative: one('initiatives', 'Initiative'),
    projectUpdates: list('updates'),
    projectUpdate: one('updates', 'ProjectUpdate'),
    notifications: (_source, args, context) =>
      page(context, 'notifications', args, ({ userId }) => userId === context.userId),
    notification: one('notifications', 'Notification'),
    searchIssues,
    searchDocuments: search('documents'),
    searchProjects: search('projects'),
  },
  Mutation: MUTATIONS,
  Team: {
    private: ({ visibility }: Row<'teams'>) => visibility === 'private',
    displayName: (source: Row<'teams'>) => source.name,
    states: (source: Row<'teams'>, args, context) =>
      page(context, 'states', args, (row) => row.teamId === source.id),
    labels: (source: Row<'teams'>, args, context) =>
      page(context, 'labels', args, (row) => row.teamId === source.id),
    issues: (source: Row<'teams'>, args, context) =>
      page(context, 'issues', args, (row) => row.teamId === source.id),
  },
  User: {
    // A key is of one workspace: linear.app/docs/workspaces ("each workspace is separate").
    organization: (_source, _args, { store }) => ({ id: store.workspace, urlKey: store.workspace }),
    isMe: (source: Row<'users'>, _args, { userId }) => source.id === userId,
    url: (source: Row<'users'>, _args, { store }) =>
      `https://linear.app/${store.workspace}/profiles/${source.displayName}`,
  },
  WorkflowState: { team },
  IssueLabel: { team, parent: reference('parentId', 'labels') },
  Cycle: { team },
  Project: {
    lead: reference('leadId', 'users'),
    status: ({ id, state, statusName, createdAt, updatedAt }: Row<'projects'>) => ({
      id: `status of ${id}`,
      name: statusName ?? `${state.slice(0, 1).toUpperCase()}${state.slice(1)}`,
      type: state,
      createdAt,
      updatedAt,
    }),
    url: (source: Row<'projects'>, _args, { store }) =>
      `https://linear.app/${store.workspace}/project/${source.slugId}`,
    priorityLabel: (source: Row<'projects'>) => PRIORITIES[source.priority],
    teams: (source: Row<'projects'>, args, context) =>
      page(context, 'teams', args, (row) => source.teamIds.includes(row.id)),
  },
  Issue: {
    team,
    identifier: (source: Row<'issues'>, _args, { store }) => store.identifier(store.now, source),
    url: (source: Row<'issues'>, _args, { store }) =>
      `https://linear.app/${store.workspace}/issue/${store.identifier(store.now, source)}`,
    priorityLabel: (source: Row<'issues'>) => PRIORITIES[source.priority],
    state: reference('stateId', 'states'),
    assignee: reference('assigneeId', 'users'),
    creator: reference('creatorId', 'users'),
    project: reference('projectId', 'projects'),
    cycle: reference('cycleId', 'cycles'),
    parent: reference('parentId', 'issues'),
    labels: (source: Row<'issues'>, args, context) =>
      page(context, 'labels', args, (row) => source.labelIds.includes(row.id)),
    comments: (source: Row<'issues'>, args, context) =>
      page(context, 'comments', args, (row) => row.issueId === source.id),
    children: (source: Row<'issues'>, args, context) =>
      page(context, 'issues', args, (row) => row.parentId === source.id),
    relations: (source: Row<'issues'>, args, context) =>
      page(context, 'relations', args, (row) => row.issueId === source.id),
    inverseRelations: (source: Row<'issues'>, args, context) =>
      page(context, 'relations', args, (row) => row.relatedIssueId === source.id),
    attachments: (source: Row<'issues'>, args, context) =>
      page(context, 'attachments', args, (row) => row.issueId === source.id),
  },
  IssueRelation: {
    issue: reference('issueId', 'issues'),
    relatedIssue: reference('relatedIssueId', 'issues'),
  },
  Attachment: { issue: reference('issueId', 'issues'), creator: reference('creatorId', 'users') },
  Document: {
    team,
    project: reference('projectId', 'projects'),
    initiative: reference('initiativeId', 'initiatives'),
    issue: reference('issueId', 'issues'),
    creator: reference('creatorId', 'users'),
    updatedBy: reference('updatedById', 'users'),
    url: (source: Row<'documents'>, _args, { store }) =>
      `https://linear.app/${store.workspace}/document/${source.slugId}`,
  },
  Initiative: {
    owner: reference('ownerId', 'users'),
    url: (source: Row<'initiatives'>, _args, { store }) =>
      `https://linear.app/${store.workspace}/initiative/${source.slugId}`,
  },
  ProjectUpdate: {
    project: reference('projectId', 'projects'),
    user: reference('userId', 'users'),
    url: (source: Row<'updates'>, _args, { store }) =>
      `https://linear.app/${store.workspace}/updates#${source.id.slice(0, 8)}`,
  },
  ...Object.fromEntries(
    ['Issue', 'Project', 'Document', 'Initiative'].map((of) => [`${of}Notification`, NOTIFICATION]),
  ),
  Comment: {
    issue: reference('issueId', 'issues'),
    user: reference('userId', 'users'),
    parent: reference('parentId', 'comments'),
    url: (source: Row<'comments'>, _args, { store }) => {
      const issue = store.now.issues.get(source.issueId);
      const where = issue === undefined ? '' : store.identifier(store.now, issue);
      return `https://linear.app/${store.workspace}/issue/${where}#comment-${source.id.slice(0, 8)}`;
    },
  },
};

/** For `execute` of graphql-js. */
export const fieldResolver: GraphQLFieldResolver<unknown, Context> = (
  source,
  args,
  context,
  info,
) => {
  // What a search found has the fields of the record.
  const type = info.parentType.name.replace(/SearchResult$/, '');
  const own = RESOLVERS[type]?.[info.fieldName];
  if (own !== undefined) return own(source as never, args, context);
  const value = (source as Readonly<Record<string, unknown>> | undefined)?.[info.fieldName];
  if (value === undefined) {
    throw new GraphQLError(
      `the stand-in does not answer ${info.parentType.name}.${info.fieldName}`,
    );
  }
  return value;
};
