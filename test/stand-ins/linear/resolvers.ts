/** How each field of the schema is answered from the tables. A field that is not known here is an error. */
import { GraphQLError, type GraphQLFieldResolver } from 'graphql';
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

/** The page of a table's rows that an argument list asks for. */
function page<Name extends TableName>(
  { store, listed }: Context,
  table: Name,
  args: Arguments,
  where: (row: Row<Name>) => boolean = () => true,
) {
  const rows = [...listed[table].values()].filter(
    (row) => where(row) && matches(store, listed, table, row, (args['filter'] ?? {}) as Arguments),
  );
  return connection(rows, args as PageArguments);
}

const one =
  <Name extends TableName>(table: Name, entity: string): Resolver =>
  (_source, args, { store }) => {
    const id = String(args['id']);
    const found = table === 'issues' ? store.issue(store.now, id) : store.now[table].get(id);
    if (found === undefined) throw notFound(entity);
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

const PRIORITIES = ['No priority', 'Urgent', 'High', 'Medium', 'Low'];
const team = reference('teamId', 'teams');

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
  },
  Mutation: MUTATIONS,
  Team: {
    displayName: (source: Row<'teams'>) => source.name,
    states: (source: Row<'teams'>, args, context) =>
      page(context, 'states', args, (row) => row.teamId === source.id),
    labels: (source: Row<'teams'>, args, context) =>
      page(context, 'labels', args, (row) => row.teamId === source.id),
    issues: (source: Row<'teams'>, args, context) =>
      page(context, 'issues', args, (row) => row.teamId === source.id),
  },
  User: {
    isMe: (source: Row<'users'>, _args, { userId }) => source.id === userId,
    url: (source: Row<'users'>, _args, { store }) =>
      `https://linear.app/${store.workspace}/profiles/${source.displayName}`,
  },
  WorkflowState: { team },
  IssueLabel: { team, parent: reference('parentId', 'labels') },
  Cycle: { team },
  Project: {
    lead: reference('leadId', 'users'),
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
  },
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
  const own = RESOLVERS[info.parentType.name]?.[info.fieldName];
  if (own !== undefined) return own(source as never, args, context);
  const value = (source as Readonly<Record<string, unknown>> | undefined)?.[info.fieldName];
  if (value === undefined) {
    throw new GraphQLError(
      `the stand-in does not answer ${info.parentType.name}.${info.fieldName}`,
    );
  }
  return value;
};
