/**
 * Search over what is mounted. Services are followed by their feed; the files
 * of other searchable mounts are compared with the index before each search.
 */
import { createHash } from 'node:crypto';
import type { FsError } from '../errors.ts';
import { isWithin } from '../namespace/paths.ts';
import type { Attachment, MountTable } from '../namespace/table.ts';
import type { NamespaceFs } from '../namespace/types.ts';
import type { SearchAnswer, SearchService } from '../shell/command.ts';
import { createRankedSearch, type FollowedSource, type RankedSearch } from './ranked/index.ts';

/** Larger files are data, not text to be read. Bytes. */
const LARGEST_DOCUMENT = 1_000_000;

/** What the search is made with. */
export interface MountedSearchOptions {
  table: MountTable;
  fs: NamespaceFs;
  /** The index's file, or ':memory:'. It is opened when it is first needed. */
  file: string;
}

/** A service as the search follows it; it may tell how fresh and how complete it is. */
export interface CoveredSource extends FollowedSource {
  coverage?(path: string): string | null;
}

/** A search over mounts, and the sources that it follows. */
export interface MountedSearch extends SearchService {
  /** Follows a service mount by its feed, from the next search on. */
  follow(point: string, source: CoveredSource): void;
  close(): void;
}

export function createMountedSearch(options: MountedSearchOptions): MountedSearch {
  return new Mounted(options);
}

class Mounted implements MountedSearch {
  readonly #options: MountedSearchOptions;
  readonly #followed = new Map<string, CoveredSource>();
  /** Hashes of the files that are in the index, by mount point and path. */
  readonly #indexed = new Map<string, Map<string, string>>();
  #index: RankedSearch | undefined;

  constructor(options: MountedSearchOptions) {
    this.#options = options;
  }

  follow(point: string, source: CoveredSource): void {
    this.#followed.set(point, source);
    this.#index?.follow(point, source);
  }

  async search(query: string, paths: readonly string[], limit: number): Promise<SearchAnswer> {
    const index = this.#open();
    const trouble: FsError[] = [];
    for (const path of paths) {
      trouble.push(...(await this.#options.fs.prefetch(path)));
      for (const attachment of this.#filesUnder(path)) await this.#refresh(index, attachment);
    }
    const { hits, note } = await index.search(query, paths, limit);
    return {
      hits: hits.map((hit) => ({ ...hit, text: shortened(hit.text) })),
      note: [note, ...this.#coverage(paths)].join('; '),
      trouble,
    };
  }

  /** What the services under some paths say of how fresh and how complete they are. */
  #coverage(paths: readonly string[]): string[] {
    const said = paths.flatMap((path) =>
      [...this.#followed].flatMap(([point, source]) => {
        if (isWithin(point, path)) return source.coverage?.(path.slice(point.length) || '/') ?? [];
        return isWithin(path, point) ? (source.coverage?.('/') ?? []) : [];
      }),
    );
    return [...new Set(said)];
  }

  close(): void {
    this.#index?.close();
  }

  #open(): RankedSearch {
    if (this.#index !== undefined) return this.#index;
    const index = createRankedSearch(this.#options.file);
    for (const [point, source] of this.#followed) index.follow(point, source);
    this.#index = index;
    return index;
  }

  #filesUnder(path: string): Attachment[] {
    return this.#options.table.attachments.filter(
      (each) =>
        each.searchable &&
        !this.#followed.has(each.point) &&
        (isWithin(path, each.point) || isWithin(each.point, path)),
    );
  }

  /** Brings the index in step with the files of one mount. */
  async #refresh(index: RankedSearch, { point }: Attachment): Promise<void> {
    let known = this.#indexed.get(point);
    if (known === undefined) {
      // Another process may have left texts of files that are gone.
      index.remove(point);
      known = new Map();
      this.#indexed.set(point, known);
    }
    const gone = new Set(known.keys());
    for (const file of this.#options.fs.walk(point) ?? []) {
      const { path } = file;
      if (isMachinery(path.slice(point.length))) continue;
      const content = file.bytes();
      if (content === null || content.length > LARGEST_DOCUMENT || content.includes(0)) continue;
      gone.delete(path);
      const hash = createHash('sha256').update(content).digest('base64');
      if (known.get(path) === hash) continue;
      known.set(path, hash);
      index.put(path, Buffer.from(content).toString('utf8'));
    }
    for (const path of gone) {
      known.delete(path);
      index.remove(path);
    }
  }
}

/** A line is shown so that it can be read: minified code has lines of a megabyte. Characters. */
const LONGEST_LINE = 300;

function shortened(line: string): string {
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE)}…`;
}

/** Files that tools keep for themselves, not texts that somebody wrote. */
function isMachinery(path: string): boolean {
  return /\/(?:\.[^/]+|node_modules)(?:\/|$)/.test(path);
}
