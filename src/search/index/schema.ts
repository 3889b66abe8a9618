/** The tables of index.sqlite. */
export const INDEX_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT, path TEXT NOT NULL UNIQUE, hash TEXT NOT NULL,
    updated TEXT NOT NULL, kind TEXT NOT NULL
  );
  CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, document INTEGER NOT NULL, first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL, crumb TEXT NOT NULL, text TEXT NOT NULL,
    hash TEXT NOT NULL, bag BLOB NOT NULL
  );
  CREATE INDEX chunks_by_document ON chunks (document);
  CREATE TABLE terms (number INTEGER PRIMARY KEY, term TEXT NOT NULL UNIQUE);
  CREATE TABLE latent (
    id INTEGER PRIMARY KEY CHECK (id = 1), dimensions INTEGER NOT NULL,
    fitted_on INTEGER NOT NULL, terms TEXT NOT NULL, vectors BLOB NOT NULL
  );
  CREATE TABLE sources (
    name TEXT NOT NULL, point TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (name, point)
  ) WITHOUT ROWID;
  CREATE TABLE state (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  `,
  // The vectors of sentence models, by the hash of the chunk's text: see embedding/vector-store.ts.
  // The first indexes had a table of that name, in which nothing was ever kept.
  `
  DROP TABLE IF EXISTS vectors;
  CREATE TABLE sentence_models (
    id INTEGER PRIMARY KEY AUTOINCREMENT, identity TEXT NOT NULL, spec TEXT NOT NULL,
    chunker INTEGER NOT NULL, dimensions INTEGER NOT NULL, probe BLOB NOT NULL,
    backdrop BLOB NOT NULL, active INTEGER NOT NULL, tokens INTEGER NOT NULL
  );
  CREATE TABLE vectors (
    id INTEGER PRIMARY KEY AUTOINCREMENT, model INTEGER NOT NULL, hash TEXT NOT NULL,
    vector BLOB, gone INTEGER, UNIQUE (model, hash)
  );
  `,
  // What a process held in memory when all of it was as the other tables have it.
  'CREATE TABLE held (part TEXT PRIMARY KEY, bytes BLOB NOT NULL);',
  // What a document looked like when it was read: one that looks the same is not read again.
  "ALTER TABLE documents ADD COLUMN seen TEXT NOT NULL DEFAULT ''",
  // What language a document is in: its words were stemmed as that one's.
  "ALTER TABLE documents ADD COLUMN language TEXT NOT NULL DEFAULT 'en'",
];

/** An index made by another version of the chunker or of the words is emptied and made anew. */
export const CLEARED = ['documents', 'chunks', 'terms', 'latent', 'sources', 'held'] as const;
