/** GitHub's records as files: issues, pull requests, comments. */
import { z } from 'zod';
import { type FieldSpec, type RecordType, shown, type Values } from '../../src/mount/index.ts';
import type { ApiComment, ApiIssue, ApiPull } from './schemas.ts';

/** GitHub's limits, in characters. */
const TITLE_MAX = 256;
const BODY_MAX = 65_536;

const title: FieldSpec = {
  schema: z
    .string({ error: 'must be text' })
    .refine((text) => text.trim() !== '', 'must not be empty')
    .refine((text) => [...text].length <= TITLE_MAX, `is longer than ${TITLE_MAX} characters`)
    .refine((text) => !/[\r\n]/.test(text), 'must be one line'),
  access: 'create',
  required: true,
  initial: '',
  about: `one line of at most ${TITLE_MAX} characters`,
};

const body: FieldSpec = {
  schema: z
    .string({ error: 'must be text' })
    .refine((text) => [...text].length <= BODY_MAX, `is longer than ${BODY_MAX} characters`),
  access: 'create',
  about: `markdown below the fields, at most ${BODY_MAX} characters`,
};

const STATES = ['open', 'closed'] as const;
const REASONS = ['completed', 'not_planned', 'duplicate', 'reopened'] as const;

const state: FieldSpec = {
  schema: z.enum(STATES, { error: `must be one of ${STATES.join(', ')}` }),
  access: 'edit',
  about: STATES.join(' or '),
};

const stateReason: FieldSpec = {
  schema: z.enum(REASONS, { error: `must be one of ${REASONS.join(', ')} or null` }).nullable(),
  access: 'edit',
  about: `why it is closed: ${REASONS.slice(0, 3).join(', ')}; reopened for an open one; or null`,
};

/** An empty line after `labels:` is null in YAML, and means none. */
const names = (what: string): FieldSpec => ({
  schema: z
    .array(z.string({ error: `must be a list of ${what}` }), {
      error: `must be a list of ${what}`,
    })
    .nullable()
    .transform((list) => list ?? []),
  access: 'create',
  initial: [],
  about: `a list in brackets of ${what}`,
});

const milestone: FieldSpec = {
  schema: z.string({ error: 'must be the title of a milestone or null' }).nullable(),
  access: 'create',
  initial: null,
  about: 'the title of a milestone of this repository, or null',
};

const common = {
  author: shown('login'),
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
    number: shown('number'),
    title,
    state,
    state_reason: stateReason,
    labels: names('labels of this repository'),
    assignees: names('logins that can be assigned here'),
    milestone,
    ...common,
    closed_at: shown('time'),
    comments: shown('count'),
    url: shown('address'),
    body,
  },
};

export const pullRecord: RecordType = {
  name: 'pull request',
  fields: {
    number: shown('number'),
    title,
    state,
    labels: names('labels of this repository'),
    assignees: names('logins that can be assigned here'),
    milestone,
    draft: shown('true or false'),
    base: shown('branch'),
    head: shown('branch'),
    merged_at: shown('time'),
    ...common,
    closed_at: shown('time'),
    comments: shown('count'),
    url: shown('address'),
    body,
  },
};

export const commentRecord: RecordType = {
  name: 'comment',
  fields: {
    id: shown('number'),
    ...common,
    url: shown('address'),
    body: {
      ...body,
      required: true,
      schema: z
        .string()
        .refine((text) => text.trim() !== '', 'must not be empty')
        .refine((text) => [...text].length <= BODY_MAX, `is longer than ${BODY_MAX} characters`),
    },
  },
};

/** What a review that is written says, and what GitHub calls it in the request. */
export const REVIEW_EVENTS = {
  approve: 'APPROVE',
  'request changes': 'REQUEST_CHANGES',
  comment: 'COMMENT',
} as const;

/** What GitHub calls a review that such a request made. */
export const REVIEW_STATES: Readonly<Record<string, string>> = {
  APPROVE: 'APPROVED',
  REQUEST_CHANGES: 'CHANGES_REQUESTED',
  COMMENT: 'COMMENTED',
};

const VERDICTS = Object.keys(REVIEW_EVENTS) as (keyof typeof REVIEW_EVENTS)[];

/** The state of a review as its file shows it: `changes requested`. */
export function reviewState(state: string): string {
  return state.toLowerCase().replaceAll('_', ' ');
}

/** A verdict by its name, or by what a review that has it shows; anything else as it is. */
function verdictOf(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const text = reviewState(value.trim());
  return (
    VERDICTS.find(
      (verdict) =>
        text === verdict || text === reviewState(REVIEW_STATES[REVIEW_EVENTS[verdict]] ?? ''),
    ) ?? value
  );
}

export const reviewRecord: RecordType = {
  name: 'review',
  fields: {
    id: shown('number'),
    state: {
      schema: z.preprocess(
        verdictOf,
        z.enum(VERDICTS, { error: `must be one of ${VERDICTS.join(', ')}` }),
      ),
      access: 'create',
      required: true,
      initial: null,
      about: VERDICTS.join(', '),
    },
    author: shown('login'),
    submitted_at: shown('time'),
    commit: shown('the commit that was reviewed'),
    url: shown('address'),
    body: {
      ...body,
      about: `what is said of the whole, not empty unless it approves; below it \`## PATH:LINE\` or \`## PATH:LINE-LINE\` begins a comment on lines that the diff shows, numbered as after the change; each at most ${BODY_MAX} characters`,
    },
  },
};

/** The fields of an issue; those of a pull request come with it where they are known. */
export function issueValues(issue: ApiIssue, pull: ApiPull | null): Values {
  return {
    number: issue.number,
    title: issue.title,
    state: issue.state,
    state_reason: issue.state_reason ?? null,
    labels: labelNames(issue),
    assignees: (issue.assignees ?? []).map(({ login }) => login),
    milestone: issue.milestone?.title ?? null,
    draft: issue.draft,
    base: pull?.base.ref,
    head: pull?.head.ref,
    merged_at: issue.pull_request?.merged_at ?? pull?.merged_at ?? undefined,
    author: issue.user?.login ?? 'ghost',
    created_at: issue.created_at,
    updated_at: issue.updated_at,
    closed_at: issue.closed_at ?? undefined,
    comments: issue.comments ?? undefined,
    url: issue.html_url,
    body: issue.body ?? '',
  };
}

export function labelNames(issue: ApiIssue): string[] {
  return issue.labels
    .map((label) => (typeof label === 'string' ? label : label.name))
    .filter((name) => typeof name === 'string');
}

export function commentValues(comment: ApiComment): Values {
  return {
    id: Number(comment.id),
    author: comment.user?.login ?? 'ghost',
    created_at: comment.created_at,
    updated_at: comment.updated_at,
    url: comment.html_url,
    body: comment.body ?? '',
  };
}
