/** What is at hand of a mount: its walk, its documents, what is staged. Nothing here asks the service. */
import type { ChangeJournal } from '../changes/journal.ts';
import { FsError } from '../errors.ts';
import type { Replica } from '../replica/replica.ts';
import type { Dirent } from './contract.ts';
import { type Extras, README } from './extras.ts';
import type { Freshness } from './freshness.ts';
import type { Lookup } from './lookup.ts';
import type { Content, Route } from './route.ts';
import type { Seen } from './seen.ts';
import { isCostly, type Match, namesOf, type RouteTable, typeOf } from './table.ts';
import { WalkedFile } from './walked-file.ts';

/** A text to search: an issue, a comment, a page. */
export interface SearchDocument {
  path: string;
  text: string;
  version: string;
}

/** Larger files are data, not text to be read. Bytes. */
const LARGEST_DOCUMENT = 1_000_000;

export interface HoldingOptions {
  /** The mount's name in the replica and the journal. */
  name: string;
  table: RouteTable;
  replica: Replica;
  changes: ChangeJournal;
  freshness: Freshness;
  lookup: Lookup;
  extras: Extras;
  seen: Seen;
}

export class Holding {
  readonly #options: HoldingOptions;

  constructor(options: HoldingOptions) {
    this.#options = options;
  }

  /** The files under a directory; null where something would have to be asked first. */
  walk(path: string): Iterable<WalkedFile> | null {
    const { table, freshness, lookup } = this.#options;
    for (const { route, params } of table.under(path)) {
      if (route.hidden === true) continue;
      if (route.prefetched?.(params) === false) return null;
      for (const name of route.needs ?? []) {
        const question = lookup.question(name, params);
        if (question === null || !freshness.fresh(question)) return null;
      }
      const below = route.pattern.split('/').length > path.split('/').length || path === '/';
      if (below && route.entries !== undefined && route.needs === undefined) return null;
    }
    const match = path === '/' ? null : table.match(path);
    if (path !== '/' && match === null) return null;
    const found = match === null || match.route.stat?.(match.params) !== null;
    if (!found || (match !== null && typeOf(match) !== 'directory')) return null;
    return this.#walkFrom(path, match);
  }

  /** Every document that the replica holds. */
  *documents(): Iterable<SearchDocument> {
    const { replica, name } = this.#options;
    for (const { path } of replica.paths(name)) {
      const found = this.document(path);
      if (found !== null) yield found;
    }
  }

  /** One document, or null when it is gone or is none. */
  document(path: string): SearchDocument | null {
    const match = this.#options.table.match(path);
    if (match === null || match.route.document !== true) return null;
    const content = match.route.read?.(match.params) ?? null;
    if (content === null || (content.bytes?.length ?? 0) > LARGEST_DOCUMENT) return null;
    const { version, bytes } = content;
    const text = bytes === undefined ? content.text : Buffer.from(bytes).toString('utf8');
    return { path, text, version };
  }

  /** The staged text of a path, null where there is none. @throws FsError ENOENT where its removal is staged */
  staged(path: string, op: string): Uint8Array | null {
    const { changes, name } = this.#options;
    const change = changes.pending(name, path);
    if (change === null) return null;
    if (change.op === 'delete') throw new FsError('ENOENT', { path, op });
    const { replace, create } = this.#options.table.match(path)?.route ?? {};
    if (create !== undefined) return null;
    const bytes = change.request === null ? null : (replace?.contentOf(change.request) ?? null);
    if (bytes !== null) return bytes;
    return Buffer.from(change.mine ?? '');
  }

  /** The names in a directory whose removal is staged. */
  stagedDeletes(directory: string): string[] {
    const { changes, name } = this.#options;
    const prefix = directory === '/' ? '/' : `${directory}/`;
    return changes
      .list({ mount: name, state: 'pending' })
      .filter((change) => change.op === 'delete' && change.path.startsWith(prefix))
      .map((change) => change.path.slice(prefix.length));
  }

  /** The entries of a directory that are there for us alone: see {@link Lookup.ownBelow}. */
  own(directory: string, match: Match | null): Dirent[] {
    if (match === null) return [];
    return this.#options.lookup.ownBelow(directory, match).map(({ path, type }) => {
      const cut = path.indexOf('/');
      return cut < 0 ? { name: path, type } : { name: path.slice(0, cut), type: 'directory' };
    });
  }

  /** The bytes of a content that was read: its size is known from now on, and an edit starts from it. */
  remember(path: string, route: Route, content: Content): Uint8Array {
    const bytes = content.bytes ?? Buffer.from(content.text);
    const editable = route.edit !== undefined || route.replace !== undefined;
    this.#options.seen.remember(path, content, bytes.length, editable);
    return bytes;
  }

  *#walkFrom(path: string, match: Match | null): Iterable<WalkedFile> {
    const { table } = this.#options;
    const names: string[] = match === null ? [README] : [];
    for (const child of table.children(match?.route ?? null)) {
      if (child.route.hidden === true) continue;
      if (child.literal !== null) {
        if (child.route.where?.(match?.params ?? {}) !== false) names.push(child.literal);
      } else names.push(...namesOf(child, match?.params ?? {}).map(({ name }) => name));
    }
    // All at once: asking for each file would be a question to the journal for each.
    const own = this.own(path, match);
    const made = new Set(own.filter(({ type }) => type === 'directory').map(({ name }) => name));
    names.push(...own.map(({ name }) => name));
    const deleted = new Set(this.stagedDeletes(path));
    for (const name of [...new Set(names)].sort()) {
      if (deleted.has(name)) continue;
      const below = path === '/' ? `/${name}` : `${path}/${name}`;
      const found = table.match(below);
      const costly = found !== null && isCostly(found);
      if (found !== null && (made.has(name) || typeOf(found) === 'directory')) {
        if (costly) yield new WalkedFile(path, name, { bytes: () => null }, 'directory');
        else yield* this.#walkFrom(below, found);
      } else {
        yield new WalkedFile(path, name, { bytes: () => this.#bytes(below, found) }, costly);
      }
    }
  }

  #bytes(path: string, match: Match | null): Uint8Array | null {
    if (match === null) return this.#options.extras.read(path);
    const staged = this.staged(path, 'open');
    if (staged !== null) return staged;
    const content = match.route.read?.(match.params) ?? null;
    return content === null ? null : this.remember(path, match.route, content);
  }
}
