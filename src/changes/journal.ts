/**
 * The change journal: every write to a service, before, while and after it is
 * sent. One SQLite file, shared by processes, and the one source of truth for
 * what is pending.
 */

import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
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
import { isGone, newOwner } from './owner.ts';
import { CHANGE_MIGRATIONS } from './schema.ts';

/** What a mount hands in so that its pending changes can be acted on. */
export interface ChangeExecutor {
  /** Checks the base again and sends; ends the change in the journal. Throws what the service said. */
  apply(change: Change): Promise<void>;
  /** Present where several go through as one or not at all: notes what came of each, and throws nothing of that. */
  applyTogether?(changes: readonly Change[]): Promise<void>;
  /** Asks the service what came of an unknown change, and sends nothing. */
  settle(change: Change): Promise<void>;
}

/** What came of one change of a set. */
export interface Applied {
  id: string;
  state: ChangeState;
  /** Why it did not go through. */
  error?: string;
}

/** A change by its id; with the digest that was shown, that content and no other. */
export type ChangeName = string | Pick<Change, 'id' | 'digest'>;

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

/** A lock that its owner did not release is void after this, in ms. */
const LOCK_LEASE_MS = 60_000;
/** How long a writer waits for another's lock, in ms. */
const LOCK_WAIT_MS = 10_000;

const DAY_MS = 86_400_000;
const NEVER_SENT =
  'the process that wrote it ended before anything was sent: nothing changed; write it again';

const ENDED: ReadonlySet<ChangeState> = new Set(['applied', 'failed', 'conflict', 'dropped']);

/** What a journal is opened with. */
export interface JournalOptions {
  now?: () => Date;
  /** Takes credentials out of what services said. */
  conceal?: Conceal;
}

/** The writes of a state directory on their way to services, shared by its processes. */
export class ChangeJournal {
  readonly #database: Database;
  readonly #now: () => Date;
  readonly #conceal: Conceal;
  readonly #executors = new Map<string, ChangeExecutor>();
  readonly #seekers = new Set<() => Promise<void>>();
  readonly #listeners = new Set<(change: Change) => void>();
  readonly #owner = newOwner();

  constructor(
    file: string,
    { now = () => new Date(), conceal = (text) => text }: JournalOptions = {},
  ) {
    this.#database = openChangesFile(file, CHANGE_MIGRATIONS);
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

  /** Lets the journal act for a mount; a later one of the same name replaces it. */
  attach(mount: string, executor: ChangeExecutor): void {
    this.#executors.set(mount, executor);
  }

  /** Does a change belong to another account than the one that acts here for its service? */
  isAnothers({ mount }: Pick<Change, 'mount'>): boolean {
    if (this.#executors.has(mount)) return false;
    const service = serviceOf(mount);
    return [...this.#executors.keys()].some((name) => serviceOf(name) === service);
  }

  /**
   * Is asked before a change is refused because its mount is not attached: one that does not know
   * yet whose it is may find out, and be the one. Returns how to stop.
   */
  onUnattached(seek: () => Promise<void>): () => void {
    this.#seekers.add(seek);
    return () => this.#seekers.delete(seek);
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
    const time = this.#now().getTime();
    const id = newChangeId(time);
    this.#database
      .prepare(
        `INSERT INTO changes (id, mount, path, op, state, idempotency_key, created_at, owner)
         VALUES (?, ?, ?, ?, 'draft', ?, ?, ?)`,
      )
      .run(id, init.mount, init.path, init.op, randomUUID(), time, this.#owner);
    const { mount: _mount, path: _path, op: _op, ...texts } = init;
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
      const before = this.#require(id);
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
      this.#require(id).state === 'pending'
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
   * Sends pending changes one after the other, in the order given, and says what came of each.
   * One that is named with a digest is sent only if it still says what it said then. Several of a
   * mount that can have them go through as one do so, in the place of the first of them.
   */
  async apply(changes: readonly ChangeName[]): Promise<Applied[]> {
    const sets = new Map<ChangeExecutor, ChangeName[]>();
    const order: (ChangeName | ChangeName[])[] = [];
    for (const name of changes) {
      const { change, executor } = await this.#executorOf(idOf(name));
      const set = executor && sets.get(executor);
      if (executor?.applyTogether === undefined || change.op === 'call') order.push(name);
      else if (set !== undefined) set.push(name);
      else {
        const begun = [name];
        sets.set(executor, begun);
        order.push(begun);
      }
    }
    const results: Applied[] = [];
    for (const one of order) {
      const isSet = Array.isArray(one) && one.length > 1;
      if (isSet) results.push(...(await this.#applyTogether(one)));
      else
        results.push(
          ...(await this.#each([one].flat(), 'pending', (executor, change) =>
            executor.apply(change),
          )),
        );
    }
    return results;
  }

  /** All of them, or none: also where one is not what it was said to be. */
  async #applyTogether(set: readonly ChangeName[]): Promise<Applied[]> {
    const named = await Promise.all(set.map((name) => this.#executorOf(idOf(name))));
    const [executor] = named.flatMap((one) => one.executor ?? []);
    const why = set.map((name, index) => this.#whyNot(name, named[index]?.change));
    const culprit = why.findIndex((reason) => reason !== null);
    if (culprit >= 0) {
      const id = idOf(set[culprit] ?? '');
      return set.map((name, index) =>
        this.#outcome(
          idOf(name),
          why[index] ?? `nothing was changed: it is applied together with ${id}, which does not go`,
        ),
      );
    }
    const changes = named.map(({ change }) => change);
    try {
      await executor?.applyTogether?.(changes);
    } catch (error) {
      const text = error instanceof FsError ? (error.reason ?? error.message) : String(error);
      return changes.map(({ id }) => this.#outcome(id, text));
    }
    return changes.map(({ id }) => this.#outcome(id));
  }

  /** Why a change is not applied as it was named; null where it is. */
  #whyNot(name: ChangeName, change: Change | undefined): string | null {
    if (change === undefined || change.state !== 'pending')
      return change === undefined ? 'there is no such change' : not('pending', change);
    const isOther = typeof name !== 'string' && name.digest !== change.digest;
    return isOther ? OTHERWISE : null;
  }

  /** Asks the services what came of unknown changes; nothing is sent again. */
  async settle(ids: readonly string[]): Promise<Applied[]> {
    return this.#each(ids, 'unknown', (executor, change) => executor.settle(change));
  }

  /**
   * Ends what processes that are gone left under way, for the mounts that are
   * attached: a draft was never sent, and failed; of what was sent in the last
   * day the service is asked. Nothing is sent again. Gives what became of each.
   */
  async recover(): Promise<Applied[]> {
    const now = this.#now().getTime();
    const left = (['draft', 'unknown'] as const).flatMap((state) =>
      [...this.#executors.keys()].flatMap((mount) => this.#abandoned(mount, state, now)),
    );
    const asked = left.filter(
      ({ state, sentAt }) => state === 'unknown' && sentAt !== null && now - sentAt < DAY_MS,
    );
    for (const { id, state } of left) {
      if (state === 'draft') this.update(id, { state: 'failed', error: NEVER_SENT });
    }
    const settled = await this.settle(asked.map(({ id }) => id));
    const drafts = left.filter(({ state }) => state === 'draft');
    return [...drafts.map(({ id }) => this.#outcome(id)), ...settled];
  }

  #abandoned(mount: string, state: 'draft' | 'unknown', now: number): Change[] {
    const owners = this.#database.prepare(
      'SELECT id, owner FROM changes WHERE mount = ? AND state = ?',
    );
    return owners.all(mount, state).flatMap(({ id, owner }) => {
      const change = this.#require(String(id));
      const by = typeof owner === 'string' ? owner : null;
      return isGone(by, this.#owner, change.sentAt ?? change.createdAt, now) ? [change] : [];
    });
  }

  /** Takes pending changes back. */
  async drop(ids: readonly string[]): Promise<Applied[]> {
    const results: Applied[] = [];
    for (const id of ids) {
      const change = this.#require(id);
      if (change.state === 'pending') this.update(id, { state: 'dropped' });
      results.push(
        this.#outcome(id, change.state === 'pending' ? undefined : not('pending', change)),
      );
    }
    return results;
  }

  /**
   * Runs `work` while no other process that shares this journal writes the record.
   *
   * @throws FsError EBUSY when another holds it for longer than 10 s.
   */
  async lock<T>(mount: string, path: string, work: () => Promise<T>): Promise<T> {
    const owner = randomUUID();
    const deadline = Date.now() + LOCK_WAIT_MS;
    while (!this.#tryLock(mount, path, owner)) {
      if (Date.now() > deadline) {
        throw new FsError('EBUSY', {
          path,
          op: 'write',
          reason: 'another process is writing this record: try again in a moment',
        });
      }
      await delay(25);
    }
    try {
      return await work();
    } finally {
      this.#database
        .prepare('DELETE FROM locks WHERE mount = ? AND path = ? AND owner = ?')
        .run(mount, path, owner);
    }
  }

  #tryLock(mount: string, path: string, owner: string): boolean {
    const now = Date.now();
    return (
      this.#database
        .prepare(
          `INSERT INTO locks VALUES (?1, ?2, ?3, ?4) ON CONFLICT (mount, path)
           DO UPDATE SET owner = ?3, expires_at = ?4 WHERE expires_at < ?5`,
        )
        .run(mount, path, owner, now + LOCK_LEASE_MS, now).changes === 1
    );
  }

  async #each(
    changes: readonly ChangeName[],
    state: ChangeState,
    act: (executor: ChangeExecutor, change: Change) => Promise<void>,
  ): Promise<Applied[]> {
    const results: Applied[] = [];
    for (const name of changes) {
      const { id, digest } = typeof name === 'string' ? { id: name, digest: null } : name;
      const { change, executor } = await this.#executorOf(id);
      if (change.state !== state) {
        results.push(this.#outcome(id, not(state, change)));
      } else if (digest !== null && digest !== change.digest) {
        results.push(this.#outcome(id, OTHERWISE));
      } else if (executor === undefined) {
        results.push(
          this.#outcome(
            id,
            `no mount here is that of the account it was written with (${change.mount})`,
          ),
        );
      } else {
        results.push(await this.#act(id, () => act(executor, change)));
      }
    }
    return results;
  }

  async #executorOf(id: string): Promise<{ change: Change; executor: ChangeExecutor | undefined }> {
    const found = () => {
      const change = this.#require(id);
      return { change, executor: this.#executors.get(change.mount) };
    };
    const now = found();
    if (now.executor !== undefined || this.#seekers.size === 0) return now;
    await Promise.all([...this.#seekers].map((seek) => seek()));
    return found();
  }

  async #act(id: string, act: () => Promise<void>): Promise<Applied> {
    try {
      await act();
      return this.#outcome(id);
    } catch (error) {
      const text = error instanceof FsError ? (error.reason ?? error.message) : String(error);
      const now = this.#require(id);
      // Of what has ended by another's hand, this is no word.
      if (now.error === null && now.state !== 'applied' && now.state !== 'dropped')
        this.update(id, { error: text });
      return this.#outcome(id, text);
    }
  }

  #outcome(id: string, error?: string): Applied {
    const change = this.#require(id);
    const text = error ?? (change.state === 'applied' ? undefined : (change.error ?? undefined));
    return { id, state: change.state, ...(text === undefined ? {} : { error: text }) };
  }

  #require(id: string): Change {
    const change = this.get(id);
    if (change === null) {
      throw new FsError('ENOENT', { path: `/${id}`, op: 'open', reason: `no change has id ${id}` });
    }
    return change;
  }
}

const OTHERWISE = 'it is not what was shown any more; look at it again';

const idOf = (name: ChangeName): string => (typeof name === 'string' ? name : name.id);

/** Why a change is not what it should be. */
export function not(state: ChangeState, { state: now, replacedBy }: Change): string {
  const by =
    replacedBy === null ? '' : `: it was staged again, with another content, as ${replacedBy}`;
  return `the change is ${now}, not ${state}${by}`;
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

/** A mount's name is its service, with the host where it has one of its own, and then ` @` and the account. */
const serviceOf = (mount: string): string => mount.split(' @', 1)[0] ?? mount;
