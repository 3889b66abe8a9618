/**
 * The rows of the change journal: every write to a service, and each step of it, on the disk before
 * anything else learns of it.
 */
import { randomUUID } from 'node:crypto';
import type { Conceal } from '../conceal.ts';
import { FsError } from '../errors.ts';
import { filePatch } from '../patch.ts';
import type { Database, Row } from '../replica/database.ts';
import {
  type Change,
  type ChangeOp,
  type ChangeState,
  changeDigest,
  newChangeId,
  type ServiceRequest,
} from './change.ts';
import { openChangesFile } from './file.ts';
import { RecordLocks } from './locks.ts';
import { isGone, newOwner } from './owner.ts';
import { CHANGE_MIGRATIONS } from './schema.ts';

/** Which changes to list. */
export interface ChangeFilter {
  mount?: string;
  path?: string;
  state?: ChangeState;
}

/** What may be noted on a change as it moves on. */
export type ChangePatch = Partial<
  Pick<
    Change,
    | 'state'
    | 'baseVersion'
    | 'base'
    | 'mine'
    | 'theirs'
    | 'request'
    | 'error'
    | 'result'
    | 'replacedBy'
    | 'sentAt'
  >
>;

const DAY_MS = 86_400_000;

const ENDED: ReadonlySet<ChangeState> = new Set(['applied', 'failed', 'conflict', 'dropped']);

/** What a journal is opened with. */
export interface JournalOptions {
  now?: () => Date;
  /** Takes credentials out of what services said. */
  conceal?: Conceal;
}

/** The changes in a file that processes share: noted, looked up, and told to whoever listens. */
export class ChangeRecords {
  readonly #database: Database;
  readonly #now: () => Date;
  readonly #conceal: Conceal;
  readonly #locks: RecordLocks;
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #owner = newOwner();

  constructor(
    file: string,
    { now = () => new Date(), conceal = (text) => text }: JournalOptions = {},
  ) {
    this.#database = openChangesFile(file, CHANGE_MIGRATIONS);
    this.#locks = new RecordLocks(this.#database);
    this.#now = now;
    this.#conceal = conceal;
  }

  /** Closes the database. */
  close(): void {
    this.#database.close();
  }

  /** Another text than before whenever something in it, or in its file, was changed by anybody. */
  generation(): string {
    return this.#database.generation();
  }

  /** Gives the changes of one mount to another name: the same account, known by it from now on. */
  adopt(from: string, to: string): void {
    // Asked first: most of the time there is nothing, and a reader waits for no writer.
    if (this.#database.one('SELECT 1 FROM changes WHERE mount = ? LIMIT 1', from) === undefined)
      return;
    this.#database.prepare('UPDATE changes SET mount = ? WHERE mount = ?').run(to, from);
  }

  /** Told of every step of every change made through this journal object. Returns how to stop. */
  onChange(listener: (change: Change) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Starts a change. Its id and idempotency key are on disk when this returns. */
  begin(
    init: { mount: string; path: string; op: ChangeOp } & Partial<
      Pick<Change, 'base' | 'baseVersion' | 'mine'>
    >,
  ): Change {
    const { mount, path, op, ...texts } = init;
    const time = this.#now().getTime();
    // The greatest id is read and exceeded in one transaction: changes of one
    // millisecond are in their order, whoever of several processes began them.
    const id = this.#database.transaction(() => {
      const last = this.#database.one('SELECT max(id) AS id FROM changes')?.['id'] ?? null;
      const next = newChangeId(time, last as string | null);
      this.#database
        .prepare(
          `INSERT INTO changes (id, mount, path, op, state, idempotency_key, created_at, owner)
           VALUES (?, ?, ?, ?, 'draft', ?, ?, ?)`,
        )
        .run(next, mount, path, op, randomUUID(), time, this.#owner);
      return next;
    });
    return this.update(id, { base: null, mine: null, ...texts });
  }

  /** Notes a step. The diff follows base and mine; an end gets its time. */
  update(id: string, patch: ChangePatch): Change {
    const next = this.#note(id, patch);
    this.#tell([next]);
    return next;
  }

  #note(id: string, patch: ChangePatch): Change {
    return this.#database.transaction(() => {
      const before = this.existing(id);
      const change = withDigest({ ...before, ...patch });
      if (
        before.state === 'pending' &&
        (change.mine !== before.mine || change.base !== before.base)
      )
        throw new Error(`the change ${id} is staged: another text is another change`);
      if (change.error !== null) change.error = this.#conceal(change.error);
      if ('base' in patch || 'mine' in patch) change.diff = patchText(change);
      change.endedAt = ENDED.has(change.state) ? this.#now().getTime() : null;
      this.#database
        .prepare(
          `UPDATE changes SET state = ?, base_version = ?, base = ?, mine = ?, theirs = ?, diff = ?,
           request = ?, error = ?, result = ?, replaced_by = ?, sent_at = ?, ended_at = ?, owner = ?
           WHERE id = ?`,
        )
        .run(
          change.state,
          change.baseVersion,
          change.base,
          change.mine,
          change.theirs,
          change.diff,
          json(change.request),
          change.error,
          json(change.result),
          change.replacedBy,
          change.sentAt,
          change.endedAt,
          this.#owner,
          id,
        );
      return change;
    });
  }

  #dropped(before: readonly Change[], by: string): Change[] {
    return before.flatMap(({ id }) =>
      this.existing(id).state === 'pending'
        ? [this.#note(id, { state: 'dropped', replacedBy: by })]
        : [],
    );
  }

  #tell(changes: readonly Change[]): void {
    for (const change of changes) for (const listener of this.#listeners) listener(change);
  }

  /** Stages a draft in the place of what was staged before: both, or neither. */
  stage(id: string, request: ServiceRequest, before: readonly Change[]): void {
    const told = this.#database.transaction(() => [
      this.#note(id, { state: 'pending', request, error: null }),
      ...this.#dropped(before, id),
    ]);
    this.#tell(told);
  }

  /** Takes back what was staged before another change, which stands in its place now. */
  replace(before: readonly Change[], by: string): void {
    this.#tell(this.#database.transaction(() => this.#dropped(before, by)));
  }

  /** Removes a draft that turned out to change nothing. */
  forget(id: string): void {
    this.#database.prepare("DELETE FROM changes WHERE id = ? AND state = 'draft'").run(id);
  }

  /** null where there is none with that id. */
  get(id: string): Change | null {
    const row = this.#database.prepare('SELECT * FROM changes WHERE id = ?').get(id);
    return row === undefined ? null : fromRow(row);
  }

  /** Changes, oldest first. */
  list(filter: ChangeFilter = {}): Change[] {
    const conditions = Object.entries(filter).filter(([, value]) => value !== undefined);
    const where = conditions.map(([column]) => `${column} = ?`).join(' AND ');
    return this.#database
      .prepare(`SELECT * FROM changes ${where === '' ? '' : `WHERE ${where}`} ORDER BY id`)
      .all(...conditions.map(([, value]) => value as string))
      .map(fromRow);
  }

  /** What was sent to a mount's service since a time, ms. */
  sentSince(mount: string, time: number): Change[] {
    return this.#database
      .prepare('SELECT * FROM changes WHERE mount = ? AND sent_at >= ? ORDER BY id')
      .all(mount, time)
      .map(fromRow);
  }

  /** The staged change of a path, which reads show. */
  pending(mount: string, path: string): Change | null {
    return this.list({ mount, path, state: 'pending' }).at(-1) ?? null;
  }

  /** The latest change of a path, or null. */
  latest(mount: string, path: string): Change | null {
    return this.list({ mount, path }).at(-1) ?? null;
  }

  /** The text of the latest failure of a write under a directory of a mount, or null. */
  lastError(mount: string, directory: string): string | null {
    const row = this.#database
      .prepare(
        `SELECT path, error FROM changes WHERE mount = ? AND error IS NOT NULL
         AND substr(path, 1, ?) = ? ORDER BY id DESC`,
      )
      .all(mount, directory.length + 1, `${directory}/`)
      .find(
        (found) =>
          !String(found['path'])
            .slice(directory.length + 1)
            .includes('/'),
      );
    return row === undefined ? null : String(row['error']);
  }

  /**
   * Runs `work` while no other process that shares this journal writes the record.
   * @throws FsError EBUSY when another holds it for longer than 10 s.
   */
  lock<T>(mount: string, path: string, work: () => Promise<T>): Promise<T> {
    return this.#locks.hold(mount, path, work);
  }

  /**
   * What processes that are gone left under way, of these mounts: what was never sent, and what was
   * sent in the last day and has no known outcome.
   */
  leftUnderWay(mounts: readonly string[]): { unsent: Change[]; unknown: Change[] } {
    const now = this.#now().getTime();
    const left = (state: 'draft' | 'unknown'): Change[] =>
      mounts.flatMap((mount) => this.#abandoned(mount, state, now));
    return {
      unsent: left('draft'),
      unknown: left('unknown').filter(({ sentAt }) => sentAt !== null && now - sentAt < DAY_MS),
    };
  }

  #abandoned(mount: string, state: 'draft' | 'unknown', now: number): Change[] {
    const owners = this.#database.prepare(
      'SELECT id, owner FROM changes WHERE mount = ? AND state = ?',
    );
    return owners.all(mount, state).flatMap(({ id, owner }) => {
      const change = this.existing(String(id));
      const by = typeof owner === 'string' ? owner : null;
      return isGone(by, this.#owner, change.sentAt ?? change.createdAt, now) ? [change] : [];
    });
  }

  /** @throws FsError ENOENT where there is none with that id */
  existing(id: string): Change {
    const change = this.get(id);
    if (change === null) {
      throw new FsError('ENOENT', { path: `/${id}`, op: 'open', reason: `no change has id ${id}` });
    }
    return change;
  }
}

function patchText(change: Change): string {
  return filePatch(change.path.slice(1), change.base ?? '', change.mine ?? '');
}

function json(value: ServiceRequest | Change['result']): string | null {
  return value === null ? null : JSON.stringify(value);
}

function fromRow(row: Row): Change {
  const text = (name: string) => (typeof row[name] === 'string' ? row[name] : null);
  const time = (name: string) => (row[name] === null ? null : Number(row[name]));
  const request = text('request');
  const result = text('result');
  const change = {
    id: String(row['id']),
    mount: String(row['mount']),
    path: String(row['path']),
    op: row['op'] as ChangeOp,
    state: row['state'] as ChangeState,
    idempotencyKey: String(row['idempotency_key']),
    baseVersion: text('base_version'),
    base: text('base'),
    mine: text('mine'),
    theirs: text('theirs'),
    diff: String(row['diff']),
    request: request === null ? null : (JSON.parse(request) as ServiceRequest),
    error: text('error'),
    result: result === null ? null : (JSON.parse(result) as Change['result']),
    replacedBy: text('replaced_by'),
    createdAt: Number(row['created_at']),
    sentAt: time('sent_at'),
    endedAt: time('ended_at'),
  };
  return withDigest(change);
}

/** Most rows are asked for without it, and their texts may be long: it is worked out when it is read. */
function withDigest<T extends Omit<Change, 'digest'>>(change: T): T & Pick<Change, 'digest'> {
  return Object.defineProperty(change, 'digest', {
    get: () => changeDigest(change),
    enumerable: true,
    configurable: true,
  }) as T & Pick<Change, 'digest'>;
}
