/** The control surface: what tests and the demo say to the stand-in, as schemas both ends share. */
import { z } from 'zod';
import { childOptionsOf, lineFaults, restMatcher } from '../control.ts';
import { seedDataSchema, stateReasonSchema } from './model.ts';

/** A switchable fault. Durations in ms, `retryAfter` in seconds. */
export const faultSchema = z.discriminatedUnion('kind', [
  /** Primary limit: `x-ratelimit-remaining: 0`; the window ends after `retryAfter` seconds. */
  z.object({
    kind: z.literal('primary-limit'),
    status: z.union([z.literal(403), z.literal(429)]).default(403),
    retryAfter: z.number().int().nonnegative().default(60),
    ...restMatcher,
  }),
  /** Secondary limit: `retry-after`, while the primary window has room. */
  z.object({
    kind: z.literal('secondary-limit'),
    status: z.union([z.literal(403), z.literal(429)]).default(429),
    retryAfter: z.number().int().nonnegative().default(60),
    ...restMatcher,
  }),
  /**
   * What was taken down: 451 for a DMCA notice, 403 for the terms of service, each with a `block`
   * (github/rest-api-description 3314, josegonzalez/python-github-backup 163, PyGithub/PyGithub 1015).
   */
  z.object({
    kind: z.literal('taken-down'),
    status: z.union([z.literal(451), z.literal(403)]).default(451),
    ...restMatcher,
  }),
  /** A 5xx before anything took effect. */
  z.object({
    kind: z.literal('server-error'),
    status: z.number().int().min(500).max(599).default(502),
    ...restMatcher,
  }),
  ...lineFaults(restMatcher),
]);

const target = { owner: z.string(), repo: z.string() };

/** A write by someone else, past the API: it is in no log and meets no fault. */
export const editSchema = z.discriminatedUnion('op', [
  z.object({
    op: z.literal('edit-issue'),
    ...target,
    number: z.number().int(),
    by: z.string().optional(),
    fields: z.object({
      title: z.string().optional(),
      body: z.string().nullable().optional(),
      state: z.enum(['open', 'closed']).optional(),
      stateReason: stateReasonSchema.nullable().optional(),
      assignees: z.array(z.string()).optional(),
      labels: z.array(z.string()).optional(),
      milestone: z.number().int().nullable().optional(),
    }),
  }),
  z.object({
    op: z.literal('create-issue'),
    ...target,
    title: z.string(),
    body: z.string().nullable().default(null),
    by: z.string().optional(),
    labels: z.array(z.string()).default([]),
  }),
  z.object({ op: z.literal('delete-issue'), ...target, number: z.number().int() }),
  z.object({
    op: z.literal('add-comment'),
    ...target,
    number: z.number().int(),
    by: z.string().optional(),
    body: z.string(),
  }),
  z.object({
    op: z.literal('add-review'),
    ...target,
    number: z.number().int(),
    by: z.string().optional(),
    state: z.enum(['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED']),
    body: z.string(),
    lines: z.array(z.object({ path: z.string(), line: z.number().int(), body: z.string() })),
  }),
  z.object({
    op: z.literal('transfer-issue'),
    ...target,
    number: z.number().int(),
    to: z.object(target),
  }),
  /** Gives it another name, or another owner, or both. */
  z.object({ op: z.literal('rename-repository'), ...target, to: z.object(target) }),
  z.object({ op: z.literal('edit-comment'), ...target, id: z.number().int(), body: z.string() }),
  z.object({ op: z.literal('delete-comment'), ...target, id: z.number().int() }),
  /** Adds, replaces or (with null) removes a file: the branch's head moves. */
  z.object({
    op: z.literal('put-file'),
    ...target,
    path: z.string(),
    content: z.string().nullable(),
  }),
  z.object({
    op: z.literal('request-review'),
    ...target,
    number: z.number().int(),
    of: z.string(),
  }),
  /** A notification of somebody about an issue or a pull request. */
  z.object({
    op: z.literal('notify'),
    ...target,
    number: z.number().int(),
    login: z.string(),
    reason: z.string(),
  }),
  /** A file that was uploaded, by its path at the site. */
  z.object({
    op: z.literal('upload'),
    ...target,
    path: z.string(),
    base64: z.string(),
    contentType: z.string().default('application/octet-stream'),
    location: z.string().optional(),
  }),
  /** A submodule at a path: a commit of another repository. */
  z.object({ op: z.literal('put-submodule'), ...target, path: z.string(), sha: z.string() }),
]);

/**
 * How files are given out: as the service does, unless told otherwise.
 *
 * - A recursive tree ends at 100,000 entries or 7 MB and says `truncated`: "the maximum number of
 *   items in the tree array is 100,000 entries with a maximum size of 7 MB when using the recursive
 *   parameter" (https://docs.github.com/rest/git/trees#get-a-tree).
 * - An archive is on another host, codeload.github.com, which lists of allowed hosts often lack:
 *   here that is the same server under another name, so that it is another origin.
 */
export const filesSchema = z.object({
  treeEntries: z.number().int().positive().default(100_000),
  /** The same of a tree without the levels below it. */
  directoryEntries: z.number().int().positive().default(100_000),
  treeBytes: z
    .number()
    .int()
    .positive()
    .default(7 * 1024 * 1024),
  /** So many results of a search can be had, and whether GitHub ran out of time for it. */
  searchesMost: z.number().int().positive().default(1_000),
  searchIncomplete: z.boolean().default(false),
  archives: z
    .enum(['whole', 'unreachable', 'missing', 'cut', 'of-another-commit'])
    .default('whole'),
});

export const rateLimitSchema = z.object({
  limit: z.number().int().positive().default(5000),
  remaining: z.number().int().nonnegative(),
  resetInSeconds: z.number().int().positive().default(3600),
  /** A minute. */
  searches: z.number().int().positive().default(30),
});

/** How listings of much end: as the service's do, unless told otherwise. */
export const pagingSchema = z.object({
  cursorsBeyond: z.number().int().positive().nullable().default(1_000),
  commentsMost: z.number().int().positive().nullable().default(30_000),
});

/** One request as it was answered. */
export const requestSchema = z.object({
  at: z.string(),
  method: z.string(),
  /** Path and query, as sent. */
  url: z.string(),
  /** Null when the connection was cut before a status. */
  status: z.number().int().nullable(),
  /** Whether it carried If-None-Match or If-Modified-Since. */
  conditional: z.boolean(),
  /** The version of the API that it named; null for none. */
  version: z.string().nullable(),
  /** Bytes of the answer's body. */
  bytes: z.number().int(),
  /** Kind of the fault that met it, or null. */
  fault: z.string().nullable(),
  /** Whether the emulator below answered it. */
  passedThrough: z.boolean(),
});

export const countersSchema = z.object({
  requests: z.number().int(),
  reads: z.number().int(),
  writes: z.number().int(),
  notModified: z.number().int(),
  bytes: z.number().int(),
  byStatus: z.record(z.string(), z.number().int()),
});

/** A seed, or one that the stand-in has: `demo` has 300 issues and pull requests, `empty` one repository with none. */
export const seedSchema = z.union([z.enum(['demo', 'empty']), seedDataSchema]);
export const childOptionsSchema = childOptionsOf(seedSchema);

/** Where what happens is sent; null for nowhere. */
export const hookSchema = z.object({ url: z.url(), secret: z.string().min(1) }).nullable();

export const editReplySchema = z.object({ id: z.number().int(), number: z.number().int() });

export type Fault = z.infer<typeof faultSchema>;
export type FaultInput = z.input<typeof faultSchema>;
export type Edit = z.infer<typeof editSchema>;
export type EditInput = z.input<typeof editSchema>;
export type LoggedRequest = z.infer<typeof requestSchema>;
export type Counters = z.infer<typeof countersSchema>;
export type FilesInput = z.input<typeof filesSchema>;
export type FilesGiven = z.infer<typeof filesSchema>;
export type RateLimitInput = z.input<typeof rateLimitSchema>;
export type PagingInput = z.input<typeof pagingSchema>;
export type ChildOptions = z.input<typeof childOptionsSchema>;
export type Seed = z.infer<typeof seedSchema>;
