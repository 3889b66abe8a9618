/** Linear's records as files: issues, comments, projects, cycles. */
import { z } from 'zod';
import {
  type FieldSpec,
  line,
  list,
  prose,
  type RecordType,
  shown,
  type Values,
} from '../../src/mount/index.ts';
import { RELATION_FIELDS, relationValues } from './relations.ts';
import type { ApiComment, ApiCycle, ApiProject, ApiUpdate, HeldIssue } from './schemas.ts';

/** Priorities by their number. */
export const PRIORITIES = ['none', 'urgent', 'high', 'medium', 'low'] as const;

/** A label of a group has the group's name before its own. */
export function labelName({
  name,
  parent,
}: {
  name: string;
  parent?: { name: string } | null | undefined;
}) {
  return parent ? `${parent.name}/${name}` : name;
}

/** A cycle by its name, or by its number where it has none. */
export function cycleName({ name, number }: Pick<ApiCycle, 'name' | 'number'>): string {
  return name === null || name === undefined || name === '' ? `Cycle ${number}` : name;
}

const IDENTIFIER = /^[A-Z][A-Z0-9]*-[1-9]\d*$/;

export const isIdentifier = (text: string): boolean => IDENTIFIER.test(text);

const ABOUT_BODY = 'markdown below the fields';
export const title = line('one line', { required: true, initial: '' });
/** It may be empty. */
export const body = prose(ABOUT_BODY);
const saidBody = prose(ABOUT_BODY, { required: true });

const state = line(
  'the name of a state of this team (states.tsv); to close, one of type completed or canceled',
  { initial: null },
);

const oneOf = (words: readonly string[], initial: string): FieldSpec => {
  const about = words.join(', ');
  const schema = z.enum(words, { error: `must be one of ${about}` });
  return { schema, access: 'create', initial, about };
};

const named = (what: string): FieldSpec => ({
  schema: z.string({ error: `must be ${what} or null` }).nullable(),
  access: 'create',
  initial: null,
  about: `${what}, or null`,
});

const estimate: FieldSpec = {
  schema: z
    .int({ error: 'must be a whole number or null' })
    .min(0, 'must not be below 0')
    .max(2_147_483_647, 'is more than 2,147,483,647')
    .nullable(),
  access: 'create',
  initial: null,
  about: 'points, a whole number from 0, or null',
};

const dueDate: FieldSpec = {
  schema: z
    .string({ error: 'must be a date such as 2026-03-31, or null' })
    .refine(isDate, 'must be a date such as 2026-03-31, or null')
    .nullable(),
  access: 'create',
  initial: null,
  about: 'a date such as 2026-03-31, or null',
};

const parent: FieldSpec = {
  schema: z
    .string({ error: 'must be an issue such as ENG-12, or null' })
    .regex(IDENTIFIER, 'must be an issue such as ENG-12, or null')
    .nullable(),
  access: 'create',
  initial: null,
  about: 'the issue that this one is part of, such as ENG-12, or null',
};

const team: FieldSpec = {
  schema: z
    .string({ error: 'must be the key of a team' })
    .regex(/^[A-Z][A-Z0-9]{0,15}$/, 'must be the key of a team'),
  access: 'edit',
  about: 'the key of its team; another one moves it there, where it has another identifier',
};

/** An empty line is null in YAML, and means none. */
const related = (about: string): FieldSpec => ({
  schema: z
    .array(
      z
        .string({ error: 'must be a list of issues such as ENG-12' })
        .regex(IDENTIFIER, 'must be a list of issues such as ENG-12'),
      { error: 'must be a list of issues such as ENG-12' },
    )
    .nullable()
    .transform((list) => [...new Set(list ?? [])]),
  access: 'edit',
  about: `a list in brackets of the issues ${about}`,
});

const archived: FieldSpec = {
  schema: z.boolean({ error: 'must be true or false' }),
  access: 'edit',
  about:
    'true archives the issue: it leaves the listings, and can be read and brought back by its name',
};

/** Of every record that can be changed. */
export const times = {
  created_at: shown('time'),
  updated_at: {
    ...shown('time'),
    otherMeans:
      'this text is of another version; read the file again, or leave updated_at out to write it all the same',
  },
};

export const issueRecord: RecordType = {
  name: 'issue',
  fields: {
    identifier: shown('name'),
    title,
    state,
    priority: oneOf(PRIORITIES, 'none'),
    labels: list('a list in brackets of labels of this team (labels.tsv)'),
    assignee: named('the display name of a user (users.tsv)'),
    project: named('the name of a project of this team'),
    cycle: named('the name of a cycle of this team'),
    parent,
    estimate,
    due_date: dueDate,
    team,
    ...Object.fromEntries(RELATION_FIELDS.map(({ field, about }) => [field, related(about)])),
    pull_requests: shown('addresses'),
    archived,
    creator: shown('display name'),
    ...times,
    completed_at: shown('time'),
    canceled_at: shown('time'),
    url: shown('address'),
    body,
  },
};

export const commentRecord: RecordType = {
  name: 'comment',
  fields: {
    id: shown('UUID'),
    author: shown('display name'),
    reply_to: shown('UUID of a comment'),
    ...times,
    url: shown('address'),
    body: saidBody,
  },
};

/** As the schema's `ProjectUpdateHealthType` has them, by what files say. */
export const HEALTH = {
  'on track': 'onTrack',
  'at risk': 'atRisk',
  'off track': 'offTrack',
} as const;
const HEALTHS = Object.keys(HEALTH) as (keyof typeof HEALTH)[];

export const updateRecord: RecordType = {
  name: 'project update',
  fields: {
    health: oneOf(HEALTHS, 'on track'),
    author: shown('display name'),
    ...times,
    url: shown('address'),
    body: saidBody,
  },
};

export function updateValues({ health, user, createdAt, updatedAt, url, body }: ApiUpdate) {
  return {
    health: HEALTHS.find((name) => HEALTH[name] === health) ?? health,
    author: user.displayName,
    created_at: createdAt,
    updated_at: updatedAt,
    url,
    body,
  };
}

/** @param labels their names */
export function issueValues(issue: HeldIssue, labels: readonly string[]): Values {
  return {
    identifier: issue.identifier,
    team: issue.team.key,
    title: issue.title,
    state: issue.state.name,
    priority: PRIORITIES[issue.priority] ?? 'none',
    labels,
    assignee: issue.assignee?.displayName ?? null,
    project: issue.project?.name ?? null,
    cycle: issue.cycle ? cycleName(issue.cycle) : null,
    parent: issue.parent?.identifier ?? null,
    estimate: issue.estimate ?? null,
    due_date: issue.dueDate ?? null,
    ...relationValues(issue),
    pull_requests: issue.pulls.length > 0 ? issue.pulls : undefined,
    archived: (issue.archivedAt ?? null) !== null,
    creator: issue.creator?.displayName ?? null,
    created_at: issue.createdAt,
    updated_at: issue.updatedAt,
    completed_at: issue.completedAt ?? undefined,
    canceled_at: issue.canceledAt ?? undefined,
    url: issue.url,
    body: issue.description ?? '',
  };
}

export function commentValues(comment: ApiComment): Values {
  return {
    id: comment.id,
    author: comment.user?.displayName ?? null,
    reply_to: comment.parent?.id,
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
    url: comment.url,
    body: comment.body,
  };
}

export function projectValues(value: ApiProject): Values {
  return {
    id: value.slugId,
    name: value.name,
    summary: value.description,
    state: value.status?.type ?? null,
    status: value.status?.name,
    health: value.health ?? undefined,
    priority: PRIORITIES[value.priority] ?? 'none',
    progress: value.progress,
    lead: value.lead?.displayName ?? null,
    start_date: value.startDate ?? null,
    target_date: value.targetDate ?? null,
    created_at: value.createdAt,
    updated_at: value.updatedAt,
    url: value.url,
    body: value.content ?? '',
  };
}

export function cycleValues(value: ApiCycle): Values {
  return {
    number: value.number,
    name: cycleName(value),
    starts_at: value.startsAt,
    ends_at: value.endsAt,
    completed_at: value.completedAt ?? null,
    progress: value.progress,
    created_at: value.createdAt,
    updated_at: value.updatedAt,
    body: value.description ?? '',
  };
}

/** A day that there is: `2026-02-30` is none. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}
