/** The change journal's tables, as forward migrations; never edit one that was released. */
export const CHANGE_MIGRATIONS: readonly string[] = [
  `
  CREATE TABLE changes (
    id TEXT PRIMARY KEY,
    mount TEXT NOT NULL,
    path TEXT NOT NULL,
    op TEXT NOT NULL CHECK (op IN ('create', 'update', 'delete')),
    state TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    base_version TEXT,
    base TEXT,
    mine TEXT,
    theirs TEXT,
    diff TEXT NOT NULL DEFAULT '',
    request TEXT,
    error TEXT,
    result TEXT,
    created_at INTEGER NOT NULL,
    sent_at INTEGER,
    ended_at INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX changes_by_path ON changes (mount, path, state);
  CREATE INDEX changes_by_state ON changes (mount, state);

  CREATE TABLE locks (
    mount TEXT NOT NULL,
    path TEXT NOT NULL,
    owner TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (mount, path)
  ) WITHOUT ROWID;
  `,
  // Who works on a change: `host pid token`. What a dead one left is recovered.
  `ALTER TABLE changes ADD COLUMN owner TEXT`,
  // What was staged in the place of a dropped change.
  `ALTER TABLE changes ADD COLUMN replaced_by TEXT`,
  // Calls of programs; SQLite changes a CHECK by making the table anew.
  `
  CREATE TABLE changes_with_calls (
    id TEXT PRIMARY KEY,
    mount TEXT NOT NULL,
    path TEXT NOT NULL,
    op TEXT NOT NULL CHECK (op IN ('create', 'update', 'delete', 'call')),
    state TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    base_version TEXT,
    base TEXT,
    mine TEXT,
    theirs TEXT,
    diff TEXT NOT NULL DEFAULT '',
    request TEXT,
    error TEXT,
    result TEXT,
    created_at INTEGER NOT NULL,
    sent_at INTEGER,
    ended_at INTEGER,
    owner TEXT,
    replaced_by TEXT
  ) WITHOUT ROWID;
  INSERT INTO changes_with_calls SELECT * FROM changes;
  DROP TABLE changes;
  ALTER TABLE changes_with_calls RENAME TO changes;
  CREATE INDEX changes_by_path ON changes (mount, path, state);
  CREATE INDEX changes_by_state ON changes (mount, state);
  `,
];
