/**
 * What the world said of entries, for a moment: one program's open, fstat and
 * read are one question, and so is a walk's next look at a directory. While the
 * world is busy, what it said last is told.
 */
import { isFsError } from '../../errors.ts';
import type { Inspection } from '../../namespace/inspect.ts';
import type { DirentEntry } from '../../namespace/types.ts';
import { isWithin, parentOf } from '../../paths.ts';
import type { FsCall } from '../../world/fs-call.ts';
import { Certain } from './certain.ts';
import { type Listed, Listings } from './listings.ts';
import { type Stamped, Stamps } from './stamps.ts';
import type { WorldFiles } from './world-files.ts';

/** How many entries are remembered. */
const MOST = 50_000;

/** A busy world is asked all the same, and waited for so long, ms, where it said something before. */
const PATIENCE_MS = 60;

/** How long an answer stands, ms. */
export interface Freshness {
  local: number;
  /** Of a service, whose own are a second old at once. */
  service: number;
}

interface Known {
  /** null: nothing is there. */
  inspection: Inspection | null;
  until: number;
  /** Under which it stays true; 0 for none. */
  lease: number;
  /** By which it may stand longer. */
  stamped: Stamped | null;
}

export class Attributes {
  readonly #files: WorldFiles;
  readonly #isOfService: (path: string) => boolean;
  readonly #freshness: Freshness;
  readonly #known = new Map<string, Known>();
  readonly #asked = new Map<string, Promise<Inspection | null>>();
  readonly #listings: Listings;
  readonly #stamps: Stamps;
  /** What stays true while nobody else uses the world. */
  readonly certain: Certain;
  /** Counts what was forgotten: an answer that was asked for before is not kept after. */
  #forgotten = 0;

  /** @param stampedAt the point of the mount that a path is in, where that may have stamps */
  constructor(
    files: WorldFiles,
    isOfService: (path: string) => boolean,
    freshness: Freshness,
    isInMemory: (path: string) => boolean = () => false,
    stampedAt: (path: string) => string | null = () => null,
  ) {
    this.#files = files;
    this.certain = new Certain(files, isInMemory);
    this.#isOfService = isOfService;
    this.#freshness = freshness;
    this.#stamps = new Stamps({
      pointOf: stampedAt,
      standsFor: freshness.service,
      ask: (calls) => files.all(calls),
    });
    this.#listings = new Listings({
      stamps: this.#stamps,
      ask: (paths) => this.#listAll(paths),
      standsFor: (path) => this.#standsFor(path),
      walked: (entries) => this.#askAhead(entries.filter((each) => !this.#isKnown(each))),
    });
  }

  /** What is in a directory. @throws FsError */
  list(path: string): Promise<readonly DirentEntry[]> {
    return this.#listings.of(path);
  }

  /** What is known of a path without the world: null where nothing is, undefined where it has to be asked. */
  known(path: string): Inspection | null | undefined {
    const known = this.#known.get(path);
    if (known !== undefined && this.#stands(path, known)) return known.inspection;
    return this.certain.lacks(path) ? null : undefined;
  }

  /** null where nothing is. @throws FsError */
  async of(path: string): Promise<Inspection | null> {
    const standing = this.known(path);
    if (standing !== undefined) return standing;
    const known = this.#known.get(path);
    if (known !== undefined && this.#files.isBusy) {
      // Whoever asks next may have a newer answer.
      void this.#ask(path).catch(() => undefined);
      return known.inspection;
    }
    if (known === undefined) return this.#ask(path);
    return this.#patiently(this.#again(path, known), known.inspection);
  }

  /** Asks about it only where its mount does not say that nothing has changed. */
  async #again(path: string, known: Known): Promise<Inspection | null> {
    const isConfirmed = await this.#stamps.isConfirmed(known.stamped);
    // It may have been forgotten meanwhile.
    if (isConfirmed && this.#known.get(path) === known) return known.inspection;
    return this.#ask(path);
  }

  /**
   * The world just said so.
   * @param lease under which it was asked
   * @param told ahead of the answer
   */
  know(path: string, inspection: Inspection | null, lease = 0, told: Stamped | null = null): void {
    this.#known.delete(path);
    const until = performance.now() + this.#standsFor(path);
    // What could not be told whole may be told now, though nothing has changed.
    const stamped = inspection?.estimated === false ? told : null;
    this.#known.set(path, { inspection, until, lease, stamped });
    if (this.#known.size <= MOST) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      break;
    }
  }

  /**
   * Makes calls, and asks what they left of some entries in the same message.
   * @param paths entries that are there afterwards
   * @param ask how the world is asked
   * @returns what the calls gave, and what is at the paths
   * @throws FsError of the first call that fails
   */
  async after(
    calls: readonly FsCall[],
    paths: readonly string[],
    ask: 'all' | 'ask' = 'all',
  ): Promise<{ values: unknown[]; left: Inspection[] }> {
    for (const path of paths) this.forget(path);
    const forgotten = this.#forgotten;
    const leases = paths.map((path) => this.certain.leaseFor(path));
    const asked = paths.map((path): FsCall => ['inspect', path]);
    const values = await this.#files[ask]([...calls, ...asked]);
    const left = values.slice(calls.length) as Inspection[];
    const isLatest = forgotten === this.#forgotten;
    for (const path of paths) this.forget(path);
    if (isLatest)
      for (const [index, each] of left.entries())
        this.know(paths[index] ?? '', each, leases[index]);
    return { values: values.slice(0, calls.length), left };
  }

  /** Something was done to a path. */
  forget(path: string): void {
    this.#forgotten += 1;
    this.#known.delete(path);
    this.#asked.delete(path);
    this.#listings.forget(path);
  }

  /** Is what is known of a path true for as long as nobody else uses the world? */
  lasts(path: string): boolean {
    const lease = this.#known.get(path)?.lease ?? 0;
    return lease !== 0 && lease === this.certain.leaseFor(path);
  }

  /** A file was made in a directory, which has its time since; where what is known of that does not last, nothing is. */
  madeIn(directory: string, mtime: number): void {
    const known = this.lasts(directory) ? this.#known.get(directory) : undefined;
    this.forget(directory);
    if (known?.inspection != null)
      this.know(directory, { ...known.inspection, mtime }, known.lease);
  }

  /** A call that was put off was not taken. */
  refused([method, path]: FsCall): void {
    if (method !== 'mkdir') return this.forget(String(path));
    this.certain.goneTree(String(path));
    this.certain.forgetRules();
    this.forgetTree(String(path));
  }

  /** Something was done to a path, and to all below it. */
  forgetTree(path: string): void {
    this.forget(path);
    for (const each of [...this.#known.keys(), ...this.#asked.keys()])
      if (isWithin(path, each)) this.forget(each);
    this.#listings.forgetTree(path);
  }

  #stands(path: string, { inspection, until, lease, stamped }: Known): boolean {
    if (performance.now() < until || this.#stamps.stands(stamped)) return true;
    // Another name of the file, which was not seen here, may be the one that is written.
    if (inspection?.type === 'file' && inspection.links > 1) return false;
    return lease !== 0 && lease === this.certain.leaseFor(path);
  }

  async #listAll(paths: readonly string[]): Promise<Listed[]> {
    const leases = paths.map((path) => this.certain.leaseFor(path));
    const forgotten = this.#forgotten;
    const { values, stamps } = await this.#stamps.behind(paths, (path) => [
      'readdirWithFileTypes',
      path,
    ]);
    const listed = values as DirentEntry[][];
    if (forgotten === this.#forgotten)
      for (const [index, rows] of listed.entries()) {
        const names = rows.map(({ name }) => name);
        this.certain.listed(paths[index] ?? '', names, leases[index] ?? 0);
      }
    return listed.map((rows, index) => ({ rows, stamped: stamps[index] ?? null }));
  }

  #standsFor(path: string): number {
    const { local, service } = this.#freshness;
    return this.#isOfService(path) ? service : local;
  }

  #ask(path: string): Promise<Inspection | null> {
    const under = this.#asked.get(path);
    if (under !== undefined) return under;
    const next = this.#listings.after(path).filter((each) => !this.#isKnown(each));
    if (next.length === 0) return this.#keepAsked(path, this.#askNow(path));
    const [asked] = this.#askAhead([path, ...next]);
    return asked ?? this.#keepAsked(path, this.#askNow(path));
  }

  /** In one message. Nobody may want the answers yet: whoever does is told what went wrong. */
  #askAhead(paths: readonly string[]): Promise<Inspection | null>[] {
    if (paths.length === 0) return [];
    const answers = this.#askTogether(paths).map((answer, index) =>
      this.#keepAsked(paths[index] ?? '', answer),
    );
    for (const answer of answers) answer.catch(() => undefined);
    return answers;
  }

  #isKnown(path: string): boolean {
    const known = this.#known.get(path);
    return this.#asked.has(path) || (known !== undefined && this.#stands(path, known));
  }

  #keepAsked(path: string, answer: Promise<Inspection | null>): Promise<Inspection | null> {
    const asked = answer.finally(() => {
      if (this.#asked.get(path) === asked) this.#asked.delete(path);
    });
    this.#asked.set(path, asked);
    return asked;
  }

  /** In one message; where one of them fails, each is asked about by itself once it is wanted. */
  #askTogether(paths: readonly string[]): Promise<Inspection | null>[] {
    const forgotten = this.#forgotten;
    const leases = paths.map((path) => this.certain.leaseFor(path));
    const all = this.#stamps.behind(paths, (path) => ['inspect', path]);
    return paths.map(async (path, index) => {
      const answers = await all.catch(() => null);
      if (answers === null) return this.#askNow(path);
      const inspection = answers.values[index] as Inspection;
      if (forgotten === this.#forgotten)
        this.know(path, inspection, leases[index], answers.stamps[index]);
      return inspection;
    });
  }

  async #askNow(path: string): Promise<Inspection | null> {
    const forgotten = this.#forgotten;
    const lease = this.certain.leaseFor(path);
    const asked = this.#stamps.behind([path], () => ['inspect', path]);
    const { values, stamps } = await asked.catch((error: unknown) => {
      if (!isFsError(error, 'ENOENT') || error.reason !== undefined) throw error;
      return { values: [null], stamps: [null] };
    });
    const inspection = values[0] as Inspection | null;
    if (forgotten === this.#forgotten) this.know(path, inspection, lease, stamps[0]);
    // Whoever looks for one name that is not there will look for others. A failure is told to who lists it.
    if (inspection === null && this.certain.missed(path))
      this.list(parentOf(path)).catch(() => undefined);
    return inspection;
  }

  /** What was known, where the world does not answer soon. */
  async #patiently(
    asked: Promise<Inspection | null>,
    known: Inspection | null,
  ): Promise<Inspection | null> {
    let timer: NodeJS.Timeout | undefined;
    const waited = new Promise<Inspection | null>((resolve) => {
      timer = setTimeout(() => resolve(known), PATIENCE_MS);
    });
    try {
      return await Promise.race([asked, waited]);
    } finally {
      clearTimeout(timer);
      // Who asked has an answer; a late failure is nobody's.
      asked.catch(() => undefined);
    }
  }
}
