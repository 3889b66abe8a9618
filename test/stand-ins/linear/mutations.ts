/** The writes that the stand-in takes. What the inputs may hold is the schema's to say; what must exist is checked here. */
import type { GraphQLError } from 'graphql';
import { duplicate, invalid, notFound } from './errors.ts';
import { documentSchema, type Row, type TableName, updateSchema } from './model.ts';
import type { Context } from './resolvers.ts';

type Input = Readonly<Record<string, unknown>>;
type Arguments = Readonly<Record<string, unknown>>;
type Mutation = (source: never, args: Arguments, context: Context) => unknown;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
/** What an input may say of an issue, by the schema's own names. */
const PLAIN = [
  'title',
  'description',
  'priority',
  'estimate',
  'dueDate',
  'stateId',
  'assigneeId',
  'projectId',
  'cycleId',
];

const success = (rest: object) => ({ success: true, lastSyncId: 1, ...rest });

function idOf(input: Input, entity: string, taken: (id: string) => boolean): string {
  const id = input['id'];
  if (id === undefined || id === null) return crypto.randomUUID();
  // IssueCreateInput.id and CommentCreateInput.id: "The identifier in UUID v4 format".
  if (!UUID.test(String(id))) throw invalid('id must be a UUID');
  if (taken(String(id))) throw duplicate(entity, String(id));
  return String(id);
}

/** Whatever an input refers to must be there, and belong to the issue's team. */
function checkReferences({ store }: Context, teamId: string, input: Input): void {
  const { states, users, projects, cycles, labels } = store.now;
  const refer = (name: string, entity: string, ok: (id: string) => boolean): void => {
    const given = input[name];
    for (const id of Array.isArray(given) ? given : [given]) {
      if (id !== undefined && id !== null && !ok(String(id))) throw missing(entity);
    }
  };
  refer('stateId', 'WorkflowState', (id) => states.get(id)?.teamId === teamId);
  refer('assigneeId', 'User', (id) => users.get(id)?.active === true);
  refer('projectId', 'Project', (id) => projects.get(id)?.teamIds.includes(teamId) === true);
  refer('cycleId', 'Cycle', (id) => cycles.get(id)?.teamId === teamId);
  refer('parentId', 'Issue', (id) => store.issue(store.now, id) !== undefined);
  refer('labelIds', 'IssueLabel', (id) => {
    const label = labels.get(id);
    return label !== undefined && (label.teamId ?? teamId) === teamId && !label.isGroup;
  });
  const priority = input['priority'];
  // "0 = No priority, 1 = Urgent, 2 = High, 3 = Medium, 4 = Low": the schema's description.
  if (typeof priority === 'number' && (priority < 0 || priority > 4)) {
    throw invalid('priority must be between 0 and 4');
  }
  if (input['title'] !== undefined && String(input['title'] ?? '').trim() === '') {
    throw invalid('title must not be empty');
  }
}

const missing = (entity: string): GraphQLError => notFound(entity);

/** The fields of an issue that an input gives, with the times that follow from the state. */
function given({ store }: Context, input: Input, at: string): Partial<Row<'issues'>> {
  const fields = Object.fromEntries(
    PLAIN.filter((name) => input[name] !== undefined).map((name) => [name, input[name]]),
  );
  const parent = input['parentId'];
  if (parent !== undefined) {
    fields['parentId'] = parent === null ? null : store.issue(store.now, String(parent))?.id;
  }
  if (input['labelIds'] !== undefined) {
    fields['labelIds'] = [...new Set((input['labelIds'] ?? []) as string[])];
  }
  const type = store.now.states.get(String(input['stateId']))?.type;
  if (type !== undefined) {
    fields['completedAt'] = type === 'completed' ? at : null;
    fields['canceledAt'] = type === 'canceled' ? at : null;
  }
  return fields;
}

function issueOf({ store }: Context, id: unknown): Row<'issues'> {
  const issue = store.issue(store.now, String(id));
  if (issue === undefined) throw notFound('Issue');
  return issue;
}

/** A row of another table, by its id. */
function rowOf<Name extends TableName>(
  { store }: Context,
  table: Name,
  id: unknown,
  entity: string,
): Row<Name> {
  const rows: ReadonlyMap<string, Row<Name>> = store.now[table];
  const found = rows.get(String(id));
  if (found === undefined) throw notFound(entity);
  return found;
}

/** The fields that an input gives, of those that are taken. */
function taken(input: Input, names: readonly string[]): Input {
  return Object.fromEntries(
    names.filter((name) => input[name] !== undefined).map((name) => [name, input[name]]),
  );
}

/** Where a document belongs. */
const HOMES: Readonly<Record<string, [TableName, string]>> = {
  projectId: ['projects', 'Project'],
  initiativeId: ['initiatives', 'Initiative'],
  teamId: ['teams', 'Team'],
};

function documentFields(context: Context, input: Input): Input {
  for (const [name, [table, entity]] of Object.entries(HOMES)) {
    if (input[name]) rowOf(context, table, input[name], entity);
  }
  if (input['title'] !== undefined && String(input['title'] ?? '').trim() === '') {
    throw invalid('title must not be empty');
  }
  const issueId = input['issueId'] ? { issueId: issueOf(context, input['issueId']).id } : {};
  const names = ['title', 'content', 'projectId', 'initiativeId', 'issueId', 'teamId', 'trashed'];
  return { ...taken(input, names), ...issueId };
}

/**
 * An issue that moves to another team has a number, a state and labels of that team, no cycle, and
 * is found by its former identifier, too: `Issue.previousIdentifiers`.
 */
function moved({ store }: Context, issue: Row<'issues'>, teamId: string): Row<'issues'> {
  if (teamId === issue.teamId) return issue;
  const { teams, states, labels, projects, issues } = store.now;
  if (!teams.has(teamId)) throw notFound('Team');
  const theirs = [...states.values()].filter((state) => state.teamId === teamId);
  const before = states.get(issue.stateId);
  const state =
    theirs.find(({ name, type }) => name === before?.name && type === before.type) ??
    theirs.find(({ type }) => type === before?.type) ??
    theirs[0];
  const numbers = [...issues.values()].filter((one) => one.teamId === teamId);
  const identifier = store.identifier(store.now, issue);
  return {
    ...issue,
    teamId,
    number: Math.max(0, ...numbers.map(({ number }) => number)) + 1,
    stateId: state?.id ?? issue.stateId,
    labelIds: issue.labelIds.filter((id) =>
      [null, teamId].includes(labels.get(id)?.teamId ?? null),
    ),
    projectId:
      projects.get(issue.projectId ?? '')?.teamIds.includes(teamId) === true
        ? issue.projectId
        : null,
    cycleId: null,
    previousIdentifiers: [...issue.previousIdentifiers, identifier],
  };
}

function commentOf({ store }: Context, id: unknown): Row<'comments'> {
  const comment = store.now.comments.get(String(id));
  if (comment === undefined) throw notFound('Comment');
  return comment;
}

const archive =
  (change: Partial<Row<'issues'>> | ((at: string) => Partial<Row<'issues'>>)): Mutation =>
  (_source, args, context) => {
    const issue = issueOf(context, args['id']);
    const at = context.store.tick();
    const trash = args['trash'] === true ? { trashed: true } : {};
    const fields = typeof change === 'function' ? change(at) : change;
    const entity = { ...issue, ...fields, ...trash, updatedAt: at };
    context.store.put('issues', entity);
    return success({ entity });
  };

const deleteComment: Mutation = (_source, args, context) => {
  const { id } = commentOf(context, args['id']);
  context.store.remove('comments', id);
  return success({ entityId: id });
};

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  issueCreate: (_source, args, context) => {
    const { store, userId } = context;
    const input = args['input'] as Input;
    const id = idOf(input, 'Issue', (each) => store.now.issues.has(each));
    const teamId = String(input['teamId']);
    if (!store.now.teams.has(teamId)) throw notFound('Team');
    // IssueCreateInput.title is optional in the schema; the service asks for one all the same.
    checkReferences(context, teamId, { ...input, title: input['title'] ?? '' });
    const own = [...store.now.issues.values()].filter((issue) => issue.teamId === teamId);
    const states = [...store.now.states.values()]
      .filter((state) => state.teamId === teamId)
      .sort((a, b) => a.position - b.position);
    const at = store.tick();
    const issue: Row<'issues'> = {
      id,
      createdAt: at,
      updatedAt: at,
      archivedAt: null,
      teamId,
      number: Math.max(0, ...own.map(({ number }) => number)) + 1,
      title: '',
      description: null,
      priority: 0,
      estimate: null,
      stateId: (states.find(({ type }) => type === 'backlog') ?? states[0])?.id ?? '',
      assigneeId: null,
      creatorId: userId,
      projectId: null,
      cycleId: null,
      parentId: null,
      labelIds: [],
      dueDate: null,
      startedAt: null,
      completedAt: null,
      canceledAt: null,
      trashed: null,
      snoozedUntilAt: null,
      subscriberIds: [userId],
      previousIdentifiers: [],
      ...given(context, input, at),
    };
    store.put('issues', issue);
    return success({ issue });
  },
  issueUpdate: (_source, args, context) => {
    const issue = issueOf(context, args['id']);
    const input = args['input'] as Input;
    const teamId = String(input['teamId'] ?? issue.teamId);
    const place = moved(context, issue, teamId);
    checkReferences(context, teamId, input);
    const at = context.store.tick();
    const changed = { ...place, ...given(context, input, at), updatedAt: at };
    context.store.put('issues', changed);
    return success({ issue: changed });
  },
  issueArchive: archive((at) => ({ archivedAt: at })),
  issueUnarchive: archive({ archivedAt: null, trashed: null }),
  issueDelete: archive((at) => ({ archivedAt: at, trashed: true })),
  commentCreate: (_source, args, context) => {
    const { store, userId } = context;
    const input = args['input'] as Input;
    const id = idOf(input, 'Comment', (each) => store.now.comments.has(each));
    const issue = issueOf(context, input['issueId']);
    if (String(input['body'] ?? '').trim() === '') throw invalid('body must not be empty');
    const at = store.tick();
    const comment: Row<'comments'> = {
      id,
      createdAt: at,
      updatedAt: at,
      archivedAt: null,
      issueId: issue.id,
      userId,
      parentId: input['parentId'] === undefined ? null : (input['parentId'] as string | null),
      body: String(input['body']),
      editedAt: null,
      resolvedAt: null,
    };
    store.put('comments', comment);
    return success({ comment });
  },
  commentUpdate: (_source, args, context) => {
    const comment = commentOf(context, args['id']);
    const input = args['input'] as Input;
    const at = context.store.tick();
    const body = input['body'] === undefined ? comment.body : String(input['body']);
    const changed = { ...comment, body, editedAt: at, updatedAt: at };
    context.store.put('comments', changed);
    return success({ comment: changed });
  },
  commentDelete: deleteComment,
  // A relation is no update of its issues: that their times move is said nowhere.
  issueRelationCreate: (_source, args, context) => {
    const { store } = context;
    const input = args['input'] as Input;
    const id = idOf(input, 'IssueRelation', (each) => store.now.relations.has(each));
    const [issue, related] = [
      issueOf(context, input['issueId']),
      issueOf(context, input['relatedIssueId']),
    ];
    if (issue.id === related.id) throw invalid('an issue cannot be related to itself');
    const at = store.tick();
    const issueRelation: Row<'relations'> = {
      id,
      createdAt: at,
      updatedAt: at,
      archivedAt: null,
      issueId: issue.id,
      relatedIssueId: related.id,
      type: String(input['type']),
    };
    store.put('relations', issueRelation);
    return success({ issueRelation });
  },
  issueRelationDelete: (_source, args, context) => {
    const { id } = rowOf(context, 'relations', args['id'], 'IssueRelation');
    context.store.remove('relations', id);
    return success({ entityId: id });
  },
  notificationUpdate: (_source, args, context) => {
    const row = rowOf(context, 'notifications', args['id'], 'Notification');
    if (row.userId !== context.userId) throw notFound('Notification');
    const fields = taken(args['input'] as Input, ['readAt', 'snoozedUntilAt']);
    const notification = { ...row, ...fields, updatedAt: context.store.tick() };
    context.store.put('notifications', notification);
    return success({ notification });
  },
  documentCreate: (_source, args, context) => {
    const { store, userId } = context;
    const input = args['input'] as Input;
    const id = idOf(input, 'Document', (each) => store.now.documents.has(each));
    const fields = documentFields(context, input);
    const homes = ['projectId', 'initiativeId', 'issueId', 'teamId'];
    if (homes.every((name) => !fields[name])) {
      throw invalid('a document must belong to a project, an initiative, an issue or a team');
    }
    const at = store.tick();
    const document = documentSchema.parse({
      id,
      createdAt: at,
      updatedAt: at,
      slugId: id.replaceAll('-', '').slice(0, 12),
      creatorId: userId,
      updatedById: userId,
      ...fields,
    });
    store.put('documents', document);
    return success({ document });
  },
  documentUpdate: (_source, args, context) => {
    const row = rowOf(context, 'documents', args['id'], 'Document');
    const fields = documentFields(context, args['input'] as Input);
    const updatedAt = context.store.tick();
    const document = { ...row, ...fields, updatedById: context.userId, updatedAt };
    context.store.put('documents', document);
    return success({ document });
  },
  projectUpdateCreate: (_source, args, context) => {
    const { store, userId } = context;
    const input = args['input'] as Input;
    const id = idOf(input, 'ProjectUpdate', (each) => store.now.updates.has(each));
    rowOf(context, 'projects', input['projectId'], 'Project');
    const at = store.tick();
    const projectUpdate = updateSchema.parse({
      id,
      createdAt: at,
      updatedAt: at,
      userId,
      projectId: input['projectId'],
      body: input['body'] ?? '',
      ...taken(input, ['health']),
    });
    store.put('updates', projectUpdate);
    return success({ projectUpdate });
  },
  projectUpdateUpdate: (_source, args, context) => {
    const row = rowOf(context, 'updates', args['id'], 'ProjectUpdate');
    const fields = taken(args['input'] as Input, ['body', 'health']);
    const projectUpdate = { ...row, ...fields, updatedAt: context.store.tick() };
    context.store.put('updates', projectUpdate);
    return success({ projectUpdate });
  },
};
