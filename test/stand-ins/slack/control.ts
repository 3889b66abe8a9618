/** The control surface: what tests say to the stand-in, as schemas both ends share. */
import { z } from 'zod';
import { childOptionsOf, lineFaults, restMatcher } from '../control.ts';
import { messageSchema, seedSchema } from './model.ts';

/** A switchable fault. Durations in ms, `retryAfter` in seconds. */
export const faultSchema = z.discriminatedUnion('kind', [
  /** HTTP 429 with Retry-After. https://docs.slack.dev/apis/web-api/rate-limits */
  z.object({
    kind: z.literal('rate-limited'),
    retryAfter: z.number().int().nonnegative().default(30),
    ...restMatcher,
  }),
  /** A 5xx before anything took effect. */
  z.object({
    kind: z.literal('server-error'),
    status: z.union([z.literal(500), z.literal(503), z.literal(504)]).default(500),
    ...restMatcher,
  }),
  /** `ok: false` with this error, before anything took effect. */
  z.object({ kind: z.literal('refused'), error: z.string(), ...restMatcher }),
  ...lineFaults(restMatcher),
]);

/** A write by someone else, past the API: it is in no log and meets no fault. */
export const editSchema = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('post'),
    channel: z.string(),
    text: z.string(),
    thread: z.string().optional(),
    user: z.string().optional(),
  }),
  z.object({ op: z.literal('reword'), channel: z.string(), ts: z.string(), text: z.string() }),
  z.object({ op: z.literal('delete'), channel: z.string(), ts: z.string() }),
  z.object({ op: z.literal('rename-user'), id: z.string(), name: z.string() }),
  z.object({ op: z.literal('rename-channel'), id: z.string(), name: z.string() }),
]);

/** One request as it was answered. */
export const requestSchema = z.object({
  /** The Web API method: `chat.postMessage`. */
  method: z.string(),
  /** Null when the connection was cut before a status. */
  status: z.number().int().nullable(),
  fault: z.string().nullable(),
  /** The `error` of an answer, if it has one. */
  error: z.string().nullable(),
});

export const childOptionsSchema = childOptionsOf(seedSchema);
export const editReplySchema = z.object({ ts: z.string() });
/** Messages and answers that are there, oldest first. */
export const dumpSchema = z.array(messageSchema.extend({ channel: z.string() }));

export type Fault = z.infer<typeof faultSchema>;
export type FaultInput = z.input<typeof faultSchema>;
export type Edit = z.infer<typeof editSchema>;
export type EditInput = z.input<typeof editSchema>;
export type LoggedRequest = z.infer<typeof requestSchema>;
export type DumpedMessage = z.infer<typeof dumpSchema>[number];
export type ChildOptions = z.input<typeof childOptionsSchema>;
