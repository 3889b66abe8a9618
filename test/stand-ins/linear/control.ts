/** The control surface: what tests and the demo say to the stand-in, as schemas both ends share. */
import { z } from 'zod';
import { childOptionsOf, graphqlMatcher, lineFaults } from '../control.ts';
import { seedSchema, TABLE_NAMES } from './model.ts';

/** A switchable fault. Durations in ms, `retryAfter` in seconds. */
export const faultSchema = z.discriminatedUnion('kind', [
  /** HTTP 400 (as Linear's documentation has it) or 429 with RATELIMITED. */
  z.object({
    kind: z.literal('limited'),
    status: z.union([z.literal(400), z.literal(429)]).default(400),
    retryAfter: z.number().int().nonnegative().default(60),
    ...graphqlMatcher,
  }),
  /** A 5xx before anything took effect, and no JSON. */
  z.object({
    kind: z.literal('server-error'),
    status: z.number().int().min(500).max(599).default(502),
    ...graphqlMatcher,
  }),
  /** 403, before anything took effect: the key may not do this. */
  z.object({ kind: z.literal('forbidden'), ...graphqlMatcher }),
  /** An answer as it is given here, before anything took effect: a proxy's page, an error of another shape. */
  z.object({
    kind: z.literal('answer'),
    status: z.number().int().min(200).max(599),
    type: z.string(),
    body: z.string(),
    ...graphqlMatcher,
  }),
  ...lineFaults(graphqlMatcher),
]);

/** A write by someone else, past the API: it is in no log and meets no fault. `id` may be an issue's identifier. */
export const editSchema = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('set'),
    table: z.enum(TABLE_NAMES),
    id: z.string(),
    fields: z.record(z.string(), z.unknown()),
  }),
  z.object({
    op: z.literal('add'),
    table: z.enum(TABLE_NAMES),
    fields: z.record(z.string(), z.unknown()),
  }),
  z.object({ op: z.literal('remove'), table: z.enum(TABLE_NAMES), id: z.string() }),
]);

/** One request as it was answered. */
export const requestSchema = z.object({
  at: z.string(),
  operation: z.enum(['query', 'mutation', 'none']),
  /** The fields of the root that it asked for. */
  fields: z.string().array(),
  /** The document as it came; '' where it was none. */
  query: z.string(),
  variables: z.record(z.string(), z.unknown()),
  /** Null when the connection was cut before a status. */
  status: z.number().int().nullable(),
  complexity: z.number().int(),
  bytes: z.number().int(),
  /** Kind of the fault that met it, or null. */
  fault: z.string().nullable(),
});

/** A seed, or that of the demo world. */
export const namedSeedSchema = z.union([z.literal('demo'), seedSchema]);
export const childOptionsSchema = childOptionsOf(namedSeedSchema);

export const editReplySchema = z.object({ id: z.string() });

export type Fault = z.infer<typeof faultSchema>;
export type FaultInput = z.input<typeof faultSchema>;
export type Edit = z.infer<typeof editSchema>;
export type LoggedRequest = z.infer<typeof requestSchema>;
export type ChildOptions = z.input<typeof childOptionsSchema>;
