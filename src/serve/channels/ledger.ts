/**
 * What came in by channels and what goes out, in the journal of the state directory. A message
 * that comes is here before its service is told that it was received; one that goes is here
 * before it is sent, so that after a kill it is known of each what was done for it.
 */
import { randomUUID } from 'node:crypto';
import { openChangesFile } from '../../changes/file.ts';
import type { AnswerValue } from '../../policy/question.ts';
import type { Database, Row } from '../../replica/database.ts';
import type { TurnDraft } from '../queue/turn.ts';
import type { ChannelMemory, IncomingFile, OutgoingButton } from './contract.ts';

const TABLES = `
  CREATE TABLE IF NOT EXISTS channel_messages (
    channel TEXT NOT NULL,
    source_id TEXT NOT NULL,
    thread TEXT NOT NULL,
    draft TEXT,
    files TEXT NOT NULL DEFAULT '[]',
    settled INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (channel, source_id)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS channel_messages_open ON channel_messages (channel) WHERE settled = 0;
  CREATE TABLE IF NOT EXISTS channel_posts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    purpose TEXT NOT NULL,
    thread TEXT NOT NULL,
    text TEXT NOT NULL,
    buttons TEXT NOT NULL,
    files TEXT NOT NULL,
    turn TEXT,
    edits TEXT,
    state TEXT NOT NULL DEFAULT 'waiting',
    remote TEXT,
    attempts INTEGER NOT NULL DEFAULT 0,
    not_before INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    created_at INTEGER NOT NULL,
    sent_at INTEGER,
    UNIQUE (channel, purpose)
  );
  CREATE INDEX IF NOT EXISTS channel_posts_open ON channel_posts (channel, state)
    WHERE state IN ('waiting', 'sending');
  CREATE TABLE IF NOT EXISTS channel_buttons (
    token TEXT PRIMARY KEY,
    channel TEXT NOT NULL,
    post TEXT NOT NULL,
    approval TEXT NOT NULL,
    digest TEXT NOT NULL,
    decision TEXT NOT NULL,
    answer TEXT
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS channel_sessions (
    place TEXT PRIMARY KEY,
    session TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS channel_memory (
    channel TEXT NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    until INTEGER,
    PRIMARY KEY (channel, name)
  ) WITHOUT ROWID;
`;

/**
 * - `waiting`: it is to be sent;
 * - `sending`: it is being sent, or was when the process ended;
 * - `sent`: it has arrived;
 * - `unknown`: it may have arrived, and that cannot be found out: it is not sent again by itself;
 * - `failed`: it has not arrived, and trying again is no use.
 */
export type PostState = 'waiting' | 'sending' | 'sent' | 'unknown' | 'failed';

/** A message that goes out. */
export interface Post {
  /** A UUID: what the service is told it by, where it takes such a thing. */
  id: string;
  channel: string;
  /** What it is for: there is one of each. */
  purpose: string;
  thread: string;
  text: string;
  buttons: readonly OutgoingButton[];
  /** Paths in the namespace. */
  files: readonly string[];
  /** The message of the queue in whose session they are. */
  turn: string | null;
  /** The purpose of the one that it takes the place of; null where it is sent. */
  edits: string | null;
  state: PostState;
  /** The service's id of it. */
  remote: string | null;
  attempts: number;
  notBefore: number;
  sentAt: number | null;
}

/** What a post is made of. */
export type PostDraft = Pick<Post, 'purpose' | 'thread' | 'text'> &
  Partial<Pick<Post, 'buttons' | 'files' | 'turn' | 'edits'>>;

/** What a button stands for: a decision on a request for approval, or an answer to a question. */
export type Meant = { id: string; digest: string } & (
  | { decision: 'allow' | 'deny' }
  | { decision: 'answer'; answer: AnswerValue }
);

/** A button that was sent. `digest` is that of what was shown above it. */
export type ButtonMeaning = Meant & { token: string; post: Post };

/** The same, before it is sent. */
export type MeantButton = Meant & { token: string };

/** A message that came in, and whose answer was not put down yet. */
export interface OpenMessage {
  sourceId: string;
  thread: string;
  /** null for one that began no turn. */
  draft: TurnDraft | null;
  files: readonly IncomingFile[];
}

/** The rows of all channels of a state directory. */
export class ChannelLedger {
  readonly #database: Database;
  readonly #now: () => number;

  /** @param file `changes.sqlite` of a state directory, or ':memory:' */
  constructor(file: string, now: () => number = Date.now) {
    this.#database = openChangesFile(file, TABLES);
    this.#database.exec('PRAGMA synchronous = FULL');
    this.#database.addColumns('channel_buttons', ['answer TEXT']);
    this.#now = now;
  }

  close(): void {
    this.#database.close();
  }

  /** Notes a message that came. @returns false where it has come before */
  receive(
    channel: string,
    { sourceId, thread, draft, files }: OpenMessage,
    settled = false,
  ): boolean {
    const { changes } = this.#database
      .prepare('INSERT INTO channel_messages VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING')
      .run(
        channel,
        sourceId,
        thread,
        draft === null ? null : JSON.stringify(draft),
        JSON.stringify(files),
        settled ? 1 : 0,
      );
    return changes === 1;
  }

  /** Has it come before? */
  knows(channel: string, sourceId: string): boolean {
    return this.#message(channel, sourceId) !== undefined;
  }

  /** Where a message came from; null for one that has its answer, or is none of this channel. */
  openMessage(channel: string, sourceId: string): OpenMessage | null {
    const row = this.#message(channel, sourceId);
    return row === undefined || row['settled'] === 1 ? null : messageOf(row);
  }

  /** Those whose answers were not put down yet. */
  openMessages(channel: string): OpenMessage[] {
    return this.#database
      .all('SELECT * FROM channel_messages WHERE channel = ? AND settled = 0', channel)
      .map(messageOf);
  }

  #message(channel: string, sourceId: string): Row | undefined {
    return this.#database.one(
      'SELECT * FROM channel_messages WHERE channel = ? AND source_id = ?',
      channel,
      sourceId,
    );
  }

  /** Puts down what is to be said to a message, all of it at once. */
  answer(channel: string, sourceId: string, posts: readonly PostDraft[]): void {
    this.#database.transaction(() => {
      for (const post of posts) this.#insert(channel, post);
      this.#database
        .prepare('UPDATE channel_messages SET settled = 1 WHERE channel = ? AND source_id = ?')
        .run(channel, sourceId);
    });
  }

  /** Puts down what is to be sent. @returns false where it is there already */
  post(channel: string, draft: PostDraft, meanings: readonly MeantButton[] = []): boolean {
    return this.#database.transaction(() => {
      const id = this.#insert(channel, draft);
      if (id === null) return false;
      for (const meant of meanings)
        this.#database
          .prepare(
            `INSERT INTO channel_buttons (token, channel, post, approval, digest, decision, answer)
               VALUES (?, ?, ?, ?, ?, ?, ?)`,
          )
          .run(
            meant.token,
            channel,
            id,
            meant.id,
            meant.digest,
            meant.decision,
            meant.decision === 'answer' ? JSON.stringify(meant.answer) : null,
          );
      return true;
    });
  }

  #insert(channel: string, draft: PostDraft): string | null {
    const { purpose, thread, text, buttons = [], files = [], turn = null, edits = null } = draft;
    const id = randomUUID();
    const { changes } = this.#database
      .prepare(
        `INSERT INTO channel_posts
           (id, channel, purpose, thread, text, buttons, files, turn, edits, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (channel, purpose) DO NOTHING`,
      )
      .run(
        id,
        channel,
        purpose,
        thread,
        text.toWellFormed(),
        JSON.stringify(buttons),
        JSON.stringify(files),
        turn,
        edits,
        this.#now(),
      );
    return changes === 1 ? id : null;
  }

  /** What was put down for a purpose. */
  find(channel: string, purpose: string): Post | null {
    const row = this.#database.one(
      'SELECT * FROM channel_posts WHERE channel = ? AND purpose = ?',
      channel,
      purpose,
    );
    return row === undefined ? null : postOf(row);
  }

  /** What a button stands for; null for none of this channel. */
  button(channel: string, token: string): ButtonMeaning | null {
    const row = this.#database.one(
      'SELECT * FROM channel_buttons WHERE token = ? AND channel = ?',
      token,
      channel,
    );
    if (row === undefined) return null;
    const post = this.#database.one(
      'SELECT * FROM channel_posts WHERE id = ?',
      String(row['post']),
    );
    if (post === undefined) return null;
    const about = {
      token,
      post: postOf(post),
      id: String(row['approval']),
      digest: String(row['digest']),
    };
    if (row['decision'] !== 'answer')
      return { ...about, decision: row['decision'] === 'allow' ? 'allow' : 'deny' };
    return {
      ...about,
      decision: 'answer',
      answer: JSON.parse(String(row['answer'])) as AnswerValue,
    };
  }

  /** The first open post of each thread: those behind it wait for it. */
  nextPosts(channel: string): Post[] {
    return this.#database
      .all(
        `SELECT * FROM channel_posts WHERE seq IN (
           SELECT min(seq) FROM channel_posts
           WHERE channel = ? AND state IN ('waiting', 'sending') GROUP BY thread)
         ORDER BY seq`,
        channel,
      )
      .map(postOf);
  }

  /** How many were put down since then for purposes that begin so. @param since ms since the epoch */
  countSince(channel: string, beginning: string, since: number): number {
    const row = this.#database.one(
      `SELECT count(*) AS n FROM channel_posts
       WHERE channel = ? AND created_at >= ? AND substr(purpose, 1, ?) = ?`,
      channel,
      since,
      beginning.length,
      beginning,
    );
    return Number(row?.['n'] ?? 0);
  }

  /** What a thread was shown for purposes that begin so, oldest first. */
  shownFor(channel: string, thread: string, beginning: string): Post[] {
    return this.#database
      .all(
        `SELECT * FROM channel_posts WHERE channel = ? AND thread = ? AND substr(purpose, 1, ?) = ?
         AND state IN ('sent', 'unknown') ORDER BY seq`,
        channel,
        thread,
        beginning.length,
        beginning,
      )
      .map(postOf);
  }

  /** Those of a thread of which nobody knows whether they arrived. */
  unknownPosts(channel: string, thread: string): Post[] {
    return this.#database
      .all(
        `SELECT * FROM channel_posts WHERE channel = ? AND thread = ? AND state = 'unknown' ORDER BY seq`,
        channel,
        thread,
      )
      .map(postOf);
  }

  /** How many there are in each state, by channel. */
  counts(): { channel: string; state: PostState; posts: number }[] {
    return this.#database
      .all(
        'SELECT channel, state, count(*) AS n FROM channel_posts GROUP BY channel, state ORDER BY channel, state',
      )
      .map((row) => ({
        channel: String(row['channel']),
        state: String(row['state']) as PostState,
        posts: Number(row['n']),
      }));
  }

  sending(id: string): void {
    this.#set(id, "state = 'sending', attempts = attempts + 1, sent_at = ?", this.#now());
  }

  sent(id: string, remote: string): void {
    this.#set(id, "state = 'sent', remote = ?, error = NULL", remote);
  }

  /** @param notBefore ms since the epoch */
  again(id: string, notBefore: number, error: string | null): void {
    this.#set(id, "state = 'waiting', not_before = ?, error = ?", notBefore, error);
  }

  /** What it was to take the place of is not there: it is sent instead. */
  sendInstead(id: string): void {
    this.#set(id, "state = 'waiting', edits = NULL");
  }

  ended(id: string, state: 'unknown' | 'failed', error: string): void {
    this.#set(id, 'state = ?, error = ?', state, error);
  }

  #set(id: string, set: string, ...values: (string | number | null)[]): void {
    this.#database.prepare(`UPDATE channel_posts SET ${set} WHERE id = ?`).run(...values, id);
  }

  /** The session of a place; null where it has none yet. */
  session(place: string): string | null {
    const row = this.#database.one('SELECT session FROM channel_sessions WHERE place = ?', place);
    return row === undefined ? null : String(row['session']);
  }

  setSession(place: string, session: string): void {
    this.#database
      .prepare(
        'INSERT INTO channel_sessions VALUES (?, ?) ON CONFLICT (place) DO UPDATE SET session = excluded.session',
      )
      .run(place, session);
  }

  /** What a channel itself remembers. */
  memoryOf(channel: string): ChannelMemory {
    return {
      get: (name) => {
        const row = this.#database.one(
          'SELECT value FROM channel_memory WHERE channel = ? AND name = ? AND (until IS NULL OR until > ?)',
          channel,
          name,
          this.#now(),
        );
        return row === undefined ? undefined : JSON.parse(String(row['value']));
      },
      set: (name, value, forMs) => {
        const now = this.#now();
        this.#database
          .prepare('DELETE FROM channel_memory WHERE channel = ? AND until <= ?')
          .run(channel, now);
        this.#database
          .prepare(
            `INSERT INTO channel_memory VALUES (?, ?, ?, ?)
             ON CONFLICT (channel, name) DO UPDATE SET value = excluded.value, until = excluded.until`,
          )
          .run(channel, name, JSON.stringify(value), forMs === undefined ? null : now + forMs);
      },
      delete: (name) => {
        this.#database
          .prepare('DELETE FROM channel_memory WHERE channel = ? AND name = ?')
          .run(channel, name);
      },
    };
  }
}

function messageOf(row: Row): OpenMessage {
  return {
    sourceId: String(row['source_id']),
    thread: String(row['thread']),
    draft: row['draft'] === null ? null : (JSON.parse(String(row['draft'])) as TurnDraft),
    files: JSON.parse(String(row['files'])) as IncomingFile[],
  };
}

function postOf(row: Row): Post {
  const orNull = (name: string): string | null => (row[name] === null ? null : String(row[name]));
  return {
    id: String(row['id']),
    channel: String(row['channel']),
    purpose: String(row['purpose']),
    thread: String(row['thread']),
    text: String(row['text']),
    buttons: JSON.parse(String(row['buttons'])) as OutgoingButton[],
    files: JSON.parse(String(row['files'])) as string[],
    turn: orNull('turn'),
    edits: orNull('edits'),
    state: String(row['state']) as PostState,
    remote: orNull('remote'),
    attempts: Number(row['attempts']),
    notBefore: Number(row['not_before']),
    sentAt: row['sent_at'] === null ? null : Number(row['sent_at']),
  };
}
