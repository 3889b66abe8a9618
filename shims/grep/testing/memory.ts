/** A namespace in memory, as far as the commands of this folder need one. */
import { InMemoryFs } from 'just-bash';
import type { FsError } from '../../../src/errors.ts';
import { WalkedFile } from '../../../src/mount/contract/walked-file.ts';
import type { DirentEntry, NamespaceFs } from '../../../src/namespace/types.ts';
import type {
  IndexState,
  SearchQuestion,
  SearchResult,
  SearchService,
} from '../../../src/search/contract.ts';
import type { ShimHost } from '../../../src/shell/command.ts';

/** How a {@link MemoryNamespace} differs from the plainest one. */
export interface MemoryOptions {
  /** Where text may be searched by meaning. */
  searchable?: (path: string) => boolean;
  /** false: `walk` gives null, as over a service. */
  walks?: boolean;
  /** Paths whose reading fails, and how. */
  failing?: ReadonlyMap<string, FsError>;
}

export class MemoryNamespace extends InMemoryFs implements NamespaceFs {
  /** Reads and listings asked for. */
  readonly asked: string[] = [];
  private readonly content: { path: string; data: Buffer }[];
  private readonly options: MemoryOptions;

  constructor(files: Readonly<Record<string, string | Uint8Array>>, options: MemoryOptions = {}) {
    super(files);
    this.options = options;
    this.content = Object.entries(files)
      .map(([path, data]) => ({ path, data: Buffer.from(data), key: path.replaceAll('/', '\0') }))
      .sort((x, y) => (x.key < y.key ? -1 : 1))
      .map(({ path, data }) => ({ path, data }));
  }

  override async readFileBuffer(path: string): Promise<Uint8Array> {
    this.asked.push(path);
    const failure = this.options.failing?.get(path);
    if (failure !== undefined) throw failure;
    return super.readFileBuffer(path);
  }

  override async readdirWithFileTypes(path: string): Promise<DirentEntry[]> {
    this.asked.push(path);
    const failure = this.options.failing?.get(path);
    if (failure !== undefined) throw failure;
    return super.readdirWithFileTypes(path);
  }

  async prefetch(path: string): Promise<readonly FsError[]> {
    this.asked.push(`prefetch ${path}`);
    return [];
  }

  walk(path: string): Iterable<WalkedFile> | null {
    return this.options.walks === false ? null : this.under(path);
  }

  private *under(path: string): Iterable<WalkedFile> {
    const root = path === '/' ? '/' : `${path}/`;
    for (const file of this.content) {
      if (!file.path.startsWith(root)) continue;
      const failing = this.options.failing?.has(file.path) ?? false;
      const slash = file.path.lastIndexOf('/');
      const bytes = () => (failing ? null : file.data);
      yield new WalkedFile(file.path.slice(0, slash) || '/', file.path.slice(slash + 1), { bytes });
    }
  }

  searchable(path: string): boolean {
    return this.options.searchable?.(path) ?? false;
  }

  errorsSince(): readonly FsError[] {
    return [];
  }

  costly(): boolean {
    return false;
  }

  async checkRemoval(): Promise<boolean> {
    return false;
  }

  async flush(): Promise<void> {
    // Nothing is held back here.
  }

  heldMark(): number {
    return 0;
  }

  separately<T>(run: () => T): T {
    return run();
  }

  endlessRead(): null {
    return null;
  }

  noteEndless(): void {
    // Nothing here is endless.
  }

  enough(): void {
    // Nothing here is endless.
  }

  errorMark(): number {
    return 0;
  }
}

/** A search service that remembers what it was asked and gives fixed answers. */
export class FakeSearch implements SearchService {
  readonly questions: { query: string; paths: readonly string[]; limit: number }[] = [];
  hits: { path: string; line: number; text: string; score: number }[] = [];
  note = '';
  /** What else it says. */
  rest: Partial<SearchResult> = {};
  failure: Error | null = null;

  async ask({ query, paths, limit }: SearchQuestion): Promise<SearchResult> {
    this.questions.push({ query, paths, limit });
    if (this.failure !== null) throw this.failure;
    const answers = this.hits.map((hit) => ({
      ...hit,
      crumb: 'Title',
      passage: hit.text,
      passageLine: hit.line,
    }));
    return { answers, documents: answers.length, note: this.note, ...this.rest };
  }

  async state(): Promise<IndexState> {
    return { documents: this.hits.length, chunks: this.hits.length, pending: 0 };
  }
}

/** A host for the commands. */
export function hostOf(fs: NamespaceFs, search: SearchService = new FakeSearch()): ShimHost {
  return { fs, search };
}
