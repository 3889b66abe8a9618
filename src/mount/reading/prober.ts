/**
 * Looks for changes behind the reads: by one cheap question a mount, at intervals that grow while
 * nothing changes and nobody reads, by one process of a state directory at a time. What changed is
 * asked for again where it was read lately; what did not costs nothing more.
 */
import type { ProbedSubject, Probes, ProbeTurn } from '../../replica/probes.ts';
import { ServiceFailure } from '../client/failure.ts';

/** Between two rounds, in ms: at least, while somebody reads, and at most. */
const SHORTEST_MS = 15_000;
const LONGEST_MS = 600_000;
/** So long after the last read is it that somebody reads, in ms. */
const READING_MS = 60_000;
/** Where what is fresh is so for less than this, in ms, changes are looked for as much sooner. */
const USUAL_FRESH_MS = 10_000;
/** No more often than this, in ms, whatever is wanted. */
const FASTEST_MS = 1_000;
/** So often is it looked at what other processes found, in ms. */
const LOOK_MS = 5_000;
/** This part of a service's limit may be used behind the reads. */
const MOST_OF_LIMIT = 1 / 20;
const HOUR_MS = 3_600_000;
/** Subjects of one probe, at most. */
const MOST_SUBJECTS = 100;

/** How a service tells cheaply that something changed. */
export interface ChangeProbe {
  /** What a question is about, as far as a probe tells it apart, e.g. its repository; null where none does. */
  subjectOf(question: string): string | null;
  /**
   * Asks, by one cheap request: a mark for each subject, which is another one than before where
   * something changed. One that is not answered for has not changed. Throws ServiceFailure.
   */
  marks(
    subjects: readonly Omit<ProbedSubject, 'changedAt'>[],
  ): Promise<ReadonlyMap<string, string>>;
}

/** Does something so many ms later; returns how to leave it. */
export type Later = (work: () => Promise<void>, ms: number) => () => void;

export interface ProberOptions {
  /** The mount's name in the replica. */
  mount: string;
  probes: Probes;
  probe: ChangeProbe;
  freshMs: number;
  now: () => Date;
  /** False while requests are to be saved for who waits for them. */
  may: () => boolean;
  /** The part of an hour's limit that all that was asked behind the reads has used so far. */
  spent: () => number;
  /** Asks who we are, where that is not known. Keeps its failures to itself. */
  settle(): Promise<void>;
  /** Runs what is asked, so that its cost is told apart. */
  runBehind: <T>(work: () => Promise<T>) => Promise<T>;
  /** Asks again for what was read lately of these subjects, unless it was asked since a time, ms. */
  refresh(subjects: ReadonlySet<string>, changedAt: number): Promise<void>;
  /** The machine's own timers by default, which keep nobody's process. */
  later?: Later | undefined;
}

function later(work: () => Promise<void>, ms: number): () => void {
  const timer = setTimeout(() => void work(), ms);
  timer.unref();
  return () => clearTimeout(timer);
}

/** One per mount; nothing happens before the first read. */
export class Prober {
  readonly #options: ProberOptions;
  readonly #shortest: number;
  /** What was read since the last look, and when first, ms. */
  readonly #read = new Map<string, number>();
  /** When something was read here last, ms. */
  #readAt = 0;
  #lookAt: number | null = null;
  #cancel: (() => void) | null = null;
  #stopped = false;
  /** What may have been spent when the share of this hour is used up, as {@link ProberOptions.spent} counts. */
  #freeUntil = Number.POSITIVE_INFINITY;
  /** Up to when changes that were found are known here, ms. */
  #knownUntil: number;

  constructor(options: ProberOptions) {
    this.#options = options;
    const { freshMs } = options;
    const wanted = freshMs < USUAL_FRESH_MS ? freshMs / 2 : SHORTEST_MS;
    this.#shortest = Math.min(SHORTEST_MS, Math.max(FASTEST_MS, wanted));
    this.#knownUntil = this.#now();
  }

  /** A question whose answer was read just now. */
  note(question: string): void {
    const subject = this.#options.probe.subjectOf(question);
    if (subject === null) return;
    this.#readAt = this.#now();
    if (!this.#read.has(subject)) this.#read.set(subject, this.#readAt);
    this.#schedule();
  }

  /** The service has said that something about these questions changed: all processes follow it. */
  told(questions: readonly string[]): void {
    const { mount, probes, probe } = this.#options;
    const about = new Set(questions.map((question) => probe.subjectOf(question)));
    const now = Math.max(this.#now(), this.#knownUntil + 1);
    for (const known of probes.subjects(mount, now, MOST_SUBJECTS))
      if (about.has(known.subject)) probes.told(mount, { ...known, changedAt: now });
  }

  stop(): void {
    this.#stopped = true;
    this.#cancel?.();
  }

  /** One look: what was read is told to all processes, what they found is followed, and when it is time, it is asked. */
  async look(): Promise<void> {
    const { mount, probes } = this.#options;
    const now = this.#now();
    if (this.#read.size > 0) {
      probes.read(mount, this.#read, this.#shortest);
      this.#read.clear();
    }
    await this.#follow();
    const turn = probes.turn(mount);
    if (turn !== null && now >= turn.nextAt && probes.take(mount, now)) await this.#round(turn);
  }

  /** When it is time for the next round, ms; null where nothing was read yet. */
  get nextAt(): number | null {
    return this.#options.probes.turn(this.#options.mount)?.nextAt ?? null;
  }

  /** What any process found changed. */
  async #follow(): Promise<void> {
    const { mount, probes, refresh, runBehind } = this.#options;
    const changed = probes.changed(mount, this.#knownUntil);
    if (changed.length === 0) return;
    const latest = Math.max(...changed.map(({ changedAt }) => changedAt));
    this.#knownUntil = latest;
    await runBehind(() => refresh(new Set(changed.map(({ subject }) => subject)), latest));
  }

  /** Is something left of the part of the limit that may be used behind the reads? */
  get hasShare(): boolean {
    // Sums of fractions are a little off.
    return this.#freeUntil - this.#options.spent() > 1e-9;
  }

  async #round(turn: ProbeTurn): Promise<void> {
    const { mount, probes, may, spent } = this.#options;
    const start = this.#now();
    const window = start - turn.windowAt < HOUR_MS ? turn : { windowAt: start, spent: 0 };
    const before = spent();
    this.#freeUntil = before + MOST_OF_LIMIT - window.spent;
    let changed = false;
    // Nothing is asked where the share is used up, or little is left for who waits.
    if (may() && this.hasShare) changed = await this.#probe();
    const now = this.#now();
    const isRead = now - (probes.turn(mount)?.readAt ?? 0) < READING_MS;
    const interval =
      changed || isRead
        ? this.#shortest
        : Math.min(LONGEST_MS, Math.max(this.#shortest, turn.interval) * 2);
    probes.done(mount, {
      nextAt: now + interval,
      interval,
      windowAt: window.windowAt,
      spent: window.spent + spent() - before,
    });
  }

  /** Asks, and has what changed asked for again; did something change? */
  async #probe(): Promise<boolean> {
    const { mount, probes, probe, settle, runBehind } = this.#options;
    const subjects = probes.subjects(mount, this.#now(), MOST_SUBJECTS);
    try {
      const [marks] = await Promise.all([
        runBehind(() => probe.marks(subjects)),
        this.#refreshUnknown(subjects),
      ]);
      if (this.#stopped) return false;
      // Later than all that was found before, also where the clock stands.
      const now = Math.max(this.#now(), this.#knownUntil + 1);
      const changed = subjects.filter(({ subject, mark }) => (marks.get(subject) ?? mark) !== mark);
      for (const { subject } of changed)
        probes.told(mount, { subject, mark: marks.get(subject) ?? null, changedAt: now });
      await this.#follow();
      // The last of a round: the mount may go on under another name with that.
      await runBehind(settle);
      return changed.length > 0;
    } catch (error) {
      // Nobody waits for it: the next read meets the service itself, and a round comes later.
      if (error instanceof ServiceFailure || this.#stopped) return false;
      throw error;
    }
  }

  /** Of what was never probed it is not known whether it changed since it was read. */
  async #refreshUnknown(subjects: readonly ProbedSubject[]): Promise<void> {
    const { refresh, runBehind } = this.#options;
    const unknown = subjects.filter(({ mark }) => mark === null).map(({ subject }) => subject);
    if (unknown.length > 0) await runBehind(() => refresh(new Set(unknown), this.#now()));
  }

  /** The next look: soon while somebody reads here, who wants what others find; else when it is time. */
  #schedule(): void {
    if (this.#stopped) return;
    const now = this.#now();
    const soon = now + Math.min(LOOK_MS, this.#shortest / 2);
    // Most often so: it is called for every file that is read.
    if (this.#lookAt !== null && this.#lookAt <= soon) return;
    const isReading = this.#read.size > 0 || now - this.#readAt < READING_MS;
    const turn = Math.max(this.nextAt ?? soon, now);
    const at = isReading ? Math.min(soon, turn > now ? turn : soon) : Math.max(turn, soon);
    if (this.#lookAt !== null && this.#lookAt <= at) return;
    this.#cancel?.();
    this.#lookAt = at;
    this.#cancel = (this.#options.later ?? later)(async () => {
      this.#lookAt = null;
      try {
        await this.look();
      } catch (error) {
        // A database that was closed meanwhile is met by nobody.
        if (!this.#stopped) throw error;
      }
      this.#schedule();
    }, at - now);
  }

  #now(): number {
    return this.#options.now().getTime();
  }
}
