/** What a change is: a write on its way to a service. */
import { createHash } from 'node:crypto';
import { createUlidFactory } from '../ulid.ts';

/**
 * - `draft`: being checked, nothing sent;
 * - `pending`: checked and staged, waiting to be applied;
 * - `applied`: the service confirmed it;
 * - `failed`: refused, by us or by the service; nothing changed there;
 * - `conflict`: both sides touched one field; nothing sent;
 * - `unknown`: sent, and no answer told what came of it: never sent again by itself;
 * - `dropped`: was pending, and taken back.
 */
export const CHANGE_STATES = [
  'draft',
  'pending',
  'applied',
  'failed',
  'conflict',
  'unknown',
  'dropped',
] as const;
/** Where a change is on its way. */
export type ChangeState = (typeof CHANGE_STATES)[number];

/** What a change does to its record; `call` is a call of a program, of which nobody knows what it changes. */
export type ChangeOp = 'create' | 'update' | 'delete' | 'call';

/** A request as it goes out: never a header, so never a credential. */
export interface ServiceRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Absolute, or relative to the service's base URL. */
  url: string;
  body: unknown;
  /** What goes out after this one succeeded, where a service needs two for one edit. */
  next?: ServiceRequest;
}

/** What came of a change. */
export interface ChangeResult {
  /** The path in the mount that it made or changed. */
  path: string;
  /** Where a person can look at it. */
  url?: string;
  version?: string;
  /** What a call that had been staged answered, where that was text; its beginning. */
  answer?: string;
}

/**
 * A row of the journal. Times are ms since the epoch; texts are whole files. What a change says,
 * it says from when it is staged on: another text for the same path is another change.
 */
export interface Change {
  /** Sortable by time of creation. */
  id: string;
  /** Tells what would be done by it from anything else. */
  digest: string;
  mount: string;
  /** Path in the mount that was written to, e.g. `/o/r/issues/new.md`. */
  path: string;
  op: ChangeOp;
  state: ChangeState;
  /** Made before the request, so that a repeat can be told from a second wish. */
  idempotencyKey: string;
  baseVersion: string | null;
  /** The record as it was read; null for a create. */
  base: string | null;
  /** The text that was written; null for a delete. */
  mine: string | null;
  /** The record as the service had it when a conflict was found. */
  theirs: string | null;
  /** Unified patch from base to mine. */
  diff: string;
  request: ServiceRequest | null;
  error: string | null;
  result: ChangeResult | null;
  /** Of a dropped change: the id of that which was staged in its place. */
  replacedBy: string | null;
  createdAt: number;
  sentAt: number | null;
  endedAt: number | null;
}

/** What binds a person's word to a change: its place, its texts and its request. */
export function changeDigest({
  mount,
  path,
  op,
  baseVersion,
  base,
  mine,
  request,
}: Omit<Change, 'digest'>): string {
  return createHash('sha256')
    .update(JSON.stringify([mount, path, op, baseVersion, base, mine, request]))
    .digest('hex');
}

/**
 * An id of 26 characters that sorts after `last` and, where the clock does not
 * go back, by time.
 * @param last the greatest id there is; null before the first
 */
export function newChangeId(time: number, last: string | null): string {
  return createUlidFactory(() => time, last?.toUpperCase())().toLowerCase();
}
