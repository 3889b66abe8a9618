/** What stands at a path: its row, brought in step with the service before anybody looks. */
import type { Change } from '../../changes/change.ts';
import { FsError } from '../../errors.ts';
import { ServiceFailure } from '../client/failure.ts';
import type { Dirent } from '../contract/contract.ts';
import type { Content, Eagerness, Entry, Params, Route, Service } from '../table/route.ts';
import { type Match, type RouteTable, typeOf } from '../table/table.ts';
import type { Extras } from './extras.ts';
import { type Freshness, questionOf } from './freshness.ts';
import type { OwnDirectories } from './own-directories.ts';
import type { Question } from './question.ts';
import type { Staged } from './staged.ts';

const SIZE_UNKNOWN = 256;

/** How often a file is asked for whose content is gone again once it was fetched. */
const READS = 8;

export interface LookupOptions {
  service: Service;
  table: RouteTable;
  freshness: Freshness;
  staged: Staged;
  extras: Extras;
  /** When the mount was made: the time of what has none. */
  born: Date;
  /** Directories made here that the service has once a file is in them. */
  directories: OwnDirectories;
}

/** Nothing is there; and where it is in its place, where that is known. */
export function missing(path: string, { route, params }: Match, op: string): FsError {
  const reason = route.elsewhere?.(params) ?? null;
  return new FsError('ENOENT', { path, op, ...(reason === null ? {} : { reason }) });
}

/** The path of the directory that a path is in; '' for the root. */
function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

export class Lookup {
  readonly #options: LookupOptions;

  constructor(options: LookupOptions) {
    this.#options = options;
  }

  /** The row of a path. What no row stands for is ENOENT, and ENOTDIR below a file that is there. */
  async match(path: string, op: string): Promise<Match> {
    const match = this.#options.table.match(path);
    if (match !== null) return match;
    await this.refuseBelow(path, op);
    throw new FsError('ENOENT', { path, op });
  }

  /** Of a path that stands for nothing. @throws FsError ENOTDIR where a file is above it, ENOENT where one that is not there says why */
  async refuseBelow(path: string, op: string): Promise<void> {
    const { table, extras } = this.#options;
    for (let at = parentOf(path); at !== ''; at = parentOf(at)) {
      if (extras.read(at) !== null) throw new FsError('ENOTDIR', { path, op });
      const match = table.match(at);
      // A row of files alone, or of a tree whose paths may be either.
      if (match === null || match.route.type === 'directory') continue;
      await this.prepare(at, match, 'entry', op);
      const isThere = match.route.stat === undefined || match.route.stat(match.params) !== null;
      if (isThere && this.typeOf(at, match) === 'file') throw new FsError('ENOTDIR', { path, op });
      if (!isThere && match.route.elsewhere !== undefined) throw missing(path, match, op);
    }
  }

  /** What is right above a path must be there. */
  async above(path: string, op: string): Promise<Entry> {
    const directory = parentOf(path);
    if (directory === '') return { size: 1, mtime: this.#options.born };
    return this.entry(directory, await this.match(directory, op), op);
  }

  /** What stands at a path; a row that cannot tell is there when the directory above is. */
  async entry(path: string, match: Match, op: string): Promise<Entry> {
    const { route, params } = match;
    if (route.stat === undefined) {
      return { size: SIZE_UNKNOWN, mtime: (await this.above(path, op)).mtime };
    }
    await this.prepare(path, match, 'entry', op);
    const entry = route.stat(params) ?? this.#ownEntry(path, match);
    if (entry !== null && this.stagedRemoval(path) === null) return entry;
    await this.refuseBelow(path, op);
    throw missing(path, match, op);
  }

  /** The staged change that removes a path, or a directory above it; null where there is none. */
  stagedRemoval(path: string): Change | null {
    const { all } = this.#options.staged.now();
    const found = all.find(
      (change) =>
        change.op === 'delete' && (change.path === path || path.startsWith(`${change.path}/`)),
    );
    return found ?? null;
  }

  /** File or directory: what stands at a path, for us alone included. */
  typeOf(path: string, match: Match): Route['type'] {
    if (typeOf(match) === 'directory') return 'directory';
    return this.#isOwnDirectory(path, match) ? 'directory' : 'file';
  }

  /** Notes a directory that the service will have once a file is in it; until then it is this mount's own. */
  make(path: string): void {
    this.#options.directories.add(path);
  }

  /** Nothing is made below a directory whose removal waits: what the two are to come to is not said. */
  refuseBelowRemoved(path: string, op: string): void {
    const change = this.stagedRemoval(path);
    if (change === null || (change.path === path && op === 'open')) return;
    throw new FsError('EPERM', {
      path,
      op,
      rule: 'a staged removal holds for all that is below it',
      reason: `the removal of ${change.path} is staged in /session/changes/${change.id}/: have it applied or dropped first`,
    });
  }

  /** Forgets the directories that were made at and below a path. */
  unmake(path: string): void {
    this.#options.directories.forget(path);
  }

  /** What is below a path for us alone: files whose creation is staged, directories without a file. */
  ownBelow(path: string, match: Match): { path: string; type: Route['type'] }[] {
    if (!this.#isWithin(match)) return [];
    const below = (one: string) => one.startsWith(`${path}/`);
    const made = this.#options.directories.below(path);
    const staged = this.#options.staged
      .now()
      .all.filter((change) => change.op === 'create' && below(change.path));
    return [
      ...made.map((one) => ({ path: one.slice(path.length + 1), type: 'directory' as const })),
      ...staged.map((one) => ({ path: one.path.slice(path.length + 1), type: 'file' as const })),
    ];
  }

  /** The entries of a directory that are there for us alone. */
  ownEntries(directory: string, match: Match): Dirent[] {
    return this.ownBelow(directory, match).map(({ path, type }) => {
      const cut = path.indexOf('/');
      return cut < 0 ? { name: path, type } : { name: path.slice(0, cut), type: 'directory' };
    });
  }

  /** Can files be written at or right below it? */
  #isWithin({ route }: Match): boolean {
    if (route.replace !== undefined) return true;
    return this.#options.table.children(route).some((child) => child.route.replace !== undefined);
  }

  #isOwnDirectory(path: string, match: Match): boolean {
    return this.#options.directories.has(path) || this.ownBelow(path, match).length > 0;
  }

  #ownEntry(path: string, match: Match): Entry | null {
    if (match.route.replace === undefined) return null;
    const { staged, born } = this.#options;
    const change = staged.now().byPath.get(path);
    if (change?.op === 'create') return { size: 1, mtime: new Date(change.createdAt) };
    return this.#isOwnDirectory(path, match) ? { size: 1, mtime: born } : null;
  }

  /** Brings what a row stands for in step. @throws FsError of the path */
  async prepare(
    path: string,
    { route, params }: Match,
    purpose: 'list' | 'entry' | 'read',
    op: string,
    eagerness: Eagerness = 'cover',
  ): Promise<void> {
    try {
      if (route.prepare !== undefined) return await route.prepare(params, purpose, eagerness);
      for (const need of route.needs ?? []) {
        const question = this.question(need, params);
        if (question !== null) await this.#options.freshness.ensure(question, eagerness);
      }
    } catch (error) {
      if (error instanceof ServiceFailure) throw error.at(path, op);
      throw error;
    }
  }

  /**
   * The content of a file, brought in step; null where there is no such file.
   *
   * @throws FsError EISDIR for a directory, EAGAIN where it is another each time that it is looked at
   */
  async content(path: string, match: Match, op: string): Promise<Content | null> {
    const { route, params } = match;
    for (let read = 1; read <= READS; read++) {
      await this.prepare(path, match, 'read', op);
      if (typeOf(match) === 'directory') throw new FsError('EISDIR', { path, op: 'read' });
      const content = route.read?.(params) ?? null;
      if (content !== null) return content;
      const isThere = route.stat !== undefined && route.stat(params) !== null;
      if (!isThere) return null;
      // Another process has the replica too, and has seen a newer version than the one that was
      // fetched: that one's content is to be fetched now.
    }
    throw new FsError('EAGAIN', {
      path,
      op,
      reason: 'it was changed again each time that it was fetched: read it once more',
    });
  }

  /** The questions that a row asks for a bulk fetch; null for one that the path leaves open. */
  questions({ route, params }: Match): (Question | null)[] {
    return (route.needs ?? [])
      .filter((need) => !this.#narrowed(need, params))
      .map((need) => this.question(need, params));
  }

  /** A collection's question, or null when the path does not say which one. */
  question(name: string, params: Params): Question | null {
    const collection = this.#options.service.collections[name];
    if (collection === undefined) throw new Error(`no collection named ${name}`);
    return questionOf(name, collection, params);
  }

  #narrowed(name: string, params: Params): boolean {
    const by = this.#options.service.collections[name]?.narrowedBy;
    return by !== undefined && params[by] !== undefined;
  }
}
