/**
 * Fetching in bulk what lies under a directory. Where the path does not say
 * which collections are meant (the mount's root, an owner), its directories are
 * listed and each is fetched, the most recently updated first and not more of
 * them than a command can wait for; what was left out is said.
 */
import { type FsError, isFsError } from '../../errors.ts';
import { clock, ServiceFailure } from '../client/failure.ts';
import type { Dirent, MountStat } from '../contract/contract.ts';
import { isNamedBy, type Match, type RouteTable } from '../table/table.ts';
import type { Freshness } from './freshness.ts';
import type { Question } from './question.ts';

/** So many directories are fetched for one walk. */
const MOST = 20;

/** What one fetch covered. */
interface Covered {
  /** Questions that were asked, or were fresh. */
  questions: Question[];
  /** Directories that stand for collections, and how many of them were fetched. */
  directories: number;
  fetched: number;
  failures: FsError[];
}

export interface PrefetchOptions {
  /** What sentences call the service. */
  title: string;
  table: RouteTable;
  freshness: Freshness;
  /** The questions that a row asks for a bulk fetch; null for one that the path leaves open. */
  questions(match: Match): (Question | null)[];
  readdir(path: string): Promise<Dirent[]>;
  lstat(path: string): Promise<MountStat>;
  /** Where the service's own search is, as a whole path; null where it has none here. */
  search: string | null;
}

export class Prefetch {
  readonly #options: PrefetchOptions;
  readonly #last = new Map<string, Covered>();

  constructor(options: PrefetchOptions) {
    this.#options = options;
  }

  /** @throws FsError when something could not be asked; everything else was. */
  async run(path: string): Promise<void> {
    const { freshness, title } = this.#options;
    const covered: Covered = { questions: [], directories: 0, fetched: 0, failures: [] };
    this.#last.set(path, covered);
    await this.#fetch(path, covered);
    const { directories, fetched, failures } = covered;
    if (fetched < directories) {
      freshness.notice(
        `${title}: fetched ${fetched} of ${directories} directories under ${path}, the most recently updated; the others are not searched: name one to fetch it`,
      );
    }
    const [failure] = failures;
    if (failure !== undefined) throw failure;
  }

  /** How fresh and how complete the last fetch of a path left it, as a sentence; null when there was none. */
  coverage(path: string): string | null {
    const covered = this.#last.get(path);
    if (covered === undefined) return null;
    const { questions, directories, fetched, failures } = covered;
    const times = questions.map((question) => question.heldSince());
    const known = times.filter((time) => time !== null);
    const { title, search } = this.#options;
    const lacking = questions.some((question) => (question.lacking?.() ?? null) !== null);
    const elsewhere = search === null ? '' : ` (${title}'s own search has the rest: ${search})`;
    if (known.length === 0) return `${title}: nothing held${elsewhere}`;
    const parts = [`${title} as of ${clock(new Date(Math.min(...known)))} UTC`];
    if (fetched < directories) parts.push(`${fetched} of ${directories} directories`);
    else if (failures.length > 0 || lacking || known.length < times.length)
      parts.push('incomplete');
    else return [...parts, 'complete'].join(', ');
    return `${parts.join(', ')}${elsewhere}`;
  }

  /** When the service last confirmed the oldest of what the last fetch of a path covered, ms; null when there was none. */
  heldSince(path: string): number | null {
    const times = this.#last.get(path)?.questions.map((question) => question.heldSince()) ?? [];
    const known = times.filter((time) => time !== null);
    return known.length === 0 ? null : Math.min(...known);
  }

  async #fetch(path: string, covered: Covered): Promise<void> {
    const { table, freshness, questions } = this.#options;
    const asked = new Map<string, Question>();
    let open = false;
    const matches = table.under(path);
    for (const match of matches) {
      for (const question of questions(match)) {
        if (question === null) open = true;
        else asked.set(question.key, question);
      }
    }
    covered.questions.push(...asked.values());
    try {
      // One after the other: a later collection may lean on an earlier one's records.
      for (const question of asked.values()) await freshness.ensure(question, 'prefetch');
      for (const { route, params } of matches) {
        const { prefetch } = route;
        if (prefetch === undefined) continue;
        const named = isNamedBy(path, route);
        await freshness.activity.run(`what is below ${path}`, () => prefetch(params, named));
      }
    } catch (error) {
      if (error instanceof ServiceFailure) throw error.at(path, 'prefetch');
      throw error;
    }
    if (open) await this.#below(path, covered);
  }

  /** Fetches each directory right below, when what is asked for depends on which one it is. */
  async #below(path: string, covered: Covered): Promise<void> {
    const { table, questions, readdir } = this.#options;
    const rows = await readdir(path);
    const known = new Set(covered.questions.map(({ key }) => key));
    // Of a directory that no collection is below, or that was asked for with the path itself, nothing
    // more is fetched in bulk.
    const adds = (place: string): boolean =>
      table
        .under(place)
        .flatMap(questions)
        .some((question) => question === null || !known.has(question.key));
    const places = rows
      .filter(({ type }) => type === 'directory')
      .map(({ name }) => (path === '/' ? `/${name}` : `${path}/${name}`))
      .filter(adds);
    const isLast = (place: string): boolean =>
      table.under(place).every((match) => !questions(match).includes(null));
    const last = places.filter(isLast);
    const room = Math.max(0, MOST - covered.fetched);
    const chosen = last.length <= room ? last : (await this.#newest(last)).slice(0, room);
    covered.directories += last.length;
    for (const place of places) {
      const taken = !last.includes(place) || chosen.includes(place);
      if (!taken) continue;
      if (chosen.includes(place)) covered.fetched += 1;
      if (!(await this.#tryFetch(place, covered))) return;
    }
  }

  /** One directory that cannot be fetched does not keep the others back; a limit does. */
  async #tryFetch(place: string, covered: Covered): Promise<boolean> {
    try {
      await this.#fetch(place, covered);
      return true;
    } catch (error) {
      if (!isFsError(error)) throw error;
      if (error.code === 'ENOENT') return true;
      covered.failures.push(error);
      return error.code !== 'EAGAIN';
    }
  }

  async #newest(places: readonly string[]): Promise<string[]> {
    const dated = await Promise.all(
      places.map(async (place) => ({
        place,
        time: (await this.#options.lstat(place)).mtime.getTime(),
      })),
    );
    return dated.sort((a, b) => b.time - a.time).map(({ place }) => place);
  }
}
