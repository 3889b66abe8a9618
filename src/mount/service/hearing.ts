/**
 * What a mount makes of what its service said by itself: what is held of it is
 * asked for again, and it is told whether that was a write of ours.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { Change } from '../../changes/change.ts';
import type { ChangeJournal } from '../../changes/journal.ts';
import { type FsError, isFsError, sentenceOf } from '../../errors.ts';
import { parentOf } from '../../paths.ts';
import type { Replica } from '../../replica/replica.ts';
import { Pool } from '../client/flight.ts';
import type { Heard, Told } from '../contract/webhook.ts';
import type { Freshness } from '../reading/freshness.ts';
import type { Lookup } from '../reading/lookup.ts';
import type { Prober } from '../reading/prober.ts';
import type { RouteTable } from '../table/table.ts';

/** Between the two clocks, and between a write and what is said of it. In ms. */
const APART_MS = 60_000;
/** So long is what is asked for waited for, in ms. */
const LONGEST_MS = 5_000;
/** So many paths at once. */
const AT_ONCE = 4;

export interface HearingOptions {
  /** The mount's name in the replica and the journal. */
  name: string;
  table: RouteTable;
  lookup: Lookup;
  freshness: Freshness;
  prober: Prober | null;
  replica: Replica;
  changes: ChangeJournal;
  now: () => Date;
  /** Is somebody, as the service calls them, the account of this mount? */
  isUs(by: string): boolean;
}

export class Hearing {
  readonly #options: HearingOptions;

  constructor(options: HearingOptions) {
    this.#options = options;
  }

  async hear(events: readonly Told[]): Promise<Heard[]> {
    const { freshness, replica, name, now } = this.#options;
    for (const path of events.flatMap(({ gone }) => gone)) replica.removeAt(name, path);
    const since = now().getTime();
    const found = new Map<string, string>();
    const pool = new Pool(AT_ONCE);
    const all = new Set(events.flatMap(({ paths }) => paths));
    const asking = freshness.anew(since, () =>
      Promise.all(
        [...all].map((path) => pool.run(async () => void found.set(path, await this.#again(path)))),
      ),
    );
    // A service that hangs goes on being asked, and the event is acted on.
    const stop = new AbortController();
    const late = delay(LONGEST_MS, null, { signal: stop.signal, ref: false });
    late.catch(() => undefined);
    await Promise.race([asking, late]).finally(() => stop.abort());
    asking.catch(() => undefined);
    this.#tellOthers(all);
    const sent = this.#options.changes.sentSince(name, since - 2 * APART_MS);
    return events.map((told) => {
      const paths = [...new Set(told.paths.map((path) => found.get(path) ?? path))];
      return { paths, isOwn: this.#isOurs(told, paths, sent) };
    });
  }

  /** Brings what is held of a path in step, and gives the path that it is found at. */
  async #again(path: string): Promise<string> {
    const { table, lookup, freshness } = this.#options;
    const match = table.match(path);
    if (match === null) return path;
    try {
      // Of what it says a version may be held; else the next read fetches it.
      const isRead = (match.route.read?.(match.params) ?? null) !== null;
      // The listing it is in, what it is, and what it says.
      for (const purpose of ['list', 'entry', ...(isRead ? ['read' as const] : [])] as const)
        await lookup.prepare(path, match, purpose, 'open', 'cover');
      const target = match.route.target?.(match.params) ?? null;
      return target === null || target === path ? path : await this.#again(target);
    } catch (error) {
      if (!isFsError(error)) throw error;
      if (error.code !== 'ENOENT') freshness.notice(failureText(path, error));
      return path;
    }
  }

  #tellOthers(paths: ReadonlySet<string>): void {
    const { table, lookup, prober } = this.#options;
    const questions = [...paths].flatMap((path) => {
      const match = table.match(path);
      return match === null ? [] : lookup.questions(match);
    });
    prober?.told(questions.flatMap((question) => (question === null ? [] : [question.key])));
  }

  #isOurs({ by, at }: Told, paths: readonly string[], sent: readonly Change[]): boolean {
    if (by !== null && !this.#options.isUs(by)) return false;
    return sent.some(
      (change) =>
        (change.sentAt ?? at) - APART_MS <= at &&
        at <= (change.endedAt ?? this.#options.now().getTime()) + APART_MS &&
        paths.some((path) => isAbout(path.toLowerCase(), change)),
    );
  }
}

/** Is a path, in small letters, what a change has made or changed, or what that belongs to? */
function isAbout(path: string, { path: written, op, result }: Change): boolean {
  const places = [written, ...(result === null ? [] : [result.path])].map((place) =>
    place.toLowerCase(),
  );
  const below = `${path.replace(/\.md$/, '')}/`;
  if (places.some((place) => place === path || place.startsWith(below))) return true;
  // What is made is told of before its answer is here, which says what it is called.
  return op === 'create' && result === null && parentOf(path) === parentOf(written.toLowerCase());
}

const failureText = (path: string, error: FsError): string =>
  `${path} has changed, and could not be asked for again: ${sentenceOf(error)}`;
