/** What the replica holds of Notion: a tree of pages and databases, texts, comments, people. */

import {
  type Origin,
  type RecordHead,
  ServiceFailure,
  ServiceStore,
  type StoredRecord,
} from '../../src/mount/index.ts';
import { type Outline, type Owner, ownerName } from './commented.ts';
import { type PageText, wholeOf } from './markdown/parts.ts';
import { keyOf, keysOfPlace, nameOf } from './names.ts';
import { titleOf } from './properties.ts';
import {
  type ApiComment,
  type ApiNode,
  type ApiPage,
  type ApiSource,
  type ApiUser,
  commentSchema,
  nodeSchema,
  type Parent,
  userSchema,
} from './schemas.ts';

export const NODES = 'nodes';
const BODIES = 'bodies';
const COMMENTS = 'comments';
/** The blocks of pages. */
const OUTLINES = 'outlines';
export const USERS = 'users';
/** Pages that hang in a block: the block's id, and the page that it is in. */
const BLOCKS = 'blocks';

/** What no search has given: pages that inherit their access, rows, what was made just now. */
const UNSEARCHED = 'unsearched';

/** A page's text as it was fetched. */
export interface Body extends PageText {
  /** `last_edited_time` of the page when it was fetched. */
  editedAt: string;
  /** Notion's clock, ms. */
  fetchedAt: number;
}

export class NotionStore extends ServiceStore {
  head(key: string): RecordHead | null {
    return this.replica.head(this.mount, NODES, key);
  }

  node(key: string): { record: StoredRecord; node: ApiNode } | null {
    const record = this.replica.get(this.mount, NODES, key);
    return record === null ? null : { record, node: nodeSchema.parse(record.value) };
  }

  page(key: string): { record: StoredRecord; page: ApiPage } | null {
    const found = this.node(key);
    return found?.node.object === 'page' ? { record: found.record, page: found.node } : null;
  }

  source(key: string): { record: StoredRecord; source: ApiSource } | null {
    const found = this.node(key);
    return found?.node.object === 'data_source'
      ? { record: found.record, source: found.node }
      : null;
  }

  /** The database that a page is a row of, or null. */
  sourceOf({ parent }: ApiPage): ApiSource | null {
    const id = parent.type === 'data_source_id' ? parent.data_source_id : undefined;
    return id === undefined ? null : (this.source(keyOf(id))?.source ?? null);
  }

  /** What a place stands for: null unless each of its segments is in the one before. */
  at(place: string): RecordHead | null {
    const keys = keysOfPlace(place);
    const head = this.head(keys.at(-1) ?? '');
    if (head === null || head.path === null) return null;
    return keysOfPlace(placeOf(head.path)).join('/') === keys.join('/') ? head : null;
  }

  /** What is right below a page or a database; '' gives what is below nothing. */
  below(key: string): RecordHead[] {
    if (key !== '') return this.replica.heads(this.mount, NODES, key);
    return this.heads().filter(({ path }) => path !== null && path.lastIndexOf('/') === 0);
  }

  heads(): RecordHead[] {
    return this.replica.heads(this.mount, NODES);
  }

  /** Is it held: a page, a data source, or a database by one of its data sources? */
  holds(id: string): boolean {
    return this.pathOf(id) !== null;
  }

  /** Where a page, a data source or a database is; of a database, its first data source. Null where it is not held. */
  pathOf(id: string): string | null {
    const { node, record } = this.node(keyOf(id)) ?? {};
    if (node?.id === id) return record?.path ?? null;
    const source = this.#sources().find(({ parent }) => parent.database_id === id);
    return source === undefined ? null : (this.head(keyOf(source.id))?.path ?? null);
  }

  /** When what is at a path was edited, ISO 8601. */
  updatedAt(path: string): string {
    return this.at(placeOf(path))?.updatedAt ?? '';
  }

  /** The data sources of a database that are held. */
  sourcesOf(database: string): ApiSource[] {
    return this.#sources().filter(({ parent }) => parent.database_id === database);
  }

  #sources(): ApiSource[] {
    return this.heads().flatMap(({ key, path }) => {
      const isSource = path?.endsWith('.md') === false;
      return isSource ? (this.source(key)?.source ?? []) : [];
    });
  }

  /** Is it held, for many questions in a row: told by its last digits, or as a database. */
  heldIds(): (id: string) => boolean {
    const keys = new Set(this.heads().map(({ key }) => key));
    const databases = new Set(this.#sources().map(({ parent }) => parent.database_id));
    return (id) => keys.has(keyOf(id)) || databases.has(id);
  }

  /** All that is known from elsewhere than the search. */
  unsearched(): Set<string> {
    return new Set(this.replica.heads(this.mount, UNSEARCHED).map(({ key }) => key));
  }

  /** Is it known from elsewhere than the search, so that the search does not tell of its changes? */
  isUnsearched(key: string): boolean {
    return this.replica.head(this.mount, UNSEARCHED, key) !== null;
  }

  body(key: string): { record: RecordHead; body: Body } | null {
    const record = this.replica.get(this.mount, BODIES, key);
    if (record === null) return null;
    // Texts that were kept before they had parts are whole.
    return { record, body: { ...wholeOf(''), ...(record.value as Body) } };
  }

  putBody(key: string, body: Body): void {
    const changed = this.replica.upsert(this.mount, BODIES, {
      key,
      updatedAt: body.editedAt,
      size: body.markdown.length,
      path: null,
      value: body,
    });
    if (changed) this.replica.announce(this.mount, NODES, key);
  }

  bodyHeads(): RecordHead[] {
    return this.replica.heads(this.mount, BODIES);
  }

  /** Stores a page or a database. A listing that lags behind our own write does not undo it. */
  put(node: ApiNode, origin: Origin, bySearch = false): void {
    const key = keyOf(node.id);
    const held = this.node(key);
    if (held !== null && held.node.id !== node.id) {
      throw new ServiceFailure(
        'protocol',
        `two pages end in ${key}: ${held.node.id} and ${node.id}`,
      );
    }
    if (this.#outranked(key, held?.record ?? null, node, origin)) return;
    if (node.in_trash === true) return this.drop(key);
    const name = `${nameOf(titleOf(node), node.id)}${node.object === 'page' ? '.md' : ''}`;
    if (bySearch) this.replica.remove(this.mount, UNSEARCHED, key);
    else if (held === null) {
      const mark = { key, updatedAt: '', size: 1, path: null, value: true };
      this.replica.upsert(this.mount, UNSEARCHED, mark);
    }
    const above = held?.record.path ?? '/';
    this.replica.upsert(this.mount, NODES, {
      key,
      tag: this.#parentKey(node.object === 'page' ? node.parent : node.database_parent),
      updatedAt: node.last_edited_time,
      size: 600,
      path: `${above.slice(0, above.lastIndexOf('/'))}/${name}`,
      value: node,
    });
  }

  /** Forgets a page or a database with all that is below it. */
  drop(key: string): void {
    this.replica.transaction(() => {
      for (const below of this.below(key)) if (below.key !== key) this.drop(below.key);
      for (const { key: id, tag } of this.replica.heads(this.mount, COMMENTS)) {
        if (tag.split(' ')[0] === key) this.dropComment(id);
      }
      this.replica.remove(this.mount, OUTLINES, key);
      this.replica.remove(this.mount, BODIES, key);
      this.replica.remove(this.mount, UNSEARCHED, key);
      this.replica.remove(this.mount, NODES, key);
    });
  }

  /**
   * Gives everything its path: below its parent, or at the top where the token
   * cannot see the parent. To be called after a parent may have come, gone or
   * been renamed.
   */
  arrange(): void {
    const heads = new Map(this.heads().map((head) => [head.key, head]));
    const places = new Map<string, string>();
    const place = (head: RecordHead, within: ReadonlySet<string>): string => {
      const known = places.get(head.key);
      if (known !== undefined) return known;
      const parent = within.has(head.tag) ? undefined : heads.get(head.tag);
      const above = parent === undefined ? '' : place(parent, new Set([...within, head.key]));
      const made = `${above}/${placeOf(head.path ?? '')
        .split('/')
        .at(-1)}`;
      places.set(head.key, made);
      return made;
    };
    this.replica.transaction(() => {
      for (const head of heads.values()) {
        const path = `${place(head, new Set())}${head.path?.endsWith('.md') === true ? '.md' : ''}`;
        if (path === head.path) continue;
        const value = this.replica.get(this.mount, NODES, head.key)?.value;
        this.replica.upsert(this.mount, NODES, { ...head, path, value });
      }
    });
  }

  comment(owner: Owner, id: string): { record: StoredRecord; comment: ApiComment } | null {
    const record = this.replica.get(this.mount, COMMENTS, id);
    if (record === null || record.tag !== ownerName(owner)) return null;
    return { record, comment: commentSchema.parse(record.value) };
  }

  commentHeads(owner: Owner): RecordHead[] {
    return this.replica.heads(this.mount, COMMENTS, ownerName(owner));
  }

  putComment(owner: Owner, comment: ApiComment): void {
    this.replica.upsert(this.mount, COMMENTS, {
      key: comment.id.replaceAll('-', ''),
      tag: ownerName(owner),
      updatedAt: comment.last_edited_time,
      size: 200,
      path: null,
      value: comment,
    });
  }

  outline(key: string): StoredRecord | null {
    return this.replica.get(this.mount, OUTLINES, key);
  }

  putOutline(key: string, outline: Outline, updatedAt: string): void {
    const record = { key, updatedAt, size: 60 * outline.length + 30, path: null, value: outline };
    this.replica.upsert(this.mount, OUTLINES, record);
  }

  dropComment(id: string): void {
    this.replica.remove(this.mount, COMMENTS, id);
  }

  users(): ApiUser[] {
    return this.replica.all(this.mount, USERS).map(({ value }) => userSchema.parse(value));
  }

  putUser(user: ApiUser): void {
    this.replica.upsert(this.mount, USERS, {
      key: user.id,
      updatedAt: '',
      size: 1,
      path: null,
      value: user,
    });
  }

  /** The id of the page that a block is in, where that was asked. */
  pageOfBlock(block: string): string | null {
    const record = this.replica.get(this.mount, BLOCKS, block);
    return record === null ? null : String(record.value);
  }

  putBlock(block: string, page: string): void {
    this.replica.upsert(this.mount, BLOCKS, {
      key: block,
      updatedAt: '',
      size: 1,
      path: null,
      value: page,
    });
  }

  #parentKey(parent: Parent): string {
    const id =
      parent.page_id ??
      parent.data_source_id ??
      (parent.block_id === undefined
        ? undefined
        : (this.pageOfBlock(parent.block_id) ?? undefined));
    return id === undefined ? '' : keyOf(id);
  }

  #outranked(key: string, held: StoredRecord | null, node: ApiNode, origin: Origin): boolean {
    if (origin === 'write') this.noteOwnWrite(key);
    if (origin !== 'listing') return false;
    if (held !== null && held.updatedAt !== node.last_edited_time) {
      return held.updatedAt > node.last_edited_time;
    }
    return this.isOwnWrite(key);
  }
}

/** The place of a path: a page's file without `.md`. */
export function placeOf(path: string): string {
  return path.replace(/^\//, '').replace(/\.md$/, '');
}
