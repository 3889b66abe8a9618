/**
 * What happens in sessions, for those who follow them: the entries of the log
 * from wherever they left off, and between them what passes and is not kept.
 * The file is what is read, so that nothing is missed that another process wrote.
 */
import type { Entry } from '../session/entry.ts';
import { isTransient, type SessionEvent, type TransientEvent } from '../session/events.ts';
import type { SessionFile } from '../session/file.ts';
import type { QueuedTurn } from './queue/turn.ts';
import { noEntry, type ServedSessions } from './sessions.ts';

/** What a follower is told. */
export type FeedEvent =
  | { kind: 'entry'; entry: Entry }
  | { kind: 'passing'; event: TransientEvent }
  | { kind: 'turn'; turn: QueuedTurn };

/** How often a file is looked at that another process may be writing. In ms. */
const POLL_MS = 1_000;
/** What passes is not kept for those who read too slowly: so much of it, and no more. */
const MOST_PASSING = 10_000;

interface Shared {
  file: SessionFile;
  followers: number;
}

/** What is new: something that passed, or that the file has grown. */
type News = FeedEvent | 'grown';

/** The sessions that somebody follows. */
export class SessionFeeds {
  readonly #sessions: ServedSessions;
  /** One reader a session, however many follow it. */
  readonly #files = new Map<string, Shared>();
  readonly #followers = new Map<string, Set<Follower>>();

  constructor(sessions: ServedSessions) {
    this.#sessions = sessions;
  }

  /** How many follow. */
  get size(): number {
    return [...this.#followers.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Passes on what happened in a session. */
  publish(session: string, event: SessionEvent): void {
    this.#tell(session, isTransient(event) ? { kind: 'passing', event: asText(event) } : 'grown');
  }

  publishTurn(turn: QueuedTurn): void {
    this.#tell(turn.session, { kind: 'turn', turn });
  }

  /**
   * Follows a session until the signal is aborted.
   * @param after the id of the last entry that is known; null for those from now on
   * @throws FsError ENOENT for a session or an entry that is not there
   */
  follow(session: string, after: string | null, signal: AbortSignal): AsyncGenerator<FeedEvent> {
    // What is wrong with the question is said before anything is followed.
    const shared = this.#open(session);
    try {
      const from = after === null ? shared.file.tree.size : rowAfter(shared.file, after);
      return this.#follow(session, shared, from, signal);
    } catch (error) {
      this.#close(session, shared);
      throw error;
    }
  }

  async *#follow(
    session: string,
    shared: Shared,
    from: number,
    signal: AbortSignal,
  ): AsyncGenerator<FeedEvent> {
    const { file } = shared;
    const follower = new Follower();
    const all = this.#followers.get(session) ?? new Set();
    this.#followers.set(session, all.add(follower));
    const poll = setInterval(() => follower.push('grown'), POLL_MS).unref();
    const onAbort = (): void => follower.push('grown');
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      let row = from;
      follower.push('grown');
      while (!signal.aborted) {
        const news = await follower.next();
        if (news !== 'grown') {
          yield news;
          continue;
        }
        file.refresh();
        for (; row < file.tree.size && !signal.aborted; row++) {
          const entry = file.get(file.tree.id(row));
          if (entry !== undefined) yield { kind: 'entry', entry };
        }
      }
    } finally {
      clearInterval(poll);
      signal.removeEventListener('abort', onAbort);
      all.delete(follower);
      if (all.size === 0) this.#followers.delete(session);
      this.#close(session, shared);
    }
  }

  #tell(session: string, news: News): void {
    for (const follower of this.#followers.get(session) ?? []) follower.push(news);
  }

  #open(session: string): Shared {
    const shared = this.#files.get(session) ?? {
      file: this.#sessions.open(session),
      followers: 0,
    };
    this.#files.set(session, shared);
    shared.followers += 1;
    return shared;
  }

  #close(session: string, shared: Shared): void {
    shared.followers -= 1;
    if (shared.followers > 0) return;
    this.#files.delete(session);
    shared.file.close();
  }
}

/** What was printed is bytes, which may end inside of a character. */
function asText(event: TransientEvent): TransientEvent {
  const { bytes, ...rest } = event;
  if (!(bytes instanceof Uint8Array)) return event;
  return { ...rest, base64: Buffer.from(bytes).toString('base64') };
}

/** @throws FsError ENOENT */
function rowAfter(file: SessionFile, entry: string): number {
  file.refresh();
  // The beginning of the log.
  if (entry === '') return 0;
  const row = file.tree.row(entry);
  if (row === undefined) throw noEntry(file.id, entry);
  return row + 1;
}

/** The news that one follower has not read. */
class Follower {
  readonly #news: News[] = [];
  #wake: (() => void) | null = null;

  push(news: News): void {
    // To have been told once that there is more is enough.
    if (news === 'grown' && this.#news.at(-1) === 'grown') return;
    if (news !== 'grown' && this.#news.length >= MOST_PASSING) return;
    this.#news.push(news);
    this.#wake?.();
  }

  async next(): Promise<News> {
    for (;;) {
      const news = this.#news.shift();
      if (news !== undefined) return news;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      this.#wake = null;
    }
  }
}
