/**
 * The rows of the queue, in the journal of the state directory: each message is
 * on the disk before anybody is told that it was taken, and each step of it
 * before the next one begins.
 */
import { isDeepStrictEqual } from 'node:util';
import { openChangesFile } from '../../changes/file.ts';
import { authorText, parseAuthor } from '../../policy/author.ts';
import type { Database, Row } from '../../replica/database.ts';
import { createUlidFactory } from '../../ulid.ts';
import { Rounds } from './rounds.ts';
import {
  type DeliveryMode,
  type QueuedTurn,
  type QueueState,
  stateAfter,
  type TurnDraft,
  type TurnOutcome,
} from './turn.ts';

const TABLE = `
  CREATE TABLE IF NOT EXISTS turns (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    session TEXT NOT NULL,
    source TEXT NOT NULL,
    source_id TEXT NOT NULL,
    actor TEXT NOT NULL,
    agent TEXT,
    model TEXT,
    text TEXT NOT NULL,
    author TEXT,
    untrusted TEXT NOT NULL,
    mode TEXT NOT NULL,
    state TEXT NOT NULL,
    part INTEGER NOT NULL DEFAULT 0,
    approvals TEXT NOT NULL DEFAULT '[]',
    not_before INTEGER NOT NULL DEFAULT 0,
    held_by TEXT,
    created_at INTEGER NOT NULL,
    taken_at INTEGER,
    ended_at INTEGER,
    outcome TEXT,
    UNIQUE (source, source_id)
  );
  CREATE INDEX IF NOT EXISTS turns_by_state ON turns (state, session);
  CREATE INDEX IF NOT EXISTS turns_by_session ON turns (session, seq);
`;

/** What the table did not have at first. */
const ADDED = ["questions TEXT NOT NULL DEFAULT '[]'", 'plan INTEGER NOT NULL DEFAULT 0'];

/** Which messages are listed. */
export interface TurnFilter {
  session?: string;
  /** Those of this actor. */
  actor?: string;
  states?: readonly QueueState[];
  /** Only those after this one, in the order of the queue. */
  after?: string;
  /** So many at most; all, if absent. */
  limit?: number;
}

/** What a turn has asked of people, by the ids. */
export type AskedOf = Pick<QueuedTurn, 'approvals' | 'questions'>;

/** What turns of one day have spent. */
export interface TurnsSpent {
  /** `2026-11-23`, UTC. */
  day: string;
  actor: string;
  /** The one that their messages named; null where the agent's own was taken. */
  model: string | null;
  turns: number;
  inputTokens: number;
  outputTokens: number;
}

/** The messages of a state directory, of which one process at a time runs the turns. */
export class TurnJournal {
  readonly #database: Database;
  readonly #now: () => number;
  readonly #nextId: () => string;
  readonly #listeners = new Set<(turn: QueuedTurn) => void>();
  readonly #rounds = new Rounds();

  /** @param file `changes.sqlite` of a state directory, or ':memory:' */
  constructor(file: string, now: () => number = Date.now) {
    this.#database = openChangesFile(file, TABLE);
    // Whoever was told that a message is taken does not send it again.
    this.#database.exec('PRAGMA synchronous = FULL');
    this.#database.addColumns('turns', ADDED);
    this.#now = now;
    this.#nextId = createUlidFactory(now);
  }

  close(): void {
    this.#database.close();
  }

  /** Told of every step made through this object. Returns how to stop. */
  onStep(listener: (turn: QueuedTurn) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Takes a message in; one whose source has brought it before is given as it is now.
   * @param heldBy it waits until it is released; who holds it is kept with it
   */
  add(draft: TurnDraft, heldBy: string | null = null): { turn: QueuedTurn; isNew: boolean } {
    const id = this.#nextId().toLowerCase();
    const {
      agent = null,
      model = null,
      author = null,
      untrusted = [],
      mode = 'queue',
      plan = false,
    } = draft;
    const { changes } = this.#database
      .prepare(
        `INSERT INTO turns (id, session, source, source_id, actor, agent, model, text, author,
           untrusted, mode, state, held_by, created_at, plan)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?, ?, ?)
         ON CONFLICT (source, source_id) DO NOTHING`,
      )
      .run(
        id,
        draft.session,
        draft.source,
        draft.sourceId,
        draft.actor,
        agent,
        model,
        draft.text,
        author === null ? null : authorText(author),
        JSON.stringify(untrusted),
        mode,
        heldBy,
        this.#now(),
        plan ? 1 : 0,
      );
    const turn = this.find(draft.source, draft.sourceId);
    if (turn === null) throw new Error(`the message ${draft.sourceId} is not in the queue`);
    if (changes === 1) this.#tell(turn);
    return { turn, isNew: changes === 1 };
  }

  get(id: string): QueuedTurn | null {
    const row = this.#database.one('SELECT * FROM turns WHERE id = ?', id);
    return row === undefined ? null : fromRow(row);
  }

  /** What a source has brought; null where it has not. */
  find(source: string, sourceId: string): QueuedTurn | null {
    const row = this.#database.one(
      'SELECT * FROM turns WHERE source = ? AND source_id = ?',
      source,
      sourceId,
    );
    return row === undefined ? null : fromRow(row);
  }

  /** In the order of the queue. */
  list({ session, actor, states, after, limit }: TurnFilter = {}): QueuedTurn[] {
    const where: string[] = [];
    const values: (string | number)[] = [];
    if (session !== undefined) {
      where.push('session = ?');
      values.push(session);
    }
    if (actor !== undefined) {
      where.push('actor = ?');
      values.push(actor);
    }
    if (states !== undefined) {
      where.push(`state IN (${states.map(() => '?').join(', ')})`);
      values.push(...states);
    }
    if (after !== undefined) {
      where.push('seq > (SELECT seq FROM turns WHERE id = ?)');
      values.push(after);
    }
    const condition = where.length === 0 ? '' : `WHERE ${where.join(' AND ')}`;
    return this.#database
      .all(`SELECT * FROM turns ${condition} ORDER BY seq LIMIT ?`, ...values, limit ?? -1)
      .map(fromRow);
  }

  /** What turns have spent that ended since then, by day (UTC), actor and model. @param since ms since the epoch */
  spent(since: number): TurnsSpent[] {
    return this.#database
      .all(
        `SELECT date(ended_at / 1000, 'unixepoch') AS day, actor, coalesce(model, '') AS model,
           count(*) AS turns,
           sum(coalesce(json_extract(outcome, '$.usage.inputTokens'), 0)) AS input,
           sum(coalesce(json_extract(outcome, '$.usage.outputTokens'), 0)) AS output
         FROM turns WHERE ended_at >= ? GROUP BY day, actor, model ORDER BY day, actor, model`,
        since,
      )
      .map((row) => ({
        day: String(row['day']),
        actor: String(row['actor']),
        model: row['model'] === '' ? null : String(row['model']),
        turns: Number(row['turns']),
        inputTokens: Number(row['input']),
        outputTokens: Number(row['output']),
      }));
  }

  /** How many messages of a source came since a time, ms, whose ids begin so. */
  begunSince(source: string, prefix: string, time: number): number {
    const row = this.#database.one(
      'SELECT count(*) AS n FROM turns WHERE source = ? AND substr(source_id, 1, ?) = ? AND created_at > ?',
      source,
      prefix.length,
      prefix,
      time,
    );
    return Number(row?.['n']);
  }

  /** How many messages of a source wait that somebody has said. */
  waitingOf(source: string, speaker: string): number {
    const row = this.#database.one(
      `SELECT count(*) AS n FROM turns WHERE state = 'queued' AND source = ?
         AND coalesce(json_extract(author, '$.actors[0]'), actor) = ?`,
      source,
      speaker,
    );
    return Number(row?.['n']);
  }

  /** How many messages there are in each state. */
  counts(): Partial<Record<QueueState, number>> {
    const rows = this.#database.all('SELECT state, count(*) AS n FROM turns GROUP BY state');
    return Object.fromEntries(rows.map((row) => [String(row['state']), Number(row['n'])]));
  }

  /** Takes the next message whose session has no turn under way, of whoever's round it is; null where there is none. */
  take(): QueuedTurn | null {
    const taken = this.#database.transaction(() => {
      // The first of each session alone: one that waits for its time holds up those behind it.
      const waiting = this.#database
        .all(
          `SELECT id, session, actor FROM turns AS next
           WHERE state = 'queued' AND held_by IS NULL AND not_before <= ?
             AND NOT EXISTS (
               SELECT 1 FROM turns WHERE session = next.session
                 AND (state = 'running' OR (state = 'queued' AND seq < next.seq)))
           ORDER BY seq`,
          this.#now(),
        )
        .map((row) => ({
          id: String(row['id']),
          session: String(row['session']),
          actor: String(row['actor']),
        }));
      if (waiting.length === 0) return null;
      const { id } = this.#rounds.next(waiting, this.#running());
      return this.#set(id, "state = 'running', taken_at = coalesce(taken_at, ?)", this.#now());
    });
    // Whoever is told may write to the same file.
    if (taken !== null) this.#tell(taken);
    return taken;
  }

  /** How many turns of an actor run. */
  #running(): (actor: string) => number {
    const rows = this.#database.all(
      "SELECT actor, count(*) AS n FROM turns WHERE state = 'running' GROUP BY actor",
    );
    const counts = new Map(rows.map((row) => [String(row['actor']), Number(row['n'])]));
    return (actor) => counts.get(actor) ?? 0;
  }

  /**
   * Takes what was said to a turn that runs, by whoever it acts for. Somebody else's words are a
   * turn of their own: they would have rights in this one that are not theirs.
   */
  takeSteering({ session, author }: Pick<QueuedTurn, 'session' | 'author'>): QueuedTurn[] {
    const said = this.list({ session, states: ['queued'] }).filter(
      ({ mode, heldBy, author: by }) =>
        mode === 'steer' && heldBy === null && (by === null || isDeepStrictEqual(by, author)),
    );
    return said.map(({ id }) => this.#step(id, "state = 'running', taken_at = ?", this.#now()));
  }

  /** Puts one back that has not begun: it is taken again in its order. @param notBefore ms since the epoch */
  release(id: string, notBefore = 0): QueuedTurn {
    return this.#step(id, "state = 'queued', held_by = NULL, not_before = ?", notBefore);
  }

  /** Says it in other words, before its turn has begun. */
  reword(id: string, text: string): QueuedTurn {
    return this.#step(id, 'text = ?', text);
  }

  /** From now on another one holds it back. */
  hold(id: string, heldBy: string): QueuedTurn {
    return this.#step(id, 'held_by = ?', heldBy);
  }

  /** Notes what its turn has asked for. */
  asked(id: string, { approvals, questions }: AskedOf): QueuedTurn {
    return this.#step(
      id,
      'approvals = ?, questions = ?',
      JSON.stringify(approvals),
      JSON.stringify(questions),
    );
  }

  park(id: string): QueuedTurn {
    return this.#step(id, "state = 'parked'");
  }

  /** Those who were asked have answered: it is gone on with in its order. */
  resume(id: string): QueuedTurn {
    return this.#step(id, "state = 'queued', part = part + 1");
  }

  end(id: string, outcome: TurnOutcome): QueuedTurn {
    return this.#step(
      id,
      'state = ?, outcome = ?, ended_at = ?',
      stateAfter(outcome.status),
      JSON.stringify(outcome),
      this.#now(),
    );
  }

  #step(id: string, set: string, ...values: (string | number)[]): QueuedTurn {
    const turn = this.#set(id, set, ...values);
    this.#tell(turn);
    return turn;
  }

  #set(id: string, set: string, ...values: (string | number)[]): QueuedTurn {
    const row = this.#database.one(
      `UPDATE turns SET ${set} WHERE id = ? RETURNING *`,
      ...values,
      id,
    );
    if (row === undefined) throw new Error(`there is no message ${id} in the queue`);
    return fromRow(row);
  }

  #tell(turn: QueuedTurn): void {
    for (const listener of this.#listeners) listener(turn);
  }
}

function fromRow(row: Row): QueuedTurn {
  const text = (name: string): string => String(row[name]);
  const orNull = (name: string): string | null => (row[name] === null ? null : text(name));
  const time = (name: string): number | null => (row[name] === null ? null : Number(row[name]));
  const json = <T>(name: string): T | null =>
    row[name] === null ? null : (JSON.parse(text(name)) as T);
  return {
    id: text('id'),
    session: text('session'),
    source: text('source'),
    sourceId: text('source_id'),
    actor: text('actor'),
    agent: orNull('agent'),
    model: orNull('model'),
    text: text('text'),
    author: row['author'] === null ? null : parseAuthor(text('author')),
    untrusted: json<string[]>('untrusted') ?? [],
    mode: text('mode') as DeliveryMode,
    plan: Number(row['plan']) === 1,
    state: text('state') as QueueState,
    heldBy: orNull('held_by'),
    part: Number(row['part']),
    approvals: json<string[]>('approvals') ?? [],
    questions: json<string[]>('questions') ?? [],
    createdAt: Number(row['created_at']),
    takenAt: time('taken_at'),
    endedAt: time('ended_at'),
    outcome: json<TurnOutcome>('outcome'),
  };
}
