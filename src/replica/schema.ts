/** The replica's tables, as forward migrations; never edit one that was released. */
export const REPLICA_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE records (
    mount TEXT NOT NULL,
    collection TEXT NOT NULL,
    key TEXT NOT NULL,
    tag TEXT NOT NULL,
    version TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    size INTEGER NOT NULL,
    path TEXT,
    checked_at INTEGER NOT NULL,
    value TEXT NOT NULL,
    UNIQUE (mount, collection, key)
  );
  CREATE INDEX records_by_tag ON records (mount, collection, tag);
  CREATE INDEX records_by_path ON records (mount, path) WHERE path IS NOT NULL;
  CREATE INDEX records_by_time ON records (mount, collection, updated_at);

  CREATE TABLE listings (
    mount TEXT NOT NULL,
    collection TEXT NOT NULL,
    complete INTEGER NOT NULL,
    synced_at INTEGER NOT NULL,
    reconciled_at INTEGER NOT NULL,
    cursor TEXT,
    PRIMARY KEY (mount, collection)
  ) WITHOUT ROWID;

  CREATE TABLE validators (
    mount TEXT NOT NULL,
    url TEXT NOT NULL,
    etag TEXT NOT NULL,
    PRIMARY KEY (mount, url)
  ) WITHOUT ROWID;

  CREATE TABLE feed (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    mount TEXT NOT NULL,
    path TEXT NOT NULL,
    version TEXT NOT NULL,
    op TEXT NOT NULL CHECK (op IN ('upsert', 'delete')),
    UNIQUE (mount, path)
  );
  CREATE INDEX feed_by_mount ON feed (mount, seq);
  `,
  // When a record, or what a tag stands for, changed last: see revisions.ts. By triggers, so that
  // no writer of the file can leave it out. (A replacement fires no trigger of a deletion.)
  `
  CREATE TABLE revisions (
    revision INTEGER PRIMARY KEY AUTOINCREMENT,
    mount TEXT NOT NULL,
    collection TEXT NOT NULL,
    scope TEXT NOT NULL,
    UNIQUE (mount, collection, scope)
  );
  CREATE TRIGGER revise_put BEFORE INSERT ON records BEGIN
    INSERT OR REPLACE INTO revisions (mount, collection, scope)
      SELECT mount, collection, 't' || tag FROM records
      WHERE mount = NEW.mount AND collection = NEW.collection AND key = NEW.key AND tag <> NEW.tag;
    INSERT OR REPLACE INTO revisions (mount, collection, scope) VALUES
      (NEW.mount, NEW.collection, 't' || NEW.tag), (NEW.mount, NEW.collection, 'k' || NEW.key);
  END;
  CREATE TRIGGER revise_update
  AFTER UPDATE OF mount, collection, key, tag, version, updated_at, size, path, value ON records BEGIN
    INSERT OR REPLACE INTO revisions (mount, collection, scope) VALUES
      (OLD.mount, OLD.collection, 't' || OLD.tag), (OLD.mount, OLD.collection, 'k' || OLD.key),
      (NEW.mount, NEW.collection, 't' || NEW.tag), (NEW.mount, NEW.collection, 'k' || NEW.key);
  END;
  CREATE TRIGGER revise_remove AFTER DELETE ON records BEGIN
    INSERT OR REPLACE INTO revisions (mount, collection, scope) VALUES
      (OLD.mount, OLD.collection, 't' || OLD.tag), (OLD.mount, OLD.collection, 'k' || OLD.key);
  END;
  `,
  // Whose credential it is, by a digest of it: see accounts.ts.
  `
  CREATE TABLE accounts (
    entered INTEGER PRIMARY KEY AUTOINCREMENT,
    service TEXT NOT NULL,
    credential TEXT NOT NULL,
    account TEXT,
    UNIQUE (service, credential)
  );
  `,
  // Listings that were begun and are not at their end: see mount/whole-listing.ts.
  `
  CREATE TABLE underway (
    mount TEXT NOT NULL,
    collection TEXT NOT NULL,
    what TEXT NOT NULL,
    owner TEXT,
    began_at INTEGER NOT NULL,
    touched_at INTEGER NOT NULL,
    cursor TEXT,
    records INTEGER NOT NULL,
    pages INTEGER NOT NULL,
    total INTEGER,
    PRIMARY KEY (mount, collection)
  ) WITHOUT ROWID;
  `,
  // Looking for changes, by one process at a time: see probes.ts.
  `
  CREATE TABLE probes (
    mount TEXT PRIMARY KEY,
    next_at INTEGER NOT NULL,
    every_ms INTEGER NOT NULL,
    read_at INTEGER NOT NULL,
    probed_at INTEGER NOT NULL,
    taken_until INTEGER NOT NULL,
    spent REAL NOT NULL,
    window_at INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE probed (
    mount TEXT NOT NULL,
    subject TEXT NOT NULL,
    mark TEXT,
    read_at INTEGER NOT NULL,
    changed_at INTEGER NOT NULL,
    PRIMARY KEY (mount, subject)
  ) WITHOUT ROWID;
  `,
];
