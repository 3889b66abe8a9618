/**
 * Turns a service's table of routes into a mount: directories, stats, errno,
 * freshness, staged text, a README, documents to search. A service folder
 * holds its client, its records and its table, and nothing of this.
 */
import type { ChangeJournal } from '../changes/journal.ts';
import { FsError } from '../errors.ts';
import type { FeedEntry, Replica } from '../replica/replica.ts';
import type { Dirent, Mount, MountStat, MountUsage } from './contract.ts';
import { Extras, README } from './extras.ts';
import { ServiceFailure } from './failure.ts';
import { type Eagerness, type Freshness, type Question, questionOf } from './freshness.ts';
import { Prefetch } from './prefetch.ts';
import type { Content, Entry, Params, Route, Service } from './route.ts';
import { Seen } from './seen.ts';
import { type Child, type Match, RouteTable } from './table.ts';
import { WalkedFile } from './walked-file.ts';
import { Writer } from './writer.ts';

/** A text to search: an issue, a comment, a page. */
export interface SearchDocument {
  path: string;
  text: string;
  version: string;
}

/** A service mount, and what an index needs to follow it. */
export interface ServiceMount extends Mount {
  /** Its name in the replica, the journal and the feed. */
  readonly name: string;
  /** Every document the replica holds; asks nothing. */
  documents(): Iterable<SearchDocument>;
  /** One document, or null when it is gone or is none. */
  document(path: string): SearchDocument | null;
  /** What changed after a step, oldest first. Staged text is not in it. */
  feed(afterSeq: number): FeedEntry[];
  prefetch(path: string): Promise<void>;
  /**
   * How fresh and how complete the last {@link prefetch} of this very path left
   * it: `GitHub as of 12:03:04 UTC, complete`. null when there was none.
   */
  coverage(path: string): string | null;
  walk(path: string): Iterable<WalkedFile> | null;
  costly(path: string): boolean;
  usage(): MountUsage;
}

export interface ServiceMountOptions {
  service: Service;
  /** Distinguishes mounts that share a replica and a journal. */
  name: string;
  replica: Replica;
  changes: ChangeJournal;
  stage: boolean;
  freshness: Freshness;
  now: () => Date;
  /** Where the mount is attached, so that `.last` gives absolute paths. */
  attachedAt?: string;
}

const SIZE_UNKNOWN = 256;
/** Larger files are data, not text to be read. Bytes. */
const LARGEST_DOCUMENT = 1_000_000;

export function createServiceMount(options: ServiceMountOptions): ServiceMount {
  return new TableMount(options);
}

class TableMount implements ServiceMount {
  readonly kind: string;
  readonly name: string;
  readonly searchable = true;
  readonly transactional = true;
  readonly #options: ServiceMountOptions;
  readonly #table: RouteTable;
  readonly #freshness: Freshness;
  readonly #writer: Writer;
  readonly #extras: Extras;
  readonly #born: Date;
  readonly #seen = new Seen();
  readonly #prefetch: Prefetch;

  constructor(options: ServiceMountOptions) {
    const { service, name, changes, stage, now, freshness } = options;
    this.#options = options;
    this.kind = service.kind;
    this.name = name;
    this.#table = new RouteTable(service.routes, service.params);
    this.#freshness = freshness;
    this.#writer = new Writer({
      name,
      title: service.title,
      table: this.#table,
      journal: changes,
      stage,
      now,
    });
    this.#extras = new Extras({ ...options, writer: this.#writer });
    this.#born = now();
    this.#prefetch = new Prefetch({
      title: service.title,
      table: this.#table,
      freshness,
      questions: ({ route, params }) =>
        (route.needs ?? [])
          .filter((need) => !this.#narrowed(need, params))
          .map((need) => this.#question(need, params)),
      readdir: (path) => this.readdir(path),
      lstat: (path) => this.lstat(path),
    });
  }

  hasLinks(): boolean {
    return false;
  }

  usage(): MountUsage {
    return this.#options.service.usage();
  }

  costly(path: string): boolean {
    const match = this.#table.match(path);
    return match !== null && isCostly(match);
  }

  // --- reading

  async lstat(path: string): Promise<MountStat> {
    const special = this.#extras.read(path);
    if (special !== null) return this.#fileStat(path, special.length, this.#born, false);
    if (path === '/') return directoryStat(path, this.#born);
    const { route, params } = await this.#match(path, 'lstat');
    const entry = await this.#entry(path, route, params, 'lstat');
    if (typeOf(route, params) === 'directory') return directoryStat(path, entry.mtime);
    const staged = this.#staged(path, 'lstat');
    const size = staged?.length ?? this.#seen.size(path, entry);
    return this.#fileStat(path, size, entry.mtime, isWritable(route));
  }

  async readdir(path: string): Promise<Dirent[]> {
    const match = path === '/' ? null : await this.#match(path, 'scandir');
    if (match !== null) {
      await this.#entry(path, match.route, match.params, 'scandir');
      if (typeOf(match.route, match.params) !== 'directory') {
        throw new FsError('ENOTDIR', { path, op: 'scandir' });
      }
    }
    const params = match?.params ?? {};
    const names = new Map<string, Dirent>();
    const add = (name: string, type: Dirent['type']) => names.set(name, { name, type });
    if (match === null) add(README, 'file');
    // Rows of one directory look at the same collections: the first asks for all of them.
    let eagerness: Eagerness = 'list';
    for (const child of this.#table.children(match?.route ?? null)) {
      if (child.route.hidden === true) continue;
      if (child.literal !== null) {
        if (child.route.where?.(params) !== false) add(child.literal, child.route.type);
        continue;
      }
      await this.#prepare(path, child.route, params, 'list', 'scandir', eagerness);
      eagerness = 'cover';
      for (const { name, type } of namesOf(child, params)) add(name, type);
    }
    for (const name of this.#stagedDeletes(path)) names.delete(name);
    return [...names.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async read(path: string): Promise<Uint8Array> {
    const special = this.#extras.read(path);
    if (special !== null) return special;
    if (path === '/') throw new FsError('EISDIR', { path, op: 'read' });
    const { route, params } = await this.#match(path, 'open');
    if (route.type === 'directory') throw new FsError('EISDIR', { path, op: 'read' });
    const staged = this.#staged(path, 'open');
    if (staged !== null) return staged;
    const above = route.stat === undefined ? path.slice(0, path.lastIndexOf('/')) : '';
    if (above !== '') await this.#entryAt(above, 'open');
    await this.#prepare(path, route, params, 'read', 'open');
    if (typeOf(route, params) === 'directory') throw new FsError('EISDIR', { path, op: 'read' });
    const content = route.read?.(params) ?? null;
    if (content === null) throw new FsError('ENOENT', { path, op: 'open' });
    return this.#remember(path, route, content);
  }

  prefetch(path: string): Promise<void> {
    return this.#prefetch.run(path);
  }

  coverage(path: string): string | null {
    return this.#prefetch.coverage(path);
  }

  walk(path: string): Iterable<WalkedFile> | null {
    for (const { route, params } of this.#table.under(path)) {
      if (route.hidden === true) continue;
      if (route.prefetched?.(params) === false) return null;
      for (const name of route.needs ?? []) {
        const question = this.#question(name, params);
        if (question === null || !this.#freshness.fresh(question)) return null;
      }
      const below = route.pattern.split('/').length > path.split('/').length || path === '/';
      if (below && route.entries !== undefined && route.needs === undefined) return null;
    }
    const match = path === '/' ? null : this.#table.match(path);
    if (path !== '/' && match === null) return null;
    const { route, params } = match ?? {};
    if (route?.type === 'file' || route?.stat?.(params ?? {}) === null) return null;
    return this.#walkFrom(path, match);
  }

  // --- writing

  async write(path: string, data: Uint8Array): Promise<void> {
    const match = this.#writable(path);
    const text = decode(path, data);
    if (match.route.create !== undefined) {
      await this.#prepare(path, match.route, match.params, 'entry', 'open');
      return this.#writer.create(path, match, text);
    }
    if (typeof match.route.edit?.record === 'function') {
      await this.#prepare(path, match.route, match.params, 'entry', 'open');
    }
    await this.#writer.edit(path, match, text, this.#seen.base(path));
    this.#seen.forget(path);
  }

  async append(path: string, data: Uint8Array): Promise<void> {
    const match = this.#writable(path);
    if (match.route.create !== undefined) {
      throw new FsError('EINVAL', {
        path,
        op: 'open',
        reason: 'a new record is written once: write the whole of it with >, not >>',
      });
    }
    const before = await this.read(path);
    await this.write(path, Buffer.concat([before, data]));
  }

  async unlink(path: string): Promise<void> {
    const match = await this.#match(path, 'unlink');
    await this.#entry(path, match.route, match.params, 'unlink');
    if (typeOf(match.route, match.params) === 'directory') {
      throw new FsError('EISDIR', { path, op: 'unlink' });
    }
    if (match.route.remove === undefined) {
      throw this.#refuse(path, 'unlink', match.route.removeHint ?? 'it is made from the records');
    }
    const refused = match.route.remove.refuse?.(match.params) ?? null;
    if (refused !== null) throw this.#refuse(path, 'unlink', refused);
    const content = match.route.read?.(match.params) ?? null;
    await this.#writer.remove(path, match, content);
    this.#seen.forget(path);
  }

  async rename(from: string, _to: string): Promise<void> {
    await this.lstat(from);
    throw this.#refuse(
      from,
      'rename',
      `${this.#options.service.title} chooses the names here; to change a record, write it`,
    );
  }

  // --- searching

  *documents(): Iterable<SearchDocument> {
    for (const { path } of this.#options.replica.paths(this.name)) {
      const found = this.document(path);
      if (found !== null) yield found;
    }
  }

  document(path: string): SearchDocument | null {
    const match = this.#table.match(path);
    if (match === null || match.route.document !== true) return null;
    const content = match.route.read?.(match.params) ?? null;
    if (content === null || (content.bytes?.length ?? 0) > LARGEST_DOCUMENT) return null;
    const { version, bytes } = content;
    const text = bytes === undefined ? content.text : Buffer.from(bytes).toString('utf8');
    return { path, text, version };
  }

  feed(afterSeq: number): FeedEntry[] {
    return this.#options.replica.feed(this.name, afterSeq);
  }

  // --- within

  /** The row of a path. What no row stands for is ENOENT, and ENOTDIR below a file that is there. */
  async #match(path: string, op: string): Promise<Match> {
    const match = this.#table.match(path);
    if (match !== null) return match;
    const parent = path.slice(0, path.lastIndexOf('/'));
    const above = this.#table.match(parent);
    if (above?.route.type === 'file') {
      await this.#entry(parent, above.route, above.params, op);
      if (typeOf(above.route, above.params) === 'directory') {
        throw new FsError('ENOENT', { path, op });
      }
      throw new FsError('ENOTDIR', { path, op });
    }
    throw new FsError('ENOENT', { path, op });
  }

  async #entryAt(path: string, op: string): Promise<Entry> {
    if (path === '' || path === '/') return { size: 1, mtime: this.#born };
    const { route, params } = await this.#match(path, op);
    return this.#entry(path, route, params, op);
  }

  /** What stands at a path; a row that cannot tell is there when the directory above is. */
  async #entry(path: string, route: Route, params: Params, op: string): Promise<Entry> {
    if (route.stat === undefined) {
      const above = await this.#entryAt(path.slice(0, path.lastIndexOf('/')), op);
      return { size: SIZE_UNKNOWN, mtime: above.mtime };
    }
    await this.#prepare(path, route, params, 'entry', op);
    const entry = route.stat(params);
    const deleted = this.#options.changes.pending(this.name, path)?.op === 'delete';
    if (entry === null || deleted) throw new FsError('ENOENT', { path, op });
    return entry;
  }

  async #prepare(
    path: string,
    route: Route,
    params: Params,
    purpose: 'list' | 'entry' | 'read',
    op: string,
    eagerness: Eagerness = 'cover',
  ): Promise<void> {
    try {
      if (route.prepare !== undefined) return await route.prepare(params, purpose, eagerness);
      for (const name of route.needs ?? []) await this.#ensure(name, params, eagerness);
    } catch (error) {
      if (error instanceof ServiceFailure) throw error.at(path, op);
      throw error;
    }
  }

  async #ensure(name: string, params: Params, eagerness: Eagerness): Promise<void> {
    const question = this.#question(name, params);
    if (question !== null) await this.#freshness.ensure(question, eagerness);
  }

  #narrowed(name: string, params: Params): boolean {
    const by = this.#options.service.collections[name]?.narrowedBy;
    return by !== undefined && params[by] !== undefined;
  }

  /** A collection's question, or null when the path does not say which one. */
  #question(name: string, params: Params): Question | null {
    const collection = this.#options.service.collections[name];
    if (collection === undefined) throw new Error(`no collection named ${name}`);
    return questionOf(name, collection, params);
  }

  #staged(path: string, op: string): Uint8Array | null {
    const change = this.#options.changes.pending(this.name, path);
    if (change === null || change.op === 'create') return null;
    if (change.op === 'delete') throw new FsError('ENOENT', { path, op });
    return Buffer.from(change.mine ?? '');
  }

  #stagedDeletes(directory: string): string[] {
    const prefix = directory === '/' ? '/' : `${directory}/`;
    return this.#options.changes
      .list({ mount: this.name, state: 'pending' })
      .filter((change) => change.op === 'delete' && change.path.startsWith(prefix))
      .map((change) => change.path.slice(prefix.length));
  }

  #remember(path: string, route: Route, content: Content): Uint8Array {
    const bytes = content.bytes ?? Buffer.from(content.text);
    this.#seen.remember(path, content, bytes.length, route.edit !== undefined);
    return bytes;
  }

  #fileStat(path: string, size: number, mtime: Date, writable: boolean): MountStat {
    return { type: 'file', mode: writable ? 0o644 : 0o444, size, mtime, ino: path };
  }

  *#walkFrom(path: string, match: Match | null): Iterable<WalkedFile> {
    const names: string[] = match === null ? [README] : [];
    for (const child of this.#table.children(match?.route ?? null)) {
      if (child.route.hidden === true) continue;
      if (child.literal !== null) {
        if (child.route.where?.(match?.params ?? {}) !== false) names.push(child.literal);
      } else names.push(...namesOf(child, match?.params ?? {}).map(({ name }) => name));
    }
    const deleted = new Set(this.#stagedDeletes(path));
    for (const name of names.sort()) {
      if (deleted.has(name)) continue;
      const below = path === '/' ? `/${name}` : `${path}/${name}`;
      const found = this.#table.match(below);
      if (found !== null && typeOf(found.route, found.params) === 'directory') {
        yield* this.#walkFrom(below, found);
      } else {
        const costly = found !== null && isCostly(found);
        yield new WalkedFile(path, name, () => this.#held(below, found), costly);
      }
    }
  }

  /** A file's bytes as far as they are at hand. */
  #held(path: string, match: Match | null): Uint8Array | null {
    if (match === null) return this.#extras.read(path);
    const staged = this.#staged(path, 'open');
    if (staged !== null) return staged;
    const content = match.route.read?.(match.params) ?? null;
    return content === null ? null : this.#remember(path, match.route, content);
  }

  #writable(path: string): Match {
    const match = this.#table.match(path);
    if (match !== null && isWritable(match.route)) return match;
    const hint =
      match === null
        ? 'names here are chosen by the service: write to new.md of a directory to make a record'
        : 'it is made from the records and cannot be written: write the record itself';
    throw this.#refuse(path, 'open', hint);
  }

  #refuse(path: string, op: string, reason: string): FsError {
    return new FsError('EPERM', { path, op, rule: `routes of ${this.kind}`, reason });
  }
}

/** The names that a row with a parameter gives in a listing, as the replica has them. */
function namesOf({ route, before, after }: Child, params: Params): Dirent[] {
  return [...(route.entries?.(params) ?? [])].map(({ name, type }) => ({
    name: `${before}${name}${after}`,
    type: type ?? route.type,
  }));
}

function typeOf(route: Route, params: Params): Route['type'] {
  return route.typeOf?.(params) ?? route.type;
}

function isCostly({ route, params }: Match): boolean {
  return typeof route.costly === 'function' ? route.costly(params) : route.costly === true;
}

function isWritable(route: Route): boolean {
  return route.edit !== undefined || route.create !== undefined;
}

function directoryStat(path: string, mtime: Date): MountStat {
  return { type: 'directory', mode: 0o755, size: 4096, mtime, ino: path };
}

function decode(path: string, data: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(data);
  } catch (cause) {
    throw new FsError('EINVAL', { path, op: 'write', reason: 'the text is not UTF-8', cause });
  }
}
