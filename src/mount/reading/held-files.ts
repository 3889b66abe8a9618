/** What is at hand of a mount: its walk, its documents, what is staged. Nothing here asks the service. */
import { FsError } from '../../errors.ts';
import type { Replica } from '../../replica/replica.ts';
import type { WalkedFile } from '../contract/walked-file.ts';
import type { Content, Entry, Route, Service } from '../table/route.ts';
import type { Match, RouteTable } from '../table/table.ts';
import type { Extras } from './extras.ts';
import type { Freshness } from './freshness.ts';
import { HeldWalk } from './held-walk.ts';
import type { Lookup } from './lookup.ts';
import type { ReadTexts } from './read-texts.ts';
import type { Staged } from './staged.ts';

/** A text to search: an issue, a comment, a page. */
export interface SearchDocument {
  path: string;
  text: string;
  version: string;
}

/** Larger files are data, not text to be read. Bytes. */
const LARGEST_DOCUMENT = 1_000_000;

export interface HeldFilesOptions {
  service: Service;
  /** The mount's name in the replica. */
  name: string;
  table: RouteTable;
  replica: Replica;
  staged: Staged;
  freshness: Freshness;
  lookup: Lookup;
  extras: Extras;
  readTexts: ReadTexts;
}

export class HeldFiles {
  readonly #options: HeldFilesOptions;
  readonly #walk: HeldWalk;

  constructor(options: HeldFilesOptions) {
    this.#options = options;
    this.#walk = new HeldWalk({
      ...options,
      bytes: (path, match) => this.#bytes(path, match),
      unstaged: (path, match) => this.#unstaged(path, match),
    });
  }

  /** The files under a directory; null where something would have to be asked first. */
  walk(path: string): Iterable<WalkedFile> | null {
    return this.#walk.files(path);
  }

  /** The files at hand below a directory that are no documents, as if nothing were staged. */
  otherFiles(path: string): Iterable<WalkedFile> {
    return this.#walk.otherFiles(path);
  }

  isDocument(path: string): boolean {
    return this.#options.table.match(path)?.route.document === true;
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
    const change = this.#options.staged.now().byPath.get(path);
    if (change === undefined) return null;
    if (change.op === 'delete') throw new FsError('ENOENT', { path, op });
    const { replace, create } = this.#options.table.match(path)?.route ?? {};
    if (create !== undefined) return null;
    const bytes = change.request === null ? null : (replace?.contentOf(change.request) ?? null);
    if (bytes !== null) return bytes;
    return Buffer.from(change.mine ?? '');
  }

  /** The names in a directory whose removal is staged. */
  stagedDeletes(directory: string): string[] {
    const prefix = directory === '/' ? '/' : `${directory}/`;
    return this.#options.staged
      .now()
      .all.filter((change) => change.op === 'delete' && change.path.startsWith(prefix))
      .map((change) => change.path.slice(prefix.length));
  }

  /**
   * The bytes of a content that was read: its size is known from now on, and an edit starts from it.
   * @param revision the replica's, before the content was made
   */
  remember(path: string, route: Route, content: Content, revision: number | null): Uint8Array {
    const editable = route.edit !== undefined || route.replace !== undefined;
    this.#options.readTexts.remember(path, content, revision, editable);
    return content.bytes ?? Buffer.from(content.text);
  }

  /** The size of a file, in bytes: the true one where it was read, else the entry's estimate. */
  size(path: string, { route, params }: Match, entry: Entry): number {
    const { readTexts, replica } = this.#options;
    return readTexts.size(path, replica, () => route.read?.(params) ?? null) ?? entry.size;
  }

  #bytes(path: string, match: Match | null): Uint8Array | null {
    if (match === null) return this.#options.extras.read(path);
    const staged = this.staged(path, 'open');
    if (staged !== null) return staged;
    const revision = this.#options.replica.revision();
    const content = match.route.read?.(match.params) ?? null;
    return content === null ? null : this.remember(path, match.route, content, revision);
  }

  /** As {@link #bytes}, of what the service has; nobody has read it by that. */
  #unstaged(path: string, match: Match | null): Uint8Array | null {
    if (match === null) return this.#options.extras.read(path);
    if (!this.#wasAnswered(match)) return null;
    const content = match.route.read?.(match.params) ?? null;
    return content === null ? null : (content.bytes ?? Buffer.from(content.text));
  }

  /** Was all that it is made of ever answered? Before, a table of it would be an empty one. */
  #wasAnswered({ route, params }: Match): boolean {
    if (route.answered?.(params) === false) return false;
    return (route.needs ?? []).every((name) => {
      const question = this.#options.lookup.question(name, params);
      return question === null || question.heldSince() !== null;
    });
  }
}
