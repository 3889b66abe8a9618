/** The control surface: what tests and the demo say to the stand-in, as schemas both ends share. */
import { z } from 'zod';
import { seedSchema, TABLE_NAMES } from './model.ts';

const matcher = {
  /** Applies to so many matching requests; without it, until the faults are cleared. */
  times: z.number().int().positive().optional(),
  /** Lets so many matching requests pass first. */
  skip: z.number().int().nonnegative().default(0),
  /** Only requests of this operation. */
  operation: z.enum(['query', 'mutation']).optional(),
  /** Only requests that ask for this field of the root: `issues`, `issueCreate` … */
  field: z.string().optional(),
};

/** A switchable fault. Durations in ms, `retryAfter` in seconds. */
export const faultSchema = z.discriminatedUnion('kind', [
  /** HTTP 400 (as Linear's documentation has it) or 429 with RATELIMITED. */
  z.object({
    kind: z.literal('limited'),
    status: z.union([z.literal(400), z.literal(429)]).default(400),
    retryAfter: z.number().int().nonnegative().default(60),
    ...matcher,
  }),
  /** A 5xx before anything took effect, and no JSON. */
  z.object({
    kind: z.literal('server-error'),
    status: z.number().int().min(500).max(599).default(502),
    ...matcher,
  }),
  /** The answer comes `ms` late; the request takes effect at once. */
  z.object({ kind: z.literal('slow'), ms: z.number().nonnegative(), ...matcher }),
  /** The connection ends before the request took effect. */
  z.object({ kind: z.literal('cut'), ...matcher }),
  /** The connection ends in the middle of the body; the request took effect. */
  z.object({ kind: z.literal('cut-body'), ...matcher }),
  /** The request takes effect, then the connection ends without an answer. */
  z.object({ kind: z.literal('lost-answer'), ...matcher }),
  /** Listings show the state as it was `ms` ago. */
  z.object({ kind: z.literal('lag'), ms: z.number().nonnegative(), ...matcher }),
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
  /** Null when the connection was cut before a status. */
  status: z.number().int().nullable(),
  complexity: z.number().int(),
  bytes: z.number().int(),
  /** Kind of the fault that met it, or null. */
  fault: z.string().nullable(),
});

export const childOptionsSchema = z.object({
  seed: z.union([z.literal('demo'), seedSchema]),
  port: z.number().int().min(0).max(65_535),
});

export const editReplySchema = z.object({ id: z.string() });

export type Fault = z.infer<typeof faultSchema>;
export type FaultInput = z.input<typeof faultSchema>;
export type Edit = z.infer<typeof editSchema>;
export type LoggedRequest = z.infer<typeof requestSchema>;
export type ChildOptions = z.infer<typeof childOptionsSchema>;
