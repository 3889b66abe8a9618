/** What a shim is made with. A shim is a command that replaces a built-in one. */
import type { Command } from 'just-bash';
import type { FsError } from '../errors.ts';
import type { NamespaceFs } from '../namespace/types.ts';

/** One line of a ranked answer. */
export interface SearchHit {
  path: string;
  /** 1-based. */
  line: number;
  text: string;
  score: number;
}

/** What a search gives. */
export interface SearchAnswer {
  hits: SearchHit[];
  note: string;
  trouble?: readonly FsError[];
}

/** Search over what is mounted, handed to the shims by the world. */
export interface SearchService {
  /**
   * The best lines for a query, best first, under the given absolute paths.
   * `note` is what stderr should say about freshness and coverage; `trouble`
   * is what could not be searched, and makes the status 2.
   */
  search(query: string, paths: readonly string[], limit: number): Promise<SearchAnswer>;
}

/** What the world hands to every shim. */
export interface ShimHost {
  fs: NamespaceFs;
  search: SearchService;
}

/** A shim module's default form: made once a world, with what it needs handed in. */
export type ShimFactory = (host: ShimHost) => Command[];
