/** Sessions and messages, for whoever is served: who may see and say what is decided here. */
import { FsError } from '../errors.ts';
import type { Entry, FileChange } from '../session/entry.ts';
import type { FeedEvent, SessionFeeds } from './feed.ts';
import type { TurnJournal } from './queue/journal.ts';
import type { TurnQueue } from './queue/queue.ts';
import type { DeliveryMode, QueuedTurn, QueueState } from './queue/turn.ts';
import { type Caller, may, requireOwn, requireRight } from './rights.ts';
import { noEntry, type ServedSessions, type SessionSummary } from './sessions.ts';

/** A message, as a client sends it. */
export interface Message {
  text: string;
  /** The client's own id of it: a message that was sent before is not taken again. */
  key: string;
  mode?: DeliveryMode;
  model?: string;
  /** Its turn begins with a plan. */
  plan?: boolean;
}

/** What became of a message: `turn` is null for one that only stopped the turn. */
export interface Submitted {
  turn: QueuedTurn | null;
  /** False where it had come before. */
  isNew: boolean;
  /** A turn was stopped by it. */
  stopped: boolean;
}

/** What the conversations are made of. */
export interface ConversationParts {
  sessions: ServedSessions;
  journal: TurnJournal;
  queue: TurnQueue;
  feeds: SessionFeeds;
}

const PAGE = 50;
/** Messages that wait in one session, at most. */
const MOST_WAITING = 100;
/** Messages that are listed at once, at most. */
const MOST_LISTED = 1_000;
const STEER = /^\/steer(?:\s+|$)/;
const STOP = /^\/stop\s*$/;

/** The sessions of a deployment and what is said in them. */
export class Conversations {
  readonly #parts: ConversationParts;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  /** Newest first, those that the caller may see. @param before the id of the last one of the page before */
  list(
    caller: Caller,
    { before, limit = PAGE, text = '', parent }: SessionPage = {},
  ): SessionSummary[] {
    const page: SessionSummary[] = [];
    const wanted = text.toLowerCase();
    for (const session of this.#parts.sessions.list(before)) {
      if (page.length >= limit) break;
      if (!this.#sees(caller, session)) continue;
      if (parent !== undefined && session.parentSession !== parent) continue;
      if (session.title.toLowerCase().includes(wanted)) page.push(session);
    }
    return page;
  }

  /** @throws FsError ENOENT where there is none for the caller */
  get(caller: Caller, id: string): SessionSummary {
    const session = this.#parts.sessions.get(id);
    requireOwn(caller, session.actor, 'look', `/sessions/${id}`);
    return session;
  }

  /** Begins a session of the caller's. @throws FsError EACCES */
  create(caller: Caller, agent: string | null): SessionSummary {
    requireRight(caller, 'converse', '/sessions');
    return this.#parts.sessions.create(caller.actor, agentFor(caller, agent));
  }

  /**
   * Begins a session of the caller's that goes on from an entry of one that they may see.
   * @throws FsError ENOENT, EACCES; EIO where /workspace was not kept as it was then
   */
  fork(caller: Caller, id: string, entry: string): SessionSummary {
    const { agent } = this.get(caller, id);
    requireRight(caller, 'converse', `/sessions/${id}`);
    return this.#parts.sessions.fork(id, entry, caller.actor, agentFor(caller, agent));
  }

  /** What a command changed, by its end. @throws FsError ENOENT */
  changed(caller: Caller, id: string, entry: string): readonly FileChange[] {
    const changed = this.entry(caller, id, entry)['changed'];
    return Array.isArray(changed) ? (changed as FileChange[]) : [];
  }

  /**
   * Entries of a session in their order, long outputs as references.
   * @param after the id of the one before; the first ones, if absent
   */
  entries(caller: Caller, id: string, after: string | undefined, limit: number): Entry[] {
    this.get(caller, id);
    return this.#parts.sessions.read(id, (file) => {
      const last = after === undefined ? -1 : file.tree.row(after);
      if (last === undefined) throw noEntry(id, after ?? '');
      const rows = Array.from({ length: limit }, (_, index) => last + 1 + index);
      return rows
        .filter((row) => row < file.tree.size)
        .flatMap((row) => file.get(file.tree.id(row)) ?? []);
    });
  }

  /** An entry with its long outputs. */
  entry(caller: Caller, id: string, entry: string): Entry {
    this.get(caller, id);
    return this.#parts.sessions.entry(id, entry);
  }

  /** @param after the id of the last entry that is known: `` for the beginning, null for what comes from now on */
  follow(
    caller: Caller,
    id: string,
    after: string | null,
    signal: AbortSignal,
  ): AsyncGenerator<FeedEvent> {
    this.get(caller, id);
    return this.#parts.feeds.follow(id, after, signal);
  }

  /**
   * Takes a message in: `/stop` stops the turn that runs, `/steer TEXT` is said to it.
   * @throws FsError ENOENT, EACCES; EEXIST where the key has come with another message, EAGAIN where too many wait
   */
  submit(caller: Caller, id: string, message: Message): Submitted {
    const session = this.#writable(caller, id);
    if (STOP.test(message.text)) {
      const stopped = this.#parts.queue.stop(id);
      return { turn: null, isNew: true, stopped };
    }
    const { plan = false } = message;
    // A turn that runs has begun without one, or has one of its own.
    const isSteering = !plan && (STEER.test(message.text) || message.mode === 'steer');
    // Halves of pairs are kept by no database: what comes again would not be what has come.
    const text = message.text.replace(STEER, '').toWellFormed();
    if (text.trim() === '')
      throw new FsError('EINVAL', { path: id, op: 'submit', reason: 'the message is empty' });
    this.#requireRoom(id);
    const { turn, isNew } = this.#parts.queue.submit({
      session: id,
      source: `api ${caller.actor}`,
      sourceId: message.key,
      actor: session.actor,
      agent: session.agent,
      text,
      mode: isSteering ? 'steer' : 'queue',
      ...(message.model === undefined ? {} : { model: message.model }),
      plan,
    });
    if (turn.session !== id || turn.text !== text)
      throw new FsError('EEXIST', {
        path: `/sessions/${id}`,
        op: 'submit',
        rule: 'a key is that of one message',
        reason: `the key ${message.key} was used for another message; give each message a key of its own`,
      });
    return { turn, isNew, stopped: false };
  }

  /** Stops the turn that runs, or is parked. @returns whether there was one */
  stop(caller: Caller, id: string): boolean {
    this.#writable(caller, id);
    return this.#parts.queue.stop(id);
  }

  /** Messages of a session, or of all that the caller may see, in the order of the queue. */
  messages(caller: Caller, filter: MessageFilter): QueuedTurn[] {
    if (filter.session !== undefined) this.get(caller, filter.session);
    const all = filter.session !== undefined || may(caller, 'look');
    const { limit = MOST_LISTED } = filter;
    return this.#parts.journal.list({
      ...filter,
      limit: Math.min(limit, MOST_LISTED),
      ...(all ? {} : { actor: caller.actor }),
    });
  }

  /** @throws FsError ENOENT */
  message(caller: Caller, id: string): QueuedTurn {
    const turn = this.#parts.journal.get(id);
    requireOwn(caller, turn?.actor ?? null, 'look', `/messages/${id}`);
    return turn as QueuedTurn;
  }

  /** Who began a session; null for one that is not there. */
  ownerOf(id: string): string | null {
    try {
      return this.#parts.sessions.get(id).actor;
    } catch (error) {
      if (error instanceof FsError && error.code === 'ENOENT') return null;
      throw error;
    }
  }

  #writable(caller: Caller, id: string): SessionSummary {
    const session = this.get(caller, id);
    requireRight(caller, 'converse', `/sessions/${id}`);
    requireOwn(caller, session.actor, 'rule', `/sessions/${id}`);
    return session;
  }

  #requireRoom(session: string): void {
    const states: QueueState[] = ['queued'];
    const waiting = this.#parts.journal.list({ session, states, limit: MOST_WAITING }).length;
    if (waiting < MOST_WAITING) return;
    throw new FsError('EAGAIN', {
      path: `/sessions/${session}`,
      op: 'submit',
      rule: 'messages that wait',
      reason: `${waiting} messages wait in this session, and no more at once: try again later`,
    });
  }

  #sees(caller: Caller, { actor }: SessionSummary): boolean {
    return actor === caller.actor || may(caller, 'look');
  }
}

/** Whose rights a session has: nobody has those of another agent than their own. @throws FsError EACCES */
function agentFor({ actor, agent: own }: Caller, agent: string | null): string | null {
  if (agent === null || own === null || agent === own) return agent ?? own;
  throw new FsError('EACCES', {
    path: '/sessions',
    op: 'create',
    rule: `agent of ${actor}`,
    reason: `${actor} has the rights of ${own} here, and of no other agent`,
  });
}

/** A page of sessions. */
export interface SessionPage {
  before?: string | undefined;
  limit?: number | undefined;
  /** In their titles. */
  text?: string | undefined;
  /** Forks of this session alone. */
  parent?: string | undefined;
}

/** Which messages. */
export interface MessageFilter {
  session?: string;
  states?: readonly QueueState[];
  after?: string;
  limit?: number;
}
