/**
 * The walk over what is at hand of a mount. Which files a directory has, and what their texts are
 * made of, is remembered for as long as no record changes that was read for it: a walk that comes
 * again neither lists nor renders them.
 */
import { randomUUID } from 'node:crypto';
import type { Replica } from '../../replica/replica.ts';
import {
  type IdentifiedBytes,
  type Identity,
  type WalkedContent,
  WalkedFile,
} from '../contract/walked-file.ts';
import type { Service } from '../table/route.ts';
import {
  isCostly,
  isNamedBy,
  type Match,
  namesOf,
  type RouteTable,
  typeOf,
} from '../table/table.ts';
import { type Derived, derive, holds } from './derived.ts';
import { README } from './extras.ts';
import type { Freshness } from './freshness.ts';
import type { Lookup } from './lookup.ts';
import { Momentary } from './momentary.ts';
import type { Staged, StagedChanges } from './staged.ts';

/** So many files are remembered; past it the walk begins anew. */
const FILES_KEPT = 200_000;

export interface HeldWalkOptions {
  service: Service;
  table: RouteTable;
  replica: Replica;
  freshness: Freshness;
  lookup: Lookup;
  staged: Staged;
  /** The bytes of a file, as a read that asks nothing gives them; null where it would have to ask. */
  bytes(path: string, match: Match | null): Uint8Array | null;
  /** The same as if nothing were staged. */
  unstaged(path: string, match: Match | null): Uint8Array | null;
}

/** One entry of a directory that is walked. */
interface Listed {
  readonly name: string;
  readonly match: Match | null;
  readonly path: string;
  /** Null for a directory. */
  file: WalkedFile | null;
  /** The same file as the service has it. */
  unstaged: WalkedFile | null;
  /** Where the row tells only when it is asked. */
  costly: Derived<boolean> | null;
}

/** As of one moment: the replica's revision and what is staged. */
interface Moment {
  revision: number | null;
  staged: StagedChanges;
}

export class HeldWalk {
  readonly #options: HeldWalkOptions;
  readonly #moment: Momentary<Moment>;
  readonly #directories = new Map<string, Derived<readonly Listed[]>>();
  /** Files in them, those that are gone included. */
  #kept = 0;

  constructor(options: HeldWalkOptions) {
    this.#options = options;
    const { replica, staged } = options;
    this.#moment = new Momentary(() => ({ revision: replica.revision(), staged: staged.now() }));
  }

  /** The files under a directory; null where something would have to be asked first. */
  files(path: string): Iterable<WalkedFile> | null {
    const { table, lookup } = this.#options;
    this.#moment.renew();
    if (!this.#isAtHand(path) || lookup.stagedRemoval(path) !== null) return null;
    const match = path === '/' ? null : table.match(path);
    if (path !== '/' && match === null) return null;
    const found = match === null || match.route.stat?.(match.params) !== null;
    if (!found || (match !== null && typeOf(match) !== 'directory')) return null;
    return this.#below(path, match);
  }

  /** What is at hand below a directory and is no document, complete or not; nothing of it as it is staged. */
  *otherFiles(path: string): Iterable<WalkedFile> {
    this.#moment.renew();
    const match = path === '/' ? null : this.#options.table.match(path);
    if (path !== '/' && (match === null || typeOf(match) !== 'directory')) return;
    yield* this.#others(path, match);
  }

  *#others(path: string, match: Match | null): Iterable<WalkedFile> {
    for (const listed of this.#listing(path, match)) {
      const { name, match: found, file } = listed;
      const costly = found?.route.costly !== undefined && this.#isCostly(listed, found);
      // A document that is not at hand is in no feed.
      if (found?.route.document === true && !costly) continue;
      if (file === null && !costly) yield* this.#others(listed.path, found);
      else if (file === null) yield new WalkedFile(path, name, { bytes: () => null }, 'directory');
      else if (costly) yield new WalkedFile(path, name, { bytes: () => null }, true);
      else {
        listed.unstaged ??= new WalkedFile(
          path,
          name,
          new UnstagedContent(this, listed.path, found),
        );
        yield listed.unstaged;
      }
    }
  }

  /** Would listing and reading everything below ask for nothing? */
  #isAtHand(path: string): boolean {
    const { table, freshness, lookup } = this.#options;
    const rows = table.shownUnder(path);
    let open = false;
    for (const { route, params } of rows) {
      for (const name of route.needs ?? []) {
        const question = lookup.question(name, params);
        if (question === null) open = true;
        else if (!freshness.readsFresh(question)) return false;
      }
    }
    const match = path === '/' ? null : table.match(path);
    const children = table.children(match?.route ?? null).map(({ route }) => route);
    for (const { route, params } of rows) {
      if (route.target !== undefined) continue;
      // Of rows further below a path that leaves questions open, the directories in between tell.
      if (open && !children.includes(route)) continue;
      if (!open && route.prefetched?.(params, isNamedBy(path, route)) === false) return false;
      const below = route.pattern.split('/').length > path.split('/').length || path === '/';
      if (!below || route.entries === undefined || route.needs !== undefined) continue;
      if (route.prepare !== undefined && route.listed?.(params) !== true) return false;
    }
    if (!open) return true;
    const directories = this.#listing(path, match).filter(({ file }) => file === null);
    return directories.every((directory) => this.#isAtHand(directory.path));
  }

  *#below(path: string, match: Match | null): Iterable<WalkedFile> {
    const { staged } = this.#moment.get();
    for (const listed of this.#listing(path, match)) {
      if (staged.byPath.get(listed.path)?.op === 'delete') continue;
      const { name, match: found, file } = listed;
      const costly = found?.route.costly !== undefined && this.#isCostly(listed, found);
      if (file !== null) yield this.#marked(listed, file, costly);
      else if (costly) yield new WalkedFile(path, name, { bytes: () => null }, 'directory');
      else yield* this.#below(listed.path, found);
    }
  }

  /** The entries of a directory in the order of their names, what is there for us alone included. */
  #listing(path: string, match: Match | null): readonly Listed[] {
    const { lookup, replica } = this.#options;
    const held = this.#directories.get(path);
    const current = held !== undefined && holds(replica, held, this.#moment.get().revision);
    const own = match === null ? [] : lookup.ownEntries(path, match);
    if (own.length === 0 && current) return held.value;
    const before = new Map(held?.value.map((listed) => [listed.name, listed]));
    if (own.length > 0) return this.#list(path, match, before, own);
    const made = derive(replica, () => this.#list(path, match, before, []));
    this.#keep(path, made);
    return made.value;
  }

  #list(
    path: string,
    match: Match | null,
    before: ReadonlyMap<string, Listed>,
    own: ReturnType<Lookup['ownEntries']>,
  ): Listed[] {
    const { table } = this.#options;
    const params = match?.params ?? {};
    const names = new Set<string>(match === null ? [README] : []);
    for (const child of table.children(match?.route ?? null)) {
      // A walk follows no links: what they lead to has a place of its own.
      if (child.route.hidden === true || child.route.target !== undefined) continue;
      if (child.literal === null) for (const { name } of namesOf(child, params)) names.add(name);
      else if (child.route.where?.(params) !== false) names.add(child.literal);
    }
    for (const { name } of own) names.add(name);
    const made = new Set(own.filter(({ type }) => type === 'directory').map(({ name }) => name));
    return [...names].sort().map((name) => {
      const below = path === '/' ? `/${name}` : `${path}/${name}`;
      const known = before.get(name);
      const found = known === undefined ? table.match(below) : known.match;
      const isDirectory = found !== null && (made.has(name) || typeOf(found) === 'directory');
      if (known !== undefined && isDirectory === (known.file === null)) return known;
      const file = isDirectory ? null : this.#file(path, name, below, found);
      return { name, match: found, path: below, file, unstaged: null, costly: null };
    });
  }

  #file(directory: string, name: string, path: string, match: Match | null): WalkedFile {
    return new WalkedFile(directory, name, new HeldContent(this, path, match));
  }

  /** A file as it is now: what it costs to read it may have changed. */
  #marked(listed: Listed, file: WalkedFile, costly: boolean): WalkedFile {
    if (file.costly === costly) return file;
    const content = new HeldContent(this, listed.path, listed.match);
    listed.file = new WalkedFile(file.directory, file.name, content, costly);
    return listed.file;
  }

  #isCostly(listed: Listed, match: Match): boolean {
    if (typeof match.route.costly !== 'function') return isCostly(match);
    const { replica } = this.#options;
    const { costly } = listed;
    if (costly !== null && holds(replica, costly, this.#moment.get().revision)) return costly.value;
    listed.costly = this.derive(() => isCostly(match));
    return listed.costly.value;
  }

  #keep(path: string, made: Derived<readonly Listed[]>): void {
    if (this.#options.service.ofRecords !== true || made.reads === null) return;
    this.#kept += made.value.length - (this.#directories.get(path)?.value.length ?? 0);
    if (this.#kept > FILES_KEPT) {
      this.#directories.clear();
      this.#kept = made.value.length;
    }
    this.#directories.set(path, made);
  }

  // --- for the contents of the files

  /** Can a text be told from another by what it is made of? */
  isIdentifiable(match: Match | null): boolean {
    return match !== null && this.#options.service.ofRecords === true;
  }

  bytes(path: string, match: Match | null): Uint8Array | null {
    return this.#options.bytes(path, match);
  }

  derive<T>(work: () => T): Derived<T> {
    const made = derive(this.#options.replica, work);
    return this.#options.service.ofRecords === true ? made : { ...made, reads: null };
  }

  unstaged(path: string, match: Match | null): Uint8Array | null {
    return this.#options.unstaged(path, match);
  }

  /** Would a text be made the same now? */
  isCurrent(made: Derived<unknown>): boolean {
    return holds(this.#options.replica, made, this.#moment.get().revision);
  }

  isStaged(path: string): boolean {
    return this.#moment.get().staged.byPath.has(path);
  }

  /** Would a text be made the same now, and is it what is shown? */
  isShown(path: string, made: Derived<unknown>): boolean {
    const { revision, staged } = this.#moment.get();
    return holds(this.#options.replica, made, revision) && !staged.byPath.has(path);
  }
}

/** The text of one file, which has an identity for as long as it would be rendered the same. */
abstract class RenderedContent implements WalkedContent {
  readonly identifiable: boolean;
  protected readonly walk: HeldWalk;
  protected readonly path: string;
  protected readonly match: Match | null;
  /** Of the text that was rendered last. */
  #rendered: Derived<Identity> | null = null;

  constructor(walk: HeldWalk, path: string, match: Match | null) {
    this.walk = walk;
    this.path = path;
    this.match = match;
    this.identifiable = walk.isIdentifiable(match);
  }

  abstract bytes(): Uint8Array | null;

  /** Would the text be the same now? */
  protected abstract isSame(rendered: Derived<Identity>): boolean;

  identity(): Identity | null {
    const rendered = this.#rendered;
    return rendered !== null && this.isSame(rendered) ? rendered.value : null;
  }

  identified(): IdentifiedBytes | null {
    const { value: bytes, ...made } = this.walk.derive(() => this.bytes());
    if (bytes === null) return null;
    if (made.reads === null) return { bytes, identity: null };
    // No two renderings have one: not in another world or after a restart either.
    const identity = [randomUUID()];
    this.#rendered = { ...made, value: identity };
    return { bytes, identity };
  }
}

/** The text as it is shown. */
class HeldContent extends RenderedContent {
  bytes(): Uint8Array | null {
    return this.walk.bytes(this.path, this.match);
  }

  override identified(): IdentifiedBytes | null {
    if (!this.walk.isStaged(this.path)) return super.identified();
    const bytes = this.bytes();
    return bytes === null ? null : { bytes, identity: null };
  }

  protected isSame(rendered: Derived<Identity>): boolean {
    return this.walk.isShown(this.path, rendered);
  }
}

/** The text as the service has it, whatever is staged. */
class UnstagedContent extends RenderedContent {
  /** What is no row of the table tells of the mount itself. */
  get momentary(): boolean {
    return this.match === null;
  }

  bytes(): Uint8Array | null {
    return this.walk.unstaged(this.path, this.match);
  }

  protected isSame(rendered: Derived<Identity>): boolean {
    return this.walk.isCurrent(rendered);
  }
}
