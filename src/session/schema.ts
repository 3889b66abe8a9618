/** The format of the log as schemas: what `verify` checks, and docs/session.schema.json is made of. */
import { z } from 'zod';
import type { Entry } from './entry.ts';
import { signedHeadSchema } from './head.ts';
import { isSessionId } from './session-id.ts';

const hash = z.string().regex(/^[0-9a-f]{64}$/);
const ulid = z.string().regex(/^[0-9A-HJKMNP-TV-Z]{26}$/);
const time = z.iso.datetime();

const blob = z
  .looseObject({
    $blob: hash,
    bytes: z.int().min(0),
    head: z.string(),
    json: z.literal(true).optional(),
  })
  .meta({ id: 'blob', description: 'Content too long for a line, in the blob store' });
/** Where a text stands, its blob may stand. */
const text = z.union([z.string(), blob]);

const headerSchema = z
  .looseObject({
    type: z.literal('session'),
    version: z.int().min(1),
    id: ulid,
    created: time,
    parentSession: ulid.nullable(),
    parentEntry: ulid.optional(),
    workspace: hash.optional(),
    prev: hash.optional(),
    hash,
  })
  .meta({ id: 'header', description: 'The first line' });

const common = {
  id: ulid,
  parentId: ulid.nullable(),
  timestamp: time,
  prev: hash,
  hash,
};

const part = z.looseObject({ type: z.string() });
const message = z.looseObject({
  role: z.enum(['user', 'assistant', 'tool']),
  content: z.union([text, z.array(part)]),
});
const tokens = z.looseObject({
  inputTokens: z.number().optional(),
  outputTokens: z.number().optional(),
  cachedInputTokens: z.number().optional(),
  reasoningTokens: z.number().optional(),
});
const fileChange = z.looseObject({
  path: text,
  before: hash.nullable().optional(),
  after: hash.nullable().optional(),
});
const cost = z.looseObject({ requests: z.int(), bytes: z.number() });
const fact = z.looseObject({ id: z.string(), state: z.string() });
const encoding = z.literal('latin1').optional();

/** Each type of entry and its fields. */
const TYPES = {
  message: z.looseObject({
    ...common,
    type: z.literal('message'),
    message,
    usage: tokens.optional(),
    model: z.string().optional(),
    finishReason: z.string().optional(),
  }),
  bash_start: z.looseObject({
    ...common,
    type: z.literal('bash_start'),
    command: text,
    cwd: text,
    toolCallId: z.string().optional(),
    actor: z.string().optional(),
    origin: z.string().optional(),
    job: z.int().min(1).optional(),
    workspace: hash.optional(),
    workspaceLost: text.optional(),
  }),
  bash_end: z.looseObject({
    ...common,
    type: z.literal('bash_end'),
    start: ulid,
    cwd: text,
    exitCode: z.int(),
    stdout: text,
    stdoutEncoding: encoding,
    stderr: text,
    stderrEncoding: encoding,
    requests: z.int(),
    spent: z.record(z.string(), cost).optional(),
    changed: z.union([z.array(fileChange), blob]),
    interrupted: z.literal(true).optional(),
    untrusted: z.array(z.string()).optional(),
    workspace: hash.optional(),
    workspaceLost: text.optional(),
  }),
  change: z.looseObject({ ...common, type: z.literal('change'), change: fact }),
  approval: z.looseObject({ ...common, type: z.literal('approval'), approval: fact }),
  question: z.looseObject({ ...common, type: z.literal('question'), question: fact }),
  model_change: z.looseObject({ ...common, type: z.literal('model_change'), model: z.string() }),
  compaction: z.looseObject({
    ...common,
    type: z.literal('compaction'),
    summary: text,
    firstKeptEntryId: ulid,
    tokensBefore: z.int().optional(),
  }),
  branch_summary: z.looseObject({
    ...common,
    type: z.literal('branch_summary'),
    fromId: ulid.nullable(),
    summary: text,
  }),
  label: z.looseObject({
    ...common,
    type: z.literal('label'),
    target: ulid,
    label: text.nullable(),
  }),
  leaf: z.looseObject({
    ...common,
    type: z.literal('leaf'),
    target: ulid.nullable(),
    from: ulid.nullable(),
    workspace: hash.optional(),
    leftWorkspace: hash.optional(),
  }),
  signature: z.looseObject({ ...common, type: z.literal('signature'), head: signedHeadSchema }),
  custom: z.looseObject({
    ...common,
    type: z.literal('custom'),
    name: z
      .string()
      .regex(/^[a-z0-9-]+[./:].+$/i, 'should begin with a namespace, as in "plugin/kind"'),
    data: z.unknown().optional(),
  }),
} as const;

const unknownType = z
  .looseObject({ ...common, type: z.string() })
  .meta({ description: 'A type that this version does not know is kept and passed on' });

/** What is wrong with the fields of a known type; null for what is right, and for other types. */
export function faultOfShape(entry: Entry): string | null {
  const known = Object.hasOwn(TYPES, entry.type) ? TYPES[entry.type as keyof typeof TYPES] : null;
  const result = (known ?? unknownType).safeParse(entry);
  if (result.success) return isSessionId(entry.id) ? null : 'its id is no ULID';
  const issues = result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  return `its fields are not those of ${entry.type}: ${issues.join('; ')}`;
}

/** The JSON Schema of one line of a log. */
export function sessionJsonSchema(): object {
  const entries = Object.entries(TYPES).map(([id, schema]) => schema.meta({ id }));
  const line = z.union([headerSchema, ...entries, unknownType]).meta({
    title: 'One line of a Dirigent session log',
  });
  return z.toJSONSchema(line, { target: 'draft-2020-12', io: 'output' });
}
