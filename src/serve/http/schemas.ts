/** What goes over the API, as schemas: requests are checked with them, and the description is made of them. */
import { z } from '@hono/zod-openapi';
import { CHANGE_STATES } from '../../changes/change.ts';
import { APPROVAL_SCOPES, APPROVAL_STATES } from '../../policy/approval.ts';
import { PLANNED_OPERATIONS } from '../../policy/plan.ts';
import { FORM_KINDS, PLAN_DECISIONS, QUESTION_STATES } from '../../policy/question.ts';
import { DELIVERY_MODES, QUEUE_STATES } from '../queue/turn.ts';
import { ROLES } from '../rights.ts';

const time = z.int().meta({ description: 'ms since the epoch' });
const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ description: 'SHA-256, hexadecimal' });
const ulid = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/);
/** An id of a row of the journal. */
const rowId = z.string().regex(/^[0-9a-hjkmnp-tv-z]{26}$/);
const path = z
  .string()
  .max(4096)
  .regex(/^\/[^\0]*$/, 'should be an absolute path in the world');
const name = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._@+-]{0,63}$/);
const whole = (most: number) => z.coerce.number().int().min(1).max(most);

export const failure = z
  .object({
    error: z.object({
      code: z.string().meta({ description: 'An errno, or HTTP and the status' }),
      message: z.string().meta({ description: 'What happened, and what to do' }),
      path: z.string().optional(),
      rule: z.string().optional(),
    }),
  })
  .openapi('Failure');

export const me = z
  .object({
    actor: z.string(),
    role: z.enum(ROLES),
    agent: z.string().nullable(),
    csrf: z
      .string()
      .nullable()
      .meta({ description: 'To be sent as x-csrf-token by a page, with whatever is not a GET' }),
  })
  .openapi('Me');

export const login = z.object({ token: z.string().min(1).max(1024) }).openapi('Login');

const tokens = z.object({
  input: z.number(),
  output: z.number(),
  cachedInput: z.number(),
  reasoning: z.number(),
});

export const session = z
  .object({
    id: ulid,
    created: z.iso.datetime(),
    updated: z.iso.datetime(),
    actor: z.string().meta({ description: 'Whose it is' }),
    agent: z.string().nullable(),
    title: z.string(),
    parentSession: z.string().nullable(),
    delegatedBy: z.string().nullable(),
    usage: z.object({
      entries: z.int(),
      commands: z.int(),
      messages: z.object({ user: z.int(), assistant: z.int(), tool: z.int() }),
      tokens,
      models: z.record(z.string(), z.object({ input: z.number(), output: z.number() })),
      requests: z.int(),
    }),
    faults: z.int(),
  })
  .openapi('Session');

export const entry = z
  .looseObject({ id: ulid, parentId: ulid.nullable(), timestamp: z.string(), type: z.string() })
  .openapi('Entry', { description: 'A line of the log: docs/session.schema.json' });

export const changedFiles = z
  .array(
    z.object({
      path: z.string(),
      patch: z.string().nullable(),
      reason: z.string().nullable().meta({ description: 'Why there is no patch' }),
    }),
  )
  .openapi('ChangedFiles');

const outcome = z.looseObject({
  status: z.string(),
  text: z.string().optional(),
  error: z.string().optional(),
});

export const message = z
  .object({
    id: rowId,
    session: ulid,
    source: z.string(),
    sourceId: z.string(),
    actor: z.string(),
    agent: z.string().nullable(),
    model: z.string().nullable(),
    text: z.string(),
    mode: z.enum(DELIVERY_MODES),
    plan: z.boolean(),
    state: z.enum(QUEUE_STATES),
    part: z.int(),
    approvals: z.array(z.string()),
    questions: z.array(z.string()),
    createdAt: time,
    takenAt: time.nullable(),
    endedAt: time.nullable(),
    outcome: outcome.nullable(),
  })
  .openapi('Message');

export const messageDraft = z
  .strictObject({
    text: z
      .string()
      .min(1)
      .max(256 * 1024),
    key: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: 'The client’s own id of it: sent twice, it is taken once' }),
    mode: z.enum(DELIVERY_MODES).optional(),
    plan: z.boolean().optional().meta({
      description: 'Nothing is changed before a plan is approved, and then what it names',
    }),
    model: z.string().min(1).max(200).optional(),
  })
  .openapi('MessageDraft');

export const submitted = z
  .object({
    // Of a schema with a name, `nullable()` is left out of the description.
    message: z
      .union([message, z.null()])
      .meta({ description: 'Null for one that only stopped the turn' }),
    isNew: z.boolean(),
    stopped: z.boolean(),
  })
  .openapi('Submitted');

const operation = z.object({ op: z.string(), path: z.string(), mount: z.string() });

export const approval = z
  .object({
    id: rowId,
    session: z.string(),
    actor: z.string(),
    people: z
      .array(z.string())
      .meta({ description: 'For whom it acts; empty for the person in charge' }),
    origin: z.string(),
    op: z.string(),
    path: z.string(),
    mount: z.string(),
    operations: z.array(operation),
    rule: z.string(),
    reason: z.string(),
    change: z
      .string()
      .nullable()
      .meta({ description: 'What would be written: a patch, or a sentence' }),
    digest,
    state: z.enum(APPROVAL_STATES),
    scope: z.enum(APPROVAL_SCOPES).nullable(),
    prefix: z.string().nullable(),
    answeredBy: z.string().nullable(),
    createdAt: time,
    answeredAt: time.nullable(),
    expiresAt: time,
  })
  .openapi('Approval');

export const answer = z
  .strictObject({
    digest: digest.meta({ description: 'Of the request as it was shown' }),
    decision: z.enum(['allow', 'deny']),
    scope: z.enum(APPROVAL_SCOPES).optional(),
    prefix: path.optional(),
  })
  .openapi('Answer');

const planVerdict = z.object({
  decision: z.enum(PLAN_DECISIONS),
  comment: z.string().max(10_000).optional(),
});
const answerValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.array(z.string()),
  planVerdict,
]);

export const question = z
  .object({
    id: rowId,
    session: z.string(),
    actor: z.string(),
    origin: z.string(),
    question: z
      .string()
      .meta({ description: 'In the words of the agent: they are not to be trusted' }),
    form: z.object({
      kind: z.enum(FORM_KINDS),
      scope: z
        .object({
          writes: z.array(
            z.object({ path: z.string(), operations: z.array(z.enum(PLANNED_OPERATIONS)) }),
          ),
          tools: z.array(z.string()),
        })
        .optional()
        .meta({ description: 'Of a plan: what may be changed once it is approved' }),
      options: z.array(z.string()).optional(),
      min: z.number().optional(),
      max: z.number().optional(),
      whole: z.boolean().optional(),
      from: z.string().optional(),
      to: z.string().optional(),
    }),
    untrusted: z
      .array(z.string())
      .meta({ description: 'The services whose text the agent had read when it asked' }),
    digest,
    state: z.enum(QUESTION_STATES),
    answer: answerValue.nullable(),
    answeredBy: z.string().nullable(),
    createdAt: time,
    answeredAt: time.nullable(),
    expiresAt: time,
  })
  .openapi('Question');

export const questionAnswer = z
  .strictObject({
    digest: digest.meta({ description: 'Of the question as it was shown' }),
    value: z
      .union([
        z.string().max(10_000),
        z.number(),
        z.boolean(),
        z.array(z.string().max(200)).max(20),
        planVerdict.strict(),
      ])
      .nullable()
      .meta({
        description:
          'As its form says: a string, a boolean of confirm, a number, strings of choices; null declines',
      }),
  })
  .openapi('QuestionAnswer');

export const change = z
  .looseObject({
    id: z.string(),
    digest,
    mount: z.string(),
    point: z.string().nullable(),
    path: z.string(),
    op: z.string(),
    state: z.enum(CHANGE_STATES),
    diff: z.string(),
    request: z.looseObject({ method: z.string(), url: z.string() }).nullable(),
    error: z.string().nullable(),
    createdAt: time,
  })
  .openapi('Change');

export const shownChanges = z
  .strictObject({
    changes: z
      .array(z.strictObject({ id: z.string().max(64), digest }))
      .min(1)
      .max(200),
  })
  .openapi('ShownChanges', { description: 'Each with the digest that was shown' });

export const changeIds = z
  .strictObject({ ids: z.array(z.string().max(64)).min(1).max(200) })
  .openapi('ChangeIds');

export const applied = z
  .array(z.object({ id: z.string(), state: z.enum(CHANGE_STATES), error: z.string().optional() }))
  .openapi('Applied');

export const proposals = z
  .object({
    proposals: z.array(
      z.object({
        path: z.string(),
        before: z.string().nullable(),
        after: z.string(),
        digest,
        patch: z.string(),
        error: z.string().nullable(),
      }),
    ),
    errors: z.array(z.looseObject({ path: z.string(), message: z.string() })),
  })
  .openapi('Proposals');

const proposalPath = z.string().min(1).max(1024);
export const shownProposal = z
  .strictObject({ path: proposalPath, digest })
  .openapi('ShownProposal');
export const namedProposal = z.strictObject({ path: proposalPath }).openapi('NamedProposal');

const fileType = z.enum(['file', 'directory', 'symlink']);
export const file = z
  .object({
    path: z.string(),
    type: fileType,
    size: z.number(),
    mtime: z.string(),
    entries: z.array(z.object({ name: z.string(), type: fileType })).optional(),
    content: z.string().optional(),
    encoding: z.enum(['utf-8', 'base64']).optional(),
    offset: z.int().optional(),
    next: z.int().nullable().optional(),
  })
  .openapi('File');

export const searchResult = z
  .object({
    found: z.array(z.object({ path: z.string(), line: z.int(), text: z.string() })),
    notes: z.array(z.string()),
    exitCode: z.int(),
  })
  .openapi('SearchResult');

export const usage = z
  .object({
    days: z.array(z.object({ day: z.string(), tokens: z.number(), money: z.number() })),
    turns: z.array(
      z.object({
        day: z.string(),
        actor: z.string(),
        model: z.string().nullable(),
        turns: z.int(),
        inputTokens: z.number(),
        outputTokens: z.number(),
      }),
    ),
  })
  .openapi('Usage');

export const mounts = z
  .array(z.looseObject({ point: z.string(), kind: z.string(), error: z.string().optional() }))
  .openapi('Mounts');

export const prompt = z
  .object({
    name: z.string(),
    state: z.enum(['waiting', 'running', 'interrupted', 'done']),
    at: z.string().nullable(),
    every: z.string().nullable(),
    zone: z.string().nullable(),
    prompt: z.string(),
    agent: z.string().nullable(),
    model: z.string().nullable(),
    authors: z.array(z.string()),
    fault: z.string().nullable(),
    outcome: z.string().nullable(),
  })
  .openapi('ScheduledPrompt');

const promptName = z.string().min(1).max(104);
export const promptDraft = z
  .strictObject({
    name: promptName,
    at: z.iso.datetime({ offset: true }).optional(),
    every: z.string().min(1).max(200).optional(),
    zone: z.string().min(1).max(100).optional(),
    prompt: z.string().min(1).max(200_000),
    agent: name.optional(),
    model: z.string().min(1).max(200).optional(),
  })
  .openapi('ScheduledPromptDraft');

export const text = z.string();

export const health = z.object({ status: z.literal('ok'), version: z.string() }).openapi('Health');

export const done = z.object({ done: z.literal(true) }).openapi('Done');
export const stopped = z.object({ stopped: z.boolean() }).openapi('Stopped');

export const sessionParams = z.object({ session: ulid });
export const entryParams = z.object({ session: ulid, entry: ulid });
export const rowParams = z.object({ id: rowId });
export const changeParams = z.object({ id: z.string().min(1).max(64) });
export const promptParams = z.object({ name: promptName });

export const sessionDraft = z.strictObject({ agent: name.optional() }).openapi('SessionDraft');
export const sessionQuery = z.object({
  before: ulid.optional(),
  limit: whole(200).optional(),
  text: z.string().max(200).optional(),
  parent: ulid.optional().meta({ description: 'Forks of this session alone' }),
});
export const entryQuery = z.object({ after: ulid.optional(), limit: whole(1_000).optional() });
export const eventQuery = z.object({
  after: z
    .union([ulid, z.literal('start')])
    .optional()
    .meta({ description: 'As Last-Event-ID, which comes first; start: from the first entry' }),
});
export const messageQuery = z.object({
  after: rowId.optional(),
  limit: whole(1_000).optional(),
  state: z.enum(QUEUE_STATES).optional(),
});
export const approvalQuery = z.object({ state: z.enum(APPROVAL_STATES).optional() });
export const questionQuery = z.object({ state: z.enum(QUESTION_STATES).optional() });
export const fileQuery = z.object({
  path,
  offset: z.coerce
    .number()
    .int()
    .min(0)
    .max(2 ** 31)
    .optional(),
});
export const searchQuery = z.object({
  query: z
    .string()
    .min(1)
    .max(1_000)
    .regex(/^[^-\0\n][^\0\n]*$/, 'should be words in one line, and begin with no -'),
  path: path.optional(),
});
export const usageQuery = z.object({ days: whole(366).optional() });
