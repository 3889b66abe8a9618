/**
 * What the index keeps on disk: documents, chunks with their bags of terms, the
 * latent space, how far each source was followed. One process writes at a time,
 * others read; each learns of the others' writes when it asks.
 */
import { Database, type Row } from '../../replica/database.ts';
import type { Chunk } from '../chunks/chunk.ts';
import { LatentSpace } from '../latent/lsa.ts';
import type { KeptParts } from '../lexical/parts.ts';
import { LANGUAGES, type Language } from '../words/languages.ts';
import { CLEARED, INDEX_MIGRATIONS } from './schema.ts';

/** What a document is, as far as a search can be narrowed to it. */
export type DocumentKind = 'issue' | 'page' | 'file';

/** A document as the index knows it. A changed document gets another id. */
export interface StoredDocument {
  id: number;
  path: string;
  hash: string;
  /** ISO 8601, or ''. */
  updated: string;
  kind: DocumentKind;
  language: Language;
  /** What it looked like when it was read, as its source tells: '' where it is to be read again. */
  seen: string;
}

/** A chunk's content; `crumb` and `text` are read when they are needed. */
export interface StoredChunk extends Chunk {
  hash: string;
}

export class IndexStore {
  readonly #database: Database;

  /** @param fingerprint of all that decides how a text becomes chunks and terms */
  constructor(file: string, fingerprint: string) {
    this.#database = new Database(
      file,
      INDEX_MIGRATIONS,
      'it is made of what is mounted: remove it, and it is made anew',
    );
    if (this.state('fingerprint') !== fingerprint) {
      this.transaction(() => {
        for (const table of CLEARED) this.#database.exec(`DELETE FROM ${table}`);
        this.setState('fingerprint', fingerprint);
      });
    }
  }

  /** For what else is kept in the same file. */
  get database(): Database {
    return this.#database;
  }

  close(): void {
    this.#database.close();
  }

  transaction<T>(work: () => T): T {
    return this.#database.transaction(work);
  }

  /** Differs from the last answer when another process has written. */
  foreignWrites(): number {
    return Number(this.#database.one('PRAGMA data_version')?.['data_version'] ?? 0);
  }

  /** Documents whose ids are higher than this, by id. */
  *documents(after: number): Iterable<StoredDocument> {
    const sql =
      'SELECT id, path, hash, updated, kind, language, seen FROM documents WHERE id > ? ORDER BY id';
    for (const row of this.#database.prepare(sql).iterate(after)) yield documentOf(row);
  }

  /** How many documents there are. */
  documentCount(): number {
    return Number(this.#database.one('SELECT count(*) AS count FROM documents')?.['count'] ?? 0);
  }

  documentIds(): number[] {
    return this.#database.all('SELECT id FROM documents').map((row) => Number(row['id']));
  }

  documentAt(path: string): StoredDocument | null {
    const row = this.#database.one(
      'SELECT id, path, hash, updated, kind, language, seen FROM documents WHERE path = ?',
      path,
    );
    return row === undefined ? null : documentOf(row);
  }

  /** A new document; its id. */
  addDocument({ path, hash, updated, kind, language, seen }: Omit<StoredDocument, 'id'>): number {
    const { lastInsertRowid } = this.#database
      .prepare(
        'INSERT INTO documents (path, hash, updated, kind, language, seen) VALUES (?,?,?,?,?,?)',
      )
      .run(path, hash, updated, kind, language, seen);
    return Number(lastInsertRowid);
  }

  /** Notes what an unchanged document looks like now. */
  setSeen(id: number, seen: string): void {
    this.#database.prepare('UPDATE documents SET seen = ? WHERE id = ?').run(seen, id);
  }

  /** What the documents below a path looked like when they were read, by path; '' where that is not known. */
  seen(prefix: string): [path: string, seen: string][] {
    const below = prefix.endsWith('/') ? prefix : `${prefix}/`;
    const rows = this.#database.all(
      // '0' comes right after '/'.
      'SELECT path, seen FROM documents WHERE path > ? AND path < ?',
      below,
      `${below.slice(0, -1)}0`,
    );
    return rows.map((row) => [String(row['path']), String(row['seen'])]);
  }

  removeDocument(id: number): void {
    this.#database.prepare('DELETE FROM chunks WHERE document = ?').run(id);
    this.#database.prepare('DELETE FROM documents WHERE id = ?').run(id);
  }

  /** A new chunk; its id. */
  addChunk(document: number, chunk: StoredChunk, bag: Uint32Array): number {
    const { lastInsertRowid } = this.#database
      .prepare(
        'INSERT INTO chunks (document, first_line, last_line, crumb, text, hash, bag) VALUES (?,?,?,?,?,?,?)',
      )
      .run(
        document,
        chunk.firstLine,
        chunk.lastLine,
        chunk.crumb,
        chunk.text,
        chunk.hash,
        new Uint8Array(bag.buffer, bag.byteOffset, bag.byteLength),
      );
    return Number(lastInsertRowid);
  }

  /** The ids of chunks whose texts have a string, in ASCII whatever its letter case; all are read. */
  *chunksWith(text: string): Iterable<number> {
    const sql = 'SELECT id FROM chunks WHERE instr(lower(text), lower(?)) > 0';
    for (const row of this.#database.prepare(sql).iterate(text)) yield Number(row['id']);
  }

  chunk(id: number): StoredChunk | null {
    const row = this.#database.one(
      'SELECT first_line, last_line, crumb, text, hash FROM chunks WHERE id = ?',
      id,
    );
    if (row === undefined) return null;
    return {
      firstLine: Number(row['first_line']),
      lastLine: Number(row['last_line']),
      crumb: String(row['crumb']),
      text: String(row['text']),
      hash: String(row['hash']),
    };
  }

  /** The bags of the chunks of documents whose ids are higher than this, document by document. */
  *bags(after: number): Iterable<{ id: number; document: number; bag: Uint32Array }> {
    const sql = 'SELECT id, document, bag FROM chunks WHERE document > ? ORDER BY document, id';
    for (const row of this.#database.prepare(sql).iterate(after)) {
      const blob = row['bag'];
      if (!(blob instanceof Uint8Array)) continue;
      // A blob may begin anywhere; numbers of 4 bytes may not.
      const bytes = blob.byteOffset % 4 === 0 ? blob : blob.slice();
      const bag = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
      yield { id: Number(row['id']), document: Number(row['document']), bag };
    }
  }

  /** Terms from a number on, in the order of their numbers. */
  terms(from: number): string[] {
    return this.#database
      .all('SELECT term FROM terms WHERE number >= ? ORDER BY number', from)
      .map((row) => String(row['term']));
  }

  addTerm(number: number, term: string): void {
    this.#database.prepare('INSERT INTO terms (number, term) VALUES (?,?)').run(number, term);
  }

  latent(): LatentSpace | null {
    const row = this.#database.one('SELECT dimensions, fitted_on, terms, vectors FROM latent');
    const blob = row?.['vectors'];
    if (row === undefined || !(blob instanceof Uint8Array)) return null;
    const dimensions = Number(row['dimensions']);
    const terms = String(row['terms']).split('\n');
    const vectors = new Float32Array(blob.slice().buffer);
    return new LatentSpace(dimensions, Number(row['fitted_on']), terms, vectors);
  }

  setLatent(space: LatentSpace): void {
    this.#database
      .prepare('INSERT OR REPLACE INTO latent VALUES (1,?,?,?,?)')
      .run(
        space.dimensions,
        space.fittedOn,
        space.terms.join('\n'),
        new Uint8Array(space.rows.buffer, space.rows.byteOffset, space.rows.byteLength),
      );
  }

  /** What was held in memory when it was last kept. */
  held(): KeptParts {
    const parts: KeptParts = new Map();
    for (const { part, bytes } of this.#database
      .prepare('SELECT part, bytes FROM held')
      .iterate()) {
      if (bytes instanceof Uint8Array) parts.set(String(part), bytes);
    }
    return parts;
  }

  setHeld(parts: KeptParts): void {
    this.#database.exec('DELETE FROM held');
    const insert = this.#database.prepare('INSERT INTO held VALUES (?,?)');
    for (const [name, bytes] of parts) insert.run(name, bytes);
  }

  /** How far a source, shown at a mount point, was followed. */
  followed(name: string, point: string): number {
    const row = this.#database.one(
      'SELECT seq FROM sources WHERE name = ? AND point = ?',
      name,
      point,
    );
    return Number(row?.['seq'] ?? 0);
  }

  /** Is another source than this one shown at a mount point? */
  isOthers(name: string, point: string): boolean {
    const sql = 'SELECT 1 FROM sources WHERE point = ? AND name <> ? LIMIT 1';
    return this.#database.one(sql, point, name) !== undefined;
  }

  /** Whatever is shown at a mount point is to be followed anew. */
  unfollow(point: string): void {
    this.#database.prepare('DELETE FROM sources WHERE point = ?').run(point);
  }

  setFollowed(name: string, point: string, seq: number): void {
    this.#database.prepare('INSERT OR REPLACE INTO sources VALUES (?,?,?)').run(name, point, seq);
  }

  state(key: string): string | null {
    const value = this.#database.one('SELECT value FROM state WHERE key = ?', key)?.['value'];
    return typeof value === 'string' ? value : null;
  }

  setState(key: string, value: string): void {
    this.#database.prepare('INSERT OR REPLACE INTO state VALUES (?,?)').run(key, value);
  }
}

function documentOf(row: Row): StoredDocument {
  const kind = row['kind'];
  return {
    id: Number(row['id']),
    path: String(row['path']),
    hash: String(row['hash']),
    updated: String(row['updated']),
    kind: kind === 'issue' || kind === 'page' ? kind : 'file',
    language: LANGUAGES.find((each) => each === row['language']) ?? 'en',
    seen: String(row['seen']),
  };
}
