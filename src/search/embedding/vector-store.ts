/**
 * The vectors in index.sqlite: of each model, by the hash of the chunk's text, so
 * that a text which is there again, anywhere, is not embedded again. They outlive
 * the chunks for a week.
 */
import { z } from 'zod';
import type { Database, Row } from '../../replica/database.ts';
import { type ByteVector, ofBlob, toBlob } from './byte-vectors.ts';
import { identityOf, type SentenceModel } from './model-spec.ts';

/** A model that vectors are kept of. */
export interface StoredModel {
  id: number;
  identity: string;
  spec: SentenceModel;
  dimensions: number;
  /** The vector of a fixed text: a model that gives another one is another model. */
  probe: Float32Array;
  /** The vectors of {@link BACKDROP}, one after another. */
  backdrop: Float32Array;
  /** Its vectors are the ones in use. */
  active: boolean;
}

/** A chunk's vector, or null where the model does not take the text. */
export interface StoredVector {
  hash: string;
  vector: ByteVector | null;
}

/** What a chunk that is gone leaves behind is kept for so long, in days. */
const KEPT_DAYS = 7;
const DAY_MS = 86_400_000;

export class VectorStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  models(): StoredModel[] {
    return this.#database.all('SELECT * FROM sentence_models ORDER BY id').map(modelOf);
  }

  /** A new model; it is in use at once where no other one is. */
  addModel(
    spec: SentenceModel,
    chunker: number,
    probe: Float32Array,
    backdrop: Float32Array,
  ): StoredModel {
    return this.#database.transaction(() => {
      const active = !this.models().some((model) => model.active);
      const { lastInsertRowid } = this.#database
        .prepare(
          'INSERT INTO sentence_models (identity, spec, chunker, dimensions, probe, backdrop, active, tokens) VALUES (?,?,?,?,?,?,?,0)',
        )
        .run(
          identityOf(spec),
          JSON.stringify(spec),
          chunker,
          probe.length,
          blobOf(probe),
          blobOf(backdrop),
          active ? 1 : 0,
        );
      const id = Number(lastInsertRowid);
      const found = this.models().find((model) => model.id === id);
      if (found === undefined) throw new Error(`the sentence model ${id} was not kept`);
      return found;
    });
  }

  /** What the service of a model counted so far. */
  tokens(id: number): number {
    const row = this.#database.one('SELECT tokens FROM sentence_models WHERE id = ?', id);
    return Number(row?.['tokens'] ?? 0);
  }

  /** Where a model is to be asked may have changed without it being another one. */
  setSpec(id: number, spec: SentenceModel, chunker: number): void {
    this.#database
      .prepare('UPDATE sentence_models SET spec = ?, chunker = ? WHERE id = ?')
      .run(JSON.stringify(spec), chunker, id);
  }

  /** Puts the vectors of a model in use, and removes all others. */
  activate(id: number): void {
    this.#database.transaction(() => {
      this.#database.prepare('UPDATE sentence_models SET active = (id = ?)').run(id);
      this.#database.prepare('DELETE FROM vectors WHERE model <> ?').run(id);
      this.#database.prepare('DELETE FROM sentence_models WHERE id <> ?').run(id);
    });
  }

  removeModel(id: number): void {
    this.#database.transaction(() => {
      this.#database.prepare('DELETE FROM vectors WHERE model = ?').run(id);
      this.#database.prepare('DELETE FROM sentence_models WHERE id = ?').run(id);
    });
  }

  /** Keeps a batch, all or nothing, and what it cost. */
  put(model: number, vectors: readonly StoredVector[], tokens: number): void {
    this.#database.transaction(() => {
      const insert = this.#database.prepare(
        'INSERT OR IGNORE INTO vectors (model, hash, vector) VALUES (?,?,?)',
      );
      for (const { hash, vector } of vectors) {
        insert.run(model, hash, vector === null ? null : toBlob(vector));
      }
      this.#database
        .prepare('UPDATE sentence_models SET tokens = tokens + ? WHERE id = ?')
        .run(tokens, model);
    });
  }

  /** The vector of a chunk; undefined where it has none yet. */
  ofHash(model: number, hash: string): StoredVector | undefined {
    const row = this.#database.one(
      'SELECT hash, vector FROM vectors WHERE model = ? AND hash = ?',
      model,
      hash,
    );
    return row === undefined ? undefined : vectorOf(row);
  }

  /** Every chunk with its hash and, where there is one, its vector. */
  *ofChunks(
    model: number,
  ): Iterable<{ chunk: number; hash: string; known: StoredVector | undefined }> {
    const statement = this.#database.prepare(
      `SELECT c.id AS chunk, c.hash AS hash, v.id AS known, v.vector AS vector
       FROM chunks c LEFT JOIN vectors v ON v.model = ? AND v.hash = c.hash`,
    );
    for (const row of statement.iterate(model)) {
      yield {
        chunk: Number(row['chunk']),
        hash: String(row['hash']),
        known: row['known'] === null ? undefined : vectorOf(row),
      };
    }
  }

  /** Vectors that were kept after one, by the order of their coming, and the last one's number. */
  since(model: number, last: number): { vectors: StoredVector[]; last: number } {
    const rows = this.#database.all(
      'SELECT id, hash, vector FROM vectors WHERE id > ? AND model = ? ORDER BY id',
      last,
      model,
    );
    return { vectors: rows.map(vectorOf), last: Number(rows.at(-1)?.['id'] ?? last) };
  }

  /** The number of the vector that was kept last. */
  last(): number {
    return Number(this.#database.one('SELECT max(id) AS last FROM vectors')?.['last'] ?? 0);
  }

  /** What a model is given for a chunk; null where it is gone. */
  textOf(chunk: number): string | null {
    const row = this.#database.one('SELECT crumb, text FROM chunks WHERE id = ?', chunk);
    return row === undefined ? null : `${String(row['crumb'])}\n${String(row['text'])}`;
  }

  hashOf(chunk: number): string | null {
    const hash = this.#database.one('SELECT hash FROM chunks WHERE id = ?', chunk)?.['hash'];
    return typeof hash === 'string' ? hash : null;
  }

  /** Marks vectors whose chunk is gone, and removes those that have been marked for a week. Once a day. */
  sweep(now: number): void {
    const today = Math.floor(now / DAY_MS);
    this.#database.transaction(() => {
      const swept = this.#database.one("SELECT value FROM state WHERE key = 'vectors swept'");
      if (Number(swept?.['value'] ?? 0) >= today) return;
      this.#database
        .prepare("INSERT OR REPLACE INTO state VALUES ('vectors swept', ?)")
        .run(String(today));
      const there = 'hash IN (SELECT hash FROM chunks)';
      this.#database.exec(`UPDATE vectors SET gone = NULL WHERE gone IS NOT NULL AND ${there}`);
      this.#database
        .prepare(`UPDATE vectors SET gone = ? WHERE gone IS NULL AND NOT ${there}`)
        .run(today);
      this.#database.prepare('DELETE FROM vectors WHERE gone < ?').run(today - KEPT_DAYS);
    });
  }
}

/** Only what this program has written is read back. */
const storedSpec = z.custom<SentenceModel>((value) => typeof value === 'object' && value !== null);

function modelOf(row: Row): StoredModel {
  return {
    id: Number(row['id']),
    identity: String(row['identity']),
    spec: storedSpec.parse(JSON.parse(String(row['spec']))),
    dimensions: Number(row['dimensions']),
    probe: floatsOf(row['probe']),
    backdrop: floatsOf(row['backdrop']),
    active: row['active'] === 1,
  };
}

function vectorOf(row: Row): StoredVector {
  const blob = row['vector'];
  return { hash: String(row['hash']), vector: blob instanceof Uint8Array ? ofBlob(blob) : null };
}

const blobOf = ({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

function floatsOf(blob: unknown): Float32Array {
  // A blob may begin anywhere; numbers of 4 bytes may not.
  return blob instanceof Uint8Array ? new Float32Array(blob.slice().buffer) : new Float32Array(0);
}
