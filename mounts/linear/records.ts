/** Linear's records as tables: what each field is in the file, and where it is in Linear's answers. */
import { z } from 'zod';
import {
  at,
  coded,
  count,
  day,
  field,
  flagSince,
  ifAny,
  line,
  list,
  moment,
  named,
  prose,
  record,
  shown,
  times,
} from '../../src/mount/index.ts';
import { IDENTIFIER, relations } from './relations.ts';

const text = z.string();
const number = z.number();

/** As the schema's `priority` has them, by what files say. */
const PRIORITIES = { none: 0, urgent: 1, high: 2, medium: 3, low: 4 };
/** As its `ProjectUpdateHealthType` has them. */
const HEALTH = { 'on track': 'onTrack', 'at risk': 'atRisk', 'off track': 'offTrack' };

/** A label of a group has the group's name before its own. */
export function labelName({ name, parent }: Pick<ApiLabel, 'name' | 'parent'>): string {
  return parent ? `${parent.name}/${name}` : name;
}

/** A cycle by its name, or by its number where it has none. */
export function cycleName({ name, number }: Pick<ApiCycle, 'name' | 'number'>): string {
  return name === null || name === undefined || name === '' ? `Cycle ${number}` : name;
}

export const isIdentifier = (name: string): boolean => IDENTIFIER.test(name);

// --- what several have

const ABOUT_BODY = 'markdown below the fields';
const title = line('one line', { required: true, initial: '' });
/** It may be empty. */
const body = prose(ABOUT_BODY);
const saidBody = prose(ABOUT_BODY, { required: true });
const person = shown('display name');
const stamps = times('createdAt', 'updatedAt');
const url = at('url', shown('address'));
/** Of documents and initiatives, which are shown until they are put away or thrown away. */
const shelved = { 'archivedAt?': text, 'trashed?': z.boolean() };

/** Is it no more, but for who restores it? */
export function isPutAway(one: Partial<Record<'archivedAt' | 'trashed', unknown>>): boolean {
  return (one.archivedAt ?? null) !== null || one.trashed === true;
}

// --- issues

const ABOUT_PARENT = 'must be an issue such as ENG-12, or null';
const parent = field(
  z.string(ABOUT_PARENT).regex(IDENTIFIER, ABOUT_PARENT).nullable(),
  'the issue that this one is part of, such as ENG-12, or null',
  { initial: null },
);

const team = field(
  z.string('must be the key of a team').regex(/^[A-Z][A-Z0-9]{0,15}$/, 'must be the key of a team'),
  'the key of its team; another one moves it there, where it has another identifier',
  { access: 'edit' },
);

export const issue = record(
  'issue',
  {
    identifier: at('identifier', shown('name')),
    title: at('title', title),
    state: at(
      'state.name',
      line(
        'the name of a state of this team (states.tsv); to close, one of type completed or canceled',
        { initial: null },
      ),
    ),
    priority: at('priority', coded(PRIORITIES)),
    labels: list('a list in brackets of labels of this team (labels.tsv)'),
    assignee: at('assignee?.displayName', named('the display name of a user (users.tsv)')),
    project: at('project?.name', named('the name of a project of this team')),
    cycle: at('cycle?', named('the name of a cycle of this team'), {
      given: z.looseObject({ id: text, number, name: text.nullish() }),
      shows: cycleName,
      sent: null,
    }),
    parent: at('parent?.identifier', parent, { sent: 'parentId' }),
    estimate: at('estimate?', count('points')),
    due_date: at('dueDate?', day()),
    team: at('team.key', team),
    ...relations.fields,
    pull_requests: shown('addresses'),
    archived: at(
      'archivedAt?',
      flagSince(
        'true archives the issue: it leaves the listings, and can be read and brought back by its name',
      ),
    ),
    creator: at('creator?.displayName', person),
    ...stamps,
    completed_at: ifAny('completedAt?', shown('time')),
    canceled_at: ifAny('canceledAt?', shown('time')),
    url,
    body: at('description?', body),
  },
  {
    also: {
      number,
      labelIds: z.array(text),
      'state.id': text,
      'assignee?.id': text,
      'project?.id': text,
      'team.id': text,
      'trashed?': z.boolean(),
      /** Identifiers that it had in other teams. */
      previousIdentifiers: z.array(text).default([]),
    },
    name: 'identifier',
  },
);

/** An issue as the replica holds it: with what only other records tell of it. */
export const heldIssueSchema = issue.schema.extend({
  /** Its relations, as it sees them. */
  ends: relations.schema,
  /** What is attached to it, oldest first. */
  attached: z.array(z.record(z.string(), text)).default([]),
  /** Addresses of the pull requests that are attached to it. */
  pulls: z.array(text).default([]),
});
export type HeldIssue = z.infer<typeof heldIssueSchema>;

export const comment = record(
  'comment',
  {
    id: at('id', shown('UUID')),
    author: at('user?.displayName', person),
    reply_to: ifAny('parent?.id', shown('UUID of a comment')),
    ...stamps,
    url,
    body: at('body', saidBody),
  },
  // Of a comment on something else than an issue there is none.
  { also: { 'issue?.id': text, 'issue?.identifier': text, 'archivedAt?': text } },
);
export type ApiComment = z.infer<typeof comment.schema>;

/** What is attached to an issue: the columns of its table. */
export const attachment = record(
  'attachment',
  {
    title: 'title',
    source: at('sourceType?', shown(''), { none: '' }),
    status: at('metadata.status?', shown(''), { none: '' }),
    url: 'url',
    subtitle: at('subtitle?', shown(''), { none: '' }),
    created: 'createdAt',
  },
  {
    updatedAt: 'updatedAt',
    also: {
      // Of a pull request its state, among others: each source has its own.
      metadata: z.unknown().pipe(z.looseObject({ status: text.optional().catch(undefined) })),
      'archivedAt?': text,
      'issue.id': text,
      'issue.identifier': text,
    },
  },
);

// --- teams, and what their issues may be given

/** In the order in which `team.json` has them. */
export const teamSchema = z.looseObject({
  id: text,
  key: text,
  name: text,
  description: text.nullish(),
  timezone: text.nullish(),
  issueEstimationType: text.nullish(),
  cyclesEnabled: z.boolean().nullish(),
  triageEnabled: z.boolean().default(false),
  visibility: text.nullish(),
  createdAt: text.nullish(),
  updatedAt: text,
});
export type ApiTeam = z.infer<typeof teamSchema>;

export const user = record(
  'user',
  { display_name: 'displayName', name: 'name', email: 'email' },
  { key: 'displayName', updatedAt: 'updatedAt', also: { id: text, active: z.boolean() } },
);

export const state = record(
  'state',
  { name: 'name', type: 'type', description: 'description?' },
  { updatedAt: 'updatedAt', also: { position: number } },
);

export const label = record(
  'label',
  { color: 'color', description: 'description?' },
  {
    updatedAt: 'updatedAt',
    also: { name: text, isGroup: z.boolean(), 'parent?.name': text, 'team?.key': text },
  },
);
export type ApiLabel = z.infer<typeof label.schema>;

export const project = record(
  'project',
  {
    id: 'slugId',
    name: 'name',
    summary: 'description',
    // What was kept by an earlier version has no status.
    state: 'status?.type',
    status: ifAny('status?.name'),
    health: ifAny('health?'),
    priority: at('priority', coded(PRIORITIES)),
    progress: at('progress', shown(''), { given: number }),
    lead: 'lead?.displayName',
    start_date: 'startDate?',
    target_date: 'targetDate?',
    ...stamps,
    url,
    body: 'content?',
  },
  { name: 'slugId' },
);

export const update = record(
  'project update',
  {
    health: at('health', coded(HEALTH)),
    author: at('user.displayName', person),
    ...stamps,
    url,
    body: at('body', saidBody),
  },
  { also: { 'archivedAt?': text, 'project.id': text, 'project.slugId': text } },
);

export const cycle = record(
  'cycle',
  {
    number: at('number', shown(''), { given: number }),
    name: shown(''),
    starts_at: 'startsAt',
    ends_at: 'endsAt',
    completed_at: 'completedAt?',
    progress: at('progress', shown(''), { given: number }),
    ...stamps,
    body: 'description?',
  },
  { name: 'number', also: { 'name?': text } },
);
export type ApiCycle = z.infer<typeof cycle.schema>;

// --- documents, initiatives, notifications

const home = (what: string) => named(what, `${what} that it belongs to, or null`);

export const document = record(
  'document',
  {
    title: at('title', title),
    project: at('project?.name', home('the name of a project')),
    initiative: at('initiative?.name', home('the name of an initiative')),
    issue: at('issue?.identifier', home('an issue such as ENG-12')),
    team: at('team?.key', home('the key of a team')),
    creator: at('creator?.displayName', person),
    updated_by: at('updatedBy?.displayName', person),
    ...stamps,
    url,
    body: at('content?', body),
  },
  {
    name: 'slugId',
    also: {
      ...shelved,
      slugId: text,
      'project?.id': text,
      'initiative?.id': text,
      'issue?.id': text,
      'team?.id': text,
    },
  },
);
export type ApiDocument = z.infer<typeof document.schema>;

export const initiative = record(
  'initiative',
  {
    name: 'name',
    summary: at('description?', shown(''), { none: '' }),
    status: 'status',
    health: ifAny('health?'),
    owner: 'owner?.displayName',
    target_date: 'targetDate?',
    ...stamps,
    url,
    body: 'content?',
  },
  { name: 'slugId', also: { ...shelved, slugId: text } },
);

export const notification = record(
  'notification',
  {
    read: at('readAt?', flagSince('true marks it read, false unread')),
    snoozed_until: at(
      'snoozedUntilAt?',
      moment('until which it is out of sight', { access: 'edit' }),
    ),
    title: at('title', shown('one line')),
    subtitle: at('subtitle', shown('one line')),
    type: at('type', shown('name')),
    category: at('category', shown('name')),
    actor: at('actor?.displayName', person),
    issue: ifAny('issue?.identifier', shown('name')),
    comment: ifAny('comment?.id', shown('UUID')),
    project: ifAny('project?.name', shown('name')),
    initiative: ifAny('initiative?.name', shown('name')),
    created_at: at('createdAt', shown('time')),
    read_at: ifAny('readAt?', shown('time')),
    url,
    body: at('comment?.body', shown('the comment, where it is about one')),
  },
  {
    updatedAt: 'updatedAt',
    also: { 'archivedAt?': text, 'project?.slugId': text, 'initiative?.slugId': text },
  },
);
export type ApiNotification = z.infer<typeof notification.schema>;
