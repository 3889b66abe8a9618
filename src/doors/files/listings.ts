/** What the world said of directories, for a moment, and who walks through them. */
import type { DirentEntry } from '../../namespace/types.ts';
import { childOf, isWithin, nameOf, parentOf } from '../../paths.ts';
import type { Stamped, Stamps } from './stamps.ts';

/** How many listings are remembered, and how many rows in all of them. */
const MOST = 20_000;
const MOST_ROWS = 200_000;

/** So many names are asked about at once, after a walk has asked about some. */
const AHEAD = 32;

/**
 * Listings that took longer, for each and once more, may have asked a service: their neighbours are
 * not asked for ahead. In ms.
 */
const QUICK_MS = 10;

/** Answers that stand for less, ms, are old before a walk comes to them. */
const WALK_MS = 500;

/** What the world said of a directory, and what that stands by. */
export interface Listed {
  rows: readonly DirentEntry[];
  stamped: Stamped | null;
}

interface Listing extends Listed {
  until: number;
  /** Where each name is. */
  places: ReadonlyMap<string, number>;
  /** How many of its names were asked about. */
  looks: number;
  /** How many of its directories were listed, one after the other. */
  entered: number;
}

export interface ListingsOptions {
  /** @throws FsError of the first that fails */
  ask(paths: readonly string[]): Promise<Listed[]>;
  stamps: Pick<Stamps, 'stands' | 'isConfirmed'>;
  /** How long an answer stands, ms. */
  standsFor(path: string): number;
  /** Somebody walks, and will look at these entries next. */
  walked(entries: readonly string[]): void;
}

export class Listings {
  readonly #options: ListingsOptions;
  readonly #known = new Map<string, Listing>();
  readonly #asked = new Map<string, Promise<readonly DirentEntry[]>>();
  /** How many rows are remembered. */
  #rows = 0;
  /** Did the latest answer come at once? */
  #isQuick = true;
  /** Counts what was forgotten: an answer that was asked for before is not kept after. */
  #forgotten = 0;

  constructor(options: ListingsOptions) {
    this.#options = options;
  }

  /** @throws FsError */
  of(path: string): Promise<readonly DirentEntry[]> {
    const known = this.#standing(path);
    if (known !== undefined) return Promise.resolve(known.rows);
    const under = this.#asked.get(path);
    if (under !== undefined) return under;
    const old = this.#known.get(path);
    return old === undefined ? this.#ask(path) : this.#again(path, old);
  }

  /** Lists it only where its mount does not say that nothing has changed. */
  async #again(path: string, known: Listing): Promise<readonly DirentEntry[]> {
    const isConfirmed = await this.#options.stamps.isConfirmed(known.stamped);
    // It may have been forgotten meanwhile.
    if (isConfirmed && this.#known.get(path) === known) return known.rows;
    return this.#standing(path)?.rows ?? this.#asked.get(path) ?? this.#ask(path);
  }

  #ask(path: string): Promise<readonly DirentEntry[]> {
    const ahead = this.#directoriesAfter(path);
    const [asked = Promise.resolve([])] = this.#askTogether([path, ...ahead]);
    void this.#walkAhead(ahead);
    return asked;
  }

  /**
   * Who looks at one name of a listing after the other looks at all of them.
   * @returns the names that come next, the more the longer it goes on; none after the first look
   */
  after(path: string): string[] {
    const walk = this.#walkAt(path);
    if (walk === null) return [];
    const { listing, place } = walk;
    const ahead = Math.min(listing.looks, AHEAD);
    listing.looks += 1 + ahead;
    const next = listing.rows.slice(place + 1, place + 1 + ahead);
    return next.map(({ name }) => childOf(parentOf(path), name));
  }

  /** A listing that a name is in, and where; null where no answer stands long enough to be asked for ahead. */
  #walkAt(path: string): { listing: Listing; place: number } | null {
    const directory = parentOf(path);
    const listing = this.#known.get(directory);
    const place = listing?.places.get(nameOf(path));
    if (listing === undefined || place === undefined || this.#options.standsFor(path) === 0)
      return null;
    // Of those that are remembered it is the latest, however many are below it.
    this.#known.delete(directory);
    this.#known.set(directory, listing);
    return { listing, place };
  }

  /** Something was done in a directory. */
  forget(path: string): void {
    this.#forgotten += 1;
    this.#drop(path);
    this.#asked.delete(path);
  }

  /** Something was done to a directory, and to all below it. */
  forgetTree(path: string): void {
    for (const each of [...this.#known.keys(), ...this.#asked.keys()])
      if (isWithin(path, each)) this.forget(each);
  }

  #standing(path: string): Listing | undefined {
    const known = this.#known.get(path);
    if (known === undefined) return undefined;
    const stands = performance.now() < known.until || this.#options.stamps.stands(known.stamped);
    return stands ? known : undefined;
  }

  /** Who lists one directory after the other lists all of them: those that come next, as names do. */
  #directoriesAfter(path: string): string[] {
    // Of the directory above: what is beside a mount is another's.
    if (!this.#isQuick || this.#options.standsFor(parentOf(path)) < WALK_MS) return [];
    const walk = this.#walkAt(path);
    if (walk === null) return [];
    const { listing, place } = walk;
    const ahead = Math.min(listing.entered, AHEAD);
    listing.entered += 1 + ahead;
    const next: string[] = [];
    for (let at = place + 1; at < listing.rows.length && next.length < ahead; at++) {
      const row = listing.rows[at];
      if (row?.isDirectory === true) next.push(childOf(parentOf(path), row.name));
    }
    return next.filter((each) => this.#isUnknown(each));
  }

  #isUnknown(path: string): boolean {
    return this.#standing(path) === undefined && !this.#asked.has(path);
  }

  /** What is below directories that were asked for ahead, level by level. */
  async #walkAhead(directories: readonly string[]): Promise<void> {
    let level = directories;
    for (let left = AHEAD * 8; level.length > 0 && left > 0; ) {
      const listed = await Promise.all(level.map((path) => this.#asked.get(path)?.catch(() => [])));
      const entries: { path: string; isDirectory: boolean }[] = [];
      for (const [index, rows = []] of listed.entries())
        for (const { name, isDirectory } of rows)
          entries.push({ path: childOf(level[index] ?? '', name), isDirectory });
      if (!this.#isQuick) return;
      const next = entries.slice(0, left);
      left -= next.length;
      this.#options.walked(next.map(({ path }) => path));
      const below = next.filter(({ path, isDirectory }) => isDirectory && this.#isUnknown(path));
      level = below.map(({ path }) => path);
      this.#askTogether(level);
    }
  }

  /** In one message; where one of them fails, each is asked for by itself. */
  #askTogether(paths: readonly string[]): Promise<readonly DirentEntry[]>[] {
    if (paths.length === 0) return [];
    const forgotten = this.#forgotten;
    const since = performance.now();
    const all = this.#options.ask(paths);
    return paths.map((path, index) => {
      const asked = all
        .catch(async (error: unknown) => {
          if (paths.length === 1) throw error;
          return { [index]: (await this.#options.ask([path]))[0] };
        })
        .then((answers: Readonly<Record<number, Listed | undefined>>) => {
          const { rows, stamped } = answers[index] ?? { rows: [], stamped: null };
          this.#isQuick = performance.now() - since < QUICK_MS * (1 + paths.length);
          if (forgotten === this.#forgotten) this.#keep(path, rows, stamped);
          return rows;
        })
        .finally(() => {
          if (this.#asked.get(path) === asked) this.#asked.delete(path);
        });
      this.#asked.set(path, asked);
      // Nobody may want what was asked for ahead: whoever does is told what went wrong.
      asked.catch(() => undefined);
      return asked;
    });
  }

  #keep(path: string, rows: readonly DirentEntry[], stamped: Stamped | null): void {
    const places = new Map(rows.map(({ name }, index) => [name, index]));
    const until = performance.now() + this.#options.standsFor(path);
    this.#drop(path);
    this.#known.set(path, { rows, until, places, stamped, looks: 0, entered: 0 });
    this.#rows += rows.length;
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MOST && this.#rows <= MOST_ROWS) return;
      if (oldest !== path) this.#drop(oldest);
    }
  }

  #drop(path: string): void {
    this.#rows -= this.#known.get(path)?.rows.length ?? 0;
    this.#known.delete(path);
  }
}
