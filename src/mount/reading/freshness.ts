/**
 * When to ask a service again. Within the window nothing is asked; past it one
 * question goes out, whoever else wants the same joins it; and when it fails
 * while the replica holds an answer, that answer is served and marked stale.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { UnderWay } from '../../replica/underway.ts';
import { clock, ServiceFailure } from '../client/failure.ts';
import { Flights } from '../client/flight.ts';
import { Patience } from '../client/patience.ts';
import { Activity } from '../contract/activity.ts';
import type { Collection, Eagerness, Params } from '../table/route.ts';
import { Background } from './background.ts';
import type { Question } from './question.ts';
import { progressOf } from './whole-listing.ts';

export type { Eagerness } from '../table/route.ts';

/**
 * How long what a listing or a prefetch covered counts as fresh for the reads
 * that follow it, even where the window is shorter, in ms: one command's walk
 * is one question.
 */
const COVER_MS = 2_000;

export interface FreshnessOptions {
  freshMs: number;
  now: () => Date;
  onNotice: (text: string) => void;
  /** Is what was read lately asked for again before somebody has to wait for it? */
  background?: boolean;
  /** Told of each question whose answer was read. */
  onRead?: (key: string) => void;
  /** Runs what is asked for that, so that its cost is told apart. */
  runBehind?: (work: () => Promise<void>) => Promise<void>;
  /** Why nothing may be asked now; null where it may. */
  refusal?: () => ServiceFailure | null;
  /** False while requests are to be saved for who waits for them. */
  mayRefresh?: () => boolean;
  /** How long what asks may still take; as long as it takes where nobody says. */
  patience?: Patience;
  /** The listings that are under way, be it in another process. */
  underWay?: () => readonly UnderWay[];
}

/** How one answer stands, for README.md. */
export interface Known {
  what: string;
  /** When the service last confirmed it, ms; null for never. */
  heldSince: number | null;
  /** What is not held of it, in words; absent for nothing. */
  lacking?: string;
}

/** The questions of one mount: how old their answers are, and when each is asked again. */
export class Freshness {
  readonly #options: FreshnessOptions;
  readonly #flights = new Flights();
  readonly #prefetched = new Map<string, number>();
  readonly #failed = new Map<string, { at: number; text: string }>();
  /** Questions for one thing whose answer was that there is no such thing, and when. */
  readonly #absent = new Map<string, number>();
  readonly #asked = new Map<string, Question>();
  readonly #refreshing = new Set<string>();
  /** Listings that a walk's prefetch did not live to see the end of, and when it gave up. */
  readonly #overdue = new Map<string, number>();
  readonly #patience: Patience;
  /** Within it, answers of before that time, ms, are none. */
  readonly #anew = new AsyncLocalStorage<number>();
  #stopped = false;
  /** Counts how often something that was looked at has stopped being fresh. */
  #epoch = 0;
  /** Up to when what was looked at in this epoch is fresh, ms. */
  #freshUntil = Number.POSITIVE_INFINITY;
  readonly #background: Background | null;
  /** What is fetched now. */
  readonly activity: Activity;

  constructor(options: FreshnessOptions) {
    this.#options = options;
    const { background, freshMs, now, mayRefresh, runBehind = (work) => work() } = options;
    this.activity = new Activity(now);
    this.#patience = options.patience ?? new Patience();
    this.#background =
      background === true && freshMs > 0
        ? new Background({
            freshMs,
            now,
            may: mayRefresh,
            refresh: (one) => runBehind(() => this.#refresh(one)),
          })
        : null;
  }

  /** A sentence for stderr; said once a command, however often it comes. */
  notice(text: string): void {
    this.#options.onNotice(text);
  }

  /** True when nothing would be asked. */
  fresh(question: Question, eagerness: Eagerness = 'cover'): boolean {
    const held = question.heldSince();
    const since = this.#anew.getStore();
    if (since !== undefined) return held === null || held >= since;
    if (held === null) return false;
    const until = held + this.#window(question, eagerness);
    if (this.#now() >= until) return false;
    this.lasts(until);
    return true;
  }

  /** What was just looked at is fresh up to then, ms: whoever looks later asks, or says something else. */
  lasts(until: number): void {
    if (until < this.#freshUntil) this.#freshUntil = until;
  }

  /**
   * The same number as before where all that was looked at since would be looked at again without
   * asking; null while something is asked.
   */
  epoch(): number | null {
    if (this.activity.isRunning) return null;
    if (this.#now() >= this.#freshUntil) {
      this.#epoch += 1;
      this.#freshUntil = Number.POSITIVE_INFINITY;
    }
    return this.#epoch;
  }

  /** Within it, what is held is asked for again unless it was since a time, ms, and what is not held is not. */
  anew<T>(since: number, work: () => Promise<T>): Promise<T> {
    return this.#anew.run(since, work);
  }

  /**
   * Brings one question's answer in step, or makes do with what is held.
   *
   * @throws ServiceFailure when nothing is held, or when the service says that it is gone.
   */
  async ensure(question: Question, eagerness: Eagerness = 'cover'): Promise<void> {
    try {
      await this.#ensure(question, eagerness);
    } finally {
      this.#noteStanding(question, eagerness);
    }
    if (eagerness !== 'cover') this.#tellLacking(question);
  }

  /** What was made do with, or without, lasts no longer than nobody would ask again. */
  #noteStanding(question: Question, eagerness: Eagerness): void {
    if (this.fresh(question, eagerness)) return;
    const failed = this.#failed.get(question.key);
    this.lasts(failed === undefined ? 0 : failed.at + Math.max(this.#options.freshMs, COVER_MS));
  }

  async #ensure(question: Question, eagerness: Eagerness): Promise<void> {
    this.#asked.set(question.key, question);
    this.note(question);
    if (this.fresh(question, eagerness)) return;
    // It is being asked for already, behind the reads: nobody waits for that.
    if (this.#refreshing.has(question.key) && question.heldSince() !== null) return;
    const failed = this.#failed.get(question.key);
    const window = Math.max(this.#options.freshMs, COVER_MS);
    if (failed !== undefined && question.heldSince() !== null && this.#now() - failed.at < window) {
      this.#options.onNotice(failed.text);
      return;
    }
    try {
      await this.#askInTime(question, eagerness);
      this.#failed.delete(question.key);
      if (eagerness === 'prefetch') this.#prefetched.set(question.key, this.#now());
    } catch (error) {
      if (!(error instanceof ServiceFailure) || error.absent) throw error;
      const held = question.heldSince();
      if (held === null) throw error;
      const text = `showing data from ${clock(new Date(held))} UTC: ${error.message}`;
      this.#failed.set(question.key, { at: this.#now(), text });
      this.#options.onNotice(text);
    }
  }

  /** Brings a collection in step; nothing where the parameters do not say which. Throws ServiceFailure. */
  async ensureCollection(
    collections: Readonly<Record<string, Collection>>,
    name: string,
    params: Params,
    eagerness: Eagerness = 'cover',
  ): Promise<void> {
    const found = collections[name];
    const question = found === undefined ? null : questionOf(name, found, params);
    if (question !== null) await this.ensure(question, eagerness);
  }

  /** True when nothing would be asked; what is held is read then, and kept fresh behind the reads. */
  readsFresh(question: Question): boolean {
    if (!this.fresh(question)) return false;
    this.note(question);
    return true;
  }

  /** The same of a collection; false where the parameters do not say which one. */
  readsFreshCollection(
    collections: Readonly<Record<string, Collection>>,
    name: string,
    params: Params,
  ): boolean {
    const found = collections[name];
    const question = found === undefined ? null : questionOf(name, found, params);
    return question !== null && this.readsFresh(question);
  }

  /**
   * Brings one thing in step, unless the answer that there is no such thing is fresh.
   *
   * @param isHeld is it there, as far as the replica knows?
   * @throws ServiceFailure
   */
  async ensureOne(question: Question, isHeld: () => boolean): Promise<void> {
    const { key } = question;
    const absent = this.#absent.get(key);
    if (absent !== undefined && !isHeld() && this.#now() - absent < this.#options.freshMs)
      return this.lasts(absent + this.#options.freshMs);
    await this.ensure(question);
    if (isHeld()) this.#absent.delete(key);
    else this.#absent.set(key, this.#now());
  }

  /** Brings a whole in step; false where it is not at its end in time, and what is named is to be asked for by itself. */
  async isBroughtInTime(bring: () => Promise<void>): Promise<boolean> {
    try {
      await bring();
      return true;
    } catch (error) {
      if (error instanceof ServiceFailure && error.kind === 'unfinished') return false;
      throw error;
    }
  }

  /** How each collection that was asked for here stands, and each listing that is under way. */
  known(): Known[] {
    const begun = new Map(this.#underWay().map((one) => [one.what, one]));
    const asked = [...this.#asked.values()].map((question): Known => {
      const { key } = question;
      const one = begun.get(key);
      begun.delete(key);
      const known = { what: key, heldSince: question.heldSince() };
      // What is listed anew is held all the same.
      const isFirst = one !== undefined && known.heldSince === null;
      const lacking = isFirst ? beingListed(one) : (question.lacking?.() ?? null);
      return lacking === null ? known : { ...known, lacking };
    });
    const others = [...begun.values()].map(
      (one): Known => ({ what: one.what, heldSince: null, lacking: beingListed(one) }),
    );
    return [...others, ...asked];
  }

  /** How many questions have been asked for here. */
  get questions(): number {
    return this.#asked.size;
  }

  /** Notes that an answer was read, so that it is kept fresh behind the reads. */
  note(question: Question): void {
    if (question.window !== undefined || this.#background === null) return;
    // Nobody reads what is only brought in step.
    if (this.#anew.getStore() !== undefined) return;
    this.#background.note(question);
    this.#options.onRead?.(question.key);
  }

  /** Asks again for what was read lately of what changed, unless it was asked since a time, ms. */
  async refreshChanged(isAbout: (key: string) => boolean, changedAt: number): Promise<void> {
    await this.#background?.changed(isAbout, changedAt);
  }

  /** One round of the refresh behind the reads: all that was read lately. */
  async refreshRead(): Promise<void> {
    await this.#background?.round();
  }

  /** Ends what goes on behind the reads. */
  stop(): void {
    this.#background?.stop();
    this.#stopped = true;
  }

  /** Asks, and waits for it as long as the operation has time. What is under way then goes on. */
  async #askInTime(question: Question, eagerness: Eagerness): Promise<void> {
    const { key } = question;
    const overdue = this.#overdue.get(key);
    // The walk has waited for it: each of its directories does not wait again.
    const hasWaited = overdue !== undefined && this.#now() - overdue < COVER_MS;
    if (hasWaited && eagerness !== 'prefetch' && this.#refreshing.has(key)) {
      throw this.#unfinished(key);
    }
    const asking = this.#patience.behind(() => this.#ask(question));
    do {
      if ((await this.#patience.wait(asking)) === 'done') return;
      // Of what nothing has come yet there is nothing to say: whoever waits ends the waiting.
    } while (question.heldSince() === null && this.#begun(key) === null);
    if (eagerness === 'prefetch') this.#overdue.set(key, this.#now());
    this.#goOnBehind(key, asking);
    throw this.#unfinished(key);
  }

  #goOnBehind(key: string, asking: Promise<void>): void {
    this.#refreshing.add(key);
    const ended = (): void => {
      this.#refreshing.delete(key);
    };
    // Its failure is met by the next read, which asks again.
    asking.then(ended, ended);
  }

  #unfinished(key: string): ServiceFailure {
    const begun = this.#begun(key);
    const far = begun === null ? 'being fetched' : beingListed(begun);
    return new ServiceFailure(
      'unfinished',
      `${key}: ${far}; that goes on behind this answer, and whoever asks again takes it up there; what is named by itself can be read now`,
    );
  }

  /** A listing of which something has come. */
  #begun(key: string): UnderWay | null {
    return this.#underWay().find(({ what, pages }) => what === key && pages > 0) ?? null;
  }

  #underWay(): readonly UnderWay[] {
    return this.#options.underWay?.() ?? [];
  }

  #tellLacking(question: Question): void {
    const lacking = question.lacking?.() ?? null;
    if (lacking !== null) this.#options.onNotice(`${question.key}: incomplete, ${lacking}`);
  }

  async #ask(question: Question): Promise<void> {
    const refused = this.#options.refusal?.() ?? null;
    if (refused !== null) throw refused;
    const { key } = question;
    return this.#flights.run(key, () => this.activity.run(key, () => question.ask()));
  }

  async #refresh(question: Question): Promise<void> {
    this.#refreshing.add(question.key);
    try {
      await this.#ask(question);
    } catch (error) {
      // A service that cannot be asked is met by the next read that is past the window, and a
      // database that was closed meanwhile by nobody.
      if (!(error instanceof ServiceFailure) && !this.#stopped) throw error;
    } finally {
      this.#refreshing.delete(question.key);
    }
  }

  #window({ key, window }: Question, eagerness: Eagerness): number {
    if (window !== undefined) return window();
    const { freshMs } = this.#options;
    const prefetched = this.#prefetched.get(key);
    const covered = prefetched !== undefined && this.#now() - prefetched < COVER_MS;
    return eagerness === 'cover' || covered ? Math.max(freshMs, COVER_MS) : freshMs;
  }

  #now(): number {
    return this.#options.now().getTime();
  }
}

/** The question that brings a collection in step; null when the parameters do not say which one. */
export function questionOf(name: string, collection: Collection, params: Params): Question | null {
  const scope: Record<string, string> = {};
  for (const param of collection.scope) {
    const value = params[param];
    if (value === undefined) return null;
    scope[param] = value;
  }
  const { freshMs } = collection;
  return {
    key: [name, ...Object.values(scope)].join(' ').toLowerCase(),
    heldSince: () => collection.heldSince(scope),
    lacking: () => collection.lacking?.(scope) ?? null,
    ask: () => collection.sync(scope),
    ...(freshMs === undefined ? {} : { window: () => freshMs }),
  };
}

function beingListed(one: UnderWay): string {
  return `being listed, ${progressOf(one)}`;
}
