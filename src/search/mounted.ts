/**
 * The search of a world, loaded when it is first asked: a command that asks
 * nothing pays nothing for it.
 */
import type { MountTable } from '../namespace/table.ts';
import type { DocumentFs } from '../namespace/types.ts';
import type { IndexState, SearchQuestion, SearchResult, SearchService } from './contract.ts';
import type { SentenceSettings } from './embedding/model-spec.ts';
import type { MountedSearch } from './service/mounted-search.ts';
import type { FollowedSource } from './service/source.ts';

/** Files of the package that the search is started from: the sandbox's bundle cannot know where it lies. */
export interface SearchFiles {
  /** The URL of the engine's worker module. */
  module: string;
  /** The word table. */
  words: string;
  /** Is the index built before anything is asked? By default it is. */
  background?: boolean;
  /** The deployment's sentence model. */
  sentences?: SentenceSettings;
}

/** What the search is made with. */
export interface WorldSearchOptions {
  table: MountTable;
  fs: DocumentFs;
  /** index.sqlite, or ':memory:'. */
  file: string;
  /** Undefined in a world without a search. */
  files: SearchFiles | undefined;
}

/** A search over mounts, and the sources that it follows. */
export interface WorldSearch extends SearchService {
  /** Follows a service mount by its feed, from the first question on. */
  follow(point: string, source: FollowedSource): void;
  /** Builds the index in the background, once there was time for a short command to end. */
  buildSoon(): void;
  close(): Promise<void>;
}

/** A world that lasts no longer than this builds no index unless it is asked something, ms. */
const BUILD_AFTER_MS = 2_000;

export function createWorldSearch(options: WorldSearchOptions): WorldSearch {
  return new LazySearch(options);
}

class LazySearch implements WorldSearch {
  readonly #options: WorldSearchOptions;
  readonly #followed = new Map<string, FollowedSource>();
  #search: Promise<MountedSearch> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: WorldSearchOptions) {
    this.#options = options;
  }

  follow(point: string, source: FollowedSource): void {
    this.#followed.set(point, source);
    void this.#search?.then((search) => search.follow(point, source));
  }

  async ask(question: SearchQuestion): Promise<SearchResult> {
    return (await this.#load()).ask(question);
  }

  async state(paths: readonly string[], wait: boolean): Promise<IndexState> {
    return (await this.#load()).state(paths, wait);
  }

  buildSoon(): void {
    this.#timer = setTimeout(() => {
      if (!this.#options.table.attachments.some(({ searchable }) => searchable)) return;
      // What keeps it from being built, the first question is told.
      void this.#load().then((search) => search.build().catch(() => undefined));
    }, BUILD_AFTER_MS);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    await (await this.#search)?.close();
  }

  #load(): Promise<MountedSearch> {
    this.#search ??= this.#make();
    return this.#search;
  }

  async #make(): Promise<MountedSearch> {
    const { table, fs, file, files } = this.#options;
    if (files === undefined) throw new Error('this world was made without a search');
    const [{ MountedSearch }, { startEngine }] = await Promise.all([
      import('./service/mounted-search.ts'),
      import('./service/client.ts'),
    ]);
    const search = new MountedSearch({
      table,
      fs,
      engine: () => {
        const { module, words, sentences } = files;
        return startEngine(module, { file, words, ...(sentences && { sentences }) });
      },
    });
    for (const [point, source] of this.#followed) search.follow(point, source);
    return search;
  }
}
