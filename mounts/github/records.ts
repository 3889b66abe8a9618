/** GitHub's records as tables: what each field is in the file, and where it is in GitHub's answers. */
import { z } from 'zod';
import {
  at,
  type FieldSpec,
  field,
  ifAny,
  line,
  list,
  named,
  record,
  shown,
  times,
  type Values,
} from '../../src/mount/index.ts';
import { idSchema, lineCommentSchema, loginSchema } from './schemas.ts';

/** GitHub's limits, in characters. */
const TITLE_MAX = 256;
const BODY_MAX = 65_536;

const text = z.string();
const number = z.number();
const boolean = z.boolean();

const title = line(`one line of at most ${TITLE_MAX} characters`, {
  required: true,
  initial: '',
  most: TITLE_MAX,
});

const bodySchema = text.refine(
  (body) => [...body].length <= BODY_MAX,
  `is longer than ${BODY_MAX} characters`,
);
const body = field(bodySchema, `markdown below the fields, at most ${BODY_MAX} characters`);
const saidBody: FieldSpec = {
  ...body,
  required: true,
  schema: text.refine((said) => said.trim() !== '', 'must not be empty').pipe(bodySchema),
};

const STATES = ['open', 'closed'] as const;
const REASONS = ['completed', 'not_planned', 'duplicate', 'reopened'] as const;

const state = field(z.enum(STATES, `must be one of ${STATES.join(', ')}`), STATES.join(' or '), {
  access: 'edit',
});

const stateReason = field(
  z.enum(REASONS, `must be one of ${REASONS.join(', ')} or null`).nullable(),
  `why it is closed: ${REASONS.slice(0, 3).join(', ')}; reopened for an open one; or null`,
  { access: 'edit' },
);

const names = (what: string): FieldSpec => list(`a list in brackets of ${what}`, { what });

const login = at('user?.login', shown('login'), { none: 'ghost' });
const stamps = times('created_at', 'updated_at');
const url = ifAny('html_url', shown('address'), { given: text.optional() });

/** What issues and pull requests have, in three parts. */
const first = {
  number: at('number', shown('number'), { given: z.number().int() }),
  title: at('title', title),
  state: at('state', state),
};
const given = {
  labels: at('labels', names('labels of this repository'), {
    given: z.array(z.union([text, z.looseObject({ name: text.nullish() })])),
    shows: (all) =>
      all.flatMap((label) => (typeof label === 'string' ? label : (label.name ?? []))),
  }),
  assignees: at('assignees?', names('logins that can be assigned here'), {
    given: z.array(loginSchema),
    shows: (all) => all.map((one) => one.login),
    none: [],
  }),
  milestone: at(
    'milestone?.title',
    named('the title of a milestone', 'the title of a milestone of this repository, or null'),
  ),
};
const last = {
  author: login,
  ...stamps,
  closed_at: ifAny('closed_at?', shown('time')),
  comments: ifAny('comments?', shown('count'), { given: z.number().int() }),
  url,
  body: at('body?', body),
};

export const issueRecord = record(
  'issue',
  { ...first, state_reason: at('state_reason?', stateReason), ...given, ...last },
  {
    key: 'number',
    also: {
      repository_url: text.optional(),
      /** There when the issue is a pull request. */
      'pull_request?.merged_at?': text,
      draft: boolean.optional(),
    },
  },
);
export const issueSchema = issueRecord.schema;
export type ApiIssue = z.infer<typeof issueSchema>;

/** A listing has of a pull request what it has of an issue; the rest is asked for. */
export const pullRecord = record(
  'pull request',
  {
    ...first,
    ...given,
    draft: ifAny('draft', shown('true or false'), { given: boolean.optional() }),
    base: shown('branch'),
    head: shown('branch'),
    merged_at: shown('time'),
    ...last,
  },
  { key: 'number' },
);

export const pullSchema = issueSchema.extend({
  base: z.looseObject({
    ref: text,
    sha: text.optional(),
    repo: z.looseObject({ url: text.optional() }).nullish(),
  }),
  head: z.looseObject({ ref: text, sha: text.optional() }),
  merged_at: text.nullish(),
});
export type ApiPull = z.infer<typeof pullSchema>;

export const commentRecord = record(
  'comment',
  {
    id: at('id', shown('number'), { given: idSchema, shows: Number }),
    author: login,
    ...stamps,
    url,
    body: at('body?', saidBody),
  },
  { also: { issue_url: text } },
);
export const commentSchema = commentRecord.schema;
export type ApiComment = z.infer<typeof commentSchema>;

// --- the plain collections of a repository

export const label = record(
  'label',
  { name: 'name', color: 'color?', description: 'description?' },
  { key: 'name' },
);

export const milestone = record(
  'milestone',
  {
    number: at('number', shown(''), { given: z.number().int() }),
    title: 'title',
    state: 'state',
    open_issues: ifAny('open_issues?', shown(''), { given: number }),
    closed_issues: ifAny('closed_issues?', shown(''), { given: number }),
    due_on: 'due_on?',
    created_at: 'created_at?',
    updated_at: 'updated_at?',
    closed_at: 'closed_at?',
    url,
    body: 'description?',
  },
  { key: 'number' },
);

export const release = record(
  'release',
  {
    tag: 'tag_name',
    name: 'name?',
    draft: ifAny('draft?', shown(''), { given: boolean }),
    prerelease: ifAny('prerelease?', shown(''), { given: boolean }),
    author: ifAny('author?.login'),
    target: ifAny('target_commitish?'),
    created_at: 'created_at?',
    published_at: 'published_at?',
    assets: at('assets?', shown(''), {
      given: z.array(z.looseObject({ name: text })),
      shows: (all) => all.map(({ name }) => name),
      none: [],
    }),
    url,
    body: 'body?',
  },
  { key: 'tag_name', also: { 'updated_at?': text } },
);

// --- reviews

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

export const reviewRecord = record(
  'review',
  {
    id: at('id', shown('number'), { given: idSchema, shows: Number }),
    state: at(
      'state',
      field(
        z.preprocess(verdictOf, z.enum(VERDICTS, `must be one of ${VERDICTS.join(', ')}`)),
        VERDICTS.join(', '),
        { required: true, initial: null },
      ),
      { shows: reviewState },
    ),
    author: login,
    submitted_at: at('submitted_at?', shown('time')),
    commit: at('commit_id?', shown('the commit that was reviewed')),
    url,
    body: at('body?', {
      ...body,
      about: `what is said of the whole, not empty unless it approves; below it \`## PATH:LINE\` or \`## PATH:LINE-LINE\` begins a comment on lines that the diff shows, numbered as after the change; each at most ${BODY_MAX} characters`,
    }),
  },
  { also: { pull_request_url: text } },
);
export const reviewSchema = reviewRecord.schema;
export type ApiReview = z.infer<typeof reviewSchema>;

/** A review as the replica has it. */
export const heldReviewSchema = reviewSchema.extend({ lines: z.array(lineCommentSchema) });
export type HeldReview = z.infer<typeof heldReviewSchema>;

/** The fields of a pull request; those that no listing has come with it where they are known. */
export function pullValues(one: ApiIssue, known: ApiPull | null): Values {
  return {
    ...pullRecord.values(one),
    base: known?.base.ref,
    head: known?.head.ref,
    merged_at: one.pull_request?.merged_at ?? known?.merged_at ?? undefined,
  };
}
