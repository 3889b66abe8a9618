/**
 * The search of a world, loaded when it is first asked: a command that asks
 * nothing pays nothing for it.
 */
import type { MountTable } from '../namespace/table.ts';
import type { NamespaceFs } from '../namespace/types.ts';
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
  /** The deployment's sentence model. */
  sentences?: SentenceSettings;
}

/** What the search is made with. */
export interface WorldSearchOptions {
  table: MountTable;
  fs: NamespaceFs;
  /** index.sqlite, or ':memory:'. */
  file: string;
  /** Undefined in a world without a search. */
  files: SearchFiles | undefined;
}

/** A search over mounts, and the sources that it follows. */
export interface WorldSearch extends SearchService {
  /** Follows a service mount by its feed, from the first question on. */
  follow(point: string, source: FollowedSource): void;
  close(): Promise<void>;
}

export function createWorldSearch(options: WorldSearchOptions): WorldSearch {
  return new LazySearch(options);
}

class LazySearch implements WorldSearch {
  readonly #options: WorldSearchOptions;
  readonly #followed = new Map<string, FollowedSource>();
  #search: Promise<MountedSearch> | undefined;

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

  async close(): Promise<void> {
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
