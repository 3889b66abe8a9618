/** The control surface: what tests and the demo say to the stand-in, as schemas both ends share. */
import { z } from 'zod';
import { childOptionsOf, lineFaults, restMatcher } from '../control.ts';
import { seedDataSchema } from './model.ts';

/** A switchable fault. Durations in ms, `retryAfter` in seconds. */
export const faultSchema = z.discriminatedUnion('kind', [
  /** 429 rate_limited, with Retry-After. https://developers.notion.com/reference/request-limits */
  z.object({
    kind: z.literal('rate-limited'),
    retryAfter: z.number().int().nonnegative().default(30),
    ...restMatcher,
  }),
  /** 529 service_overload. */
  z.object({
    kind: z.literal('overload'),
    retryAfter: z.number().int().nonnegative().default(30),
    ...restMatcher,
  }),
  /** A 5xx before anything took effect. */
  z.object({
    kind: z.literal('server-error'),
    status: z.union([z.literal(500), z.literal(503), z.literal(504)]).default(500),
    ...restMatcher,
  }),
  /** 403 restricted_resource: "the client doesn't have permission to perform this operation". */
  z.object({ kind: z.literal('forbidden'), ...restMatcher }),
  ...lineFaults(restMatcher),
]);

/** A write by someone else, past the API: it is in no log and meets no fault. */
export const editSchema = z.discriminatedUnion('op', [
  z.object({ op: z.literal('title'), id: z.uuid(), title: z.string() }),
  z.object({ op: z.literal('text'), id: z.uuid(), markdown: z.string() }),
  /** A property of a row, in a request's form: `{ select: { name: 'x' } }`. */
  z.object({
    op: z.literal('property'),
    id: z.uuid(),
    name: z.string(),
    value: z.record(z.string(), z.unknown()),
  }),
  z.object({ op: z.literal('trash'), id: z.uuid() }),
  /** A database with its data sources, by its id. */
  z.object({ op: z.literal('trash-database'), id: z.uuid() }),
  z.object({
    op: z.literal('create'),
    parent: z.uuid(),
    title: z.string(),
    markdown: z.string().default(''),
  }),
  z.object({ op: z.literal('comment'), page: z.uuid(), text: z.string() }),
]);

/** One request as it was answered. */
export const requestSchema = z.object({
  method: z.string(),
  /** Path and query. */
  url: z.string(),
  /** Null when the connection was cut before a status. */
  status: z.number().int().nullable(),
  fault: z.string().nullable(),
  /** Why it was refused, if it was. */
  message: z.string().nullable(),
});

/** A page, as tests compare it. */
export const dumpSchema = z.array(
  z.object({
    id: z.string(),
    title: z.string(),
    markdown: z.string(),
    properties: z.record(z.string(), z.unknown()),
    /** Ids of its blocks, at every depth, in order. */
    blocks: z.array(z.string()),
    inTrash: z.boolean(),
    /** Texts of its comments, oldest first. */
    comments: z.array(z.string()),
  }),
);

/** A seed, or that of the demo world. */
export const seedSchema = z.union([z.literal('demo'), seedDataSchema]);
export const childOptionsSchema = childOptionsOf(seedSchema);
export const editReplySchema = z.object({ id: z.string() });

export type Fault = z.infer<typeof faultSchema>;
export type FaultInput = z.input<typeof faultSchema>;
export type Edit = z.infer<typeof editSchema>;
export type EditInput = z.input<typeof editSchema>;
export type LoggedRequest = z.infer<typeof requestSchema>;
export type DumpedPage = z.infer<typeof dumpSchema>[number];
export type ChildOptions = z.input<typeof childOptionsSchema>;
