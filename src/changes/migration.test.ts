/** A journal that an earlier program made is opened as it is: nothing that waits in it is lost. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChangeJournal } from './index.ts';

/** The tables as the first programs made them, and what the next two added. They are no copies that follow the schema. */
const FIRST = `
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
  ) WITHOUT ROWID;`;
const OWNERS = 'ALTER TABLE changes ADD COLUMN owner TEXT;';
const REPLACED = 'ALTER TABLE changes ADD COLUMN replaced_by TEXT;';
const EARLIER = [
  ['1', FIRST],
  ['2', FIRST + OWNERS],
  ['3, the last without calls', FIRST + OWNERS + REPLACED],
] as const;

const [WAITS, DONE, LOST] = [
  '01KB0000000000000000000001',
  '01KB0000000000000000000002',
  '01KB0000000000000000000003',
];
const REQUEST = { method: 'PATCH', url: 'items/1', body: { title: 'b' } };
const ROWS = `
  INSERT INTO changes (id, mount, path, op, state, idempotency_key, base_version, base, mine, diff, request, result, created_at, sent_at, ended_at)
  VALUES
    ('${WAITS}', 'notes @ada', '/1.md', 'update', 'pending', 'k1', 'v1', 'a', 'b', '-a +b', '${JSON.stringify(REQUEST)}', NULL, 1, NULL, NULL),
    ('${DONE}', 'notes @ada', '/new.md', 'create', 'applied', 'k2', NULL, NULL, 'c', '', NULL, '{"path":"/2.md"}', 2, 3, 4),
    ('${LOST}', 'notes @ada', '/3.md', 'delete', 'unknown', 'k3', 'v3', 'd', NULL, '', NULL, NULL, 5, 6, NULL);
  INSERT INTO locks VALUES ('notes @ada', '/1.md', 'gone', 1);`;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'dirigent-journal-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function madeBefore(version: string, schema: string, name = version.slice(0, 1)): string {
  const file = join(directory, `${name}.sqlite`);
  const database = new DatabaseSync(file);
  database.exec(`${schema} ${ROWS} PRAGMA user_version = ${version[0]}`);
  database.close();
  return file;
}

test.each(EARLIER)(
  'one of schema version %s has what it had, and takes calls',
  async (version, schema) => {
    const file = madeBefore(version, schema);
    const journal = new ChangeJournal(file);
    try {
      expect(journal.list().map(({ id, state, op }) => [id, state, op])).toEqual([
        [WAITS, 'pending', 'update'],
        [DONE, 'applied', 'create'],
        [LOST, 'unknown', 'delete'],
      ]);
      const [waits, done, lost] = journal.list();
      expect(waits).toMatchObject({
        path: '/1.md',
        idempotencyKey: 'k1',
        baseVersion: 'v1',
        base: 'a',
        mine: 'b',
        request: REQUEST,
        createdAt: 1,
        sentAt: null,
      });
      expect(done).toMatchObject({ result: { path: '/2.md' }, sentAt: 3, endedAt: 4 });
      expect(lost).toMatchObject({ idempotencyKey: 'k3', sentAt: 6 });

      const call = journal.begin({ mount: 'mcp', path: '/tools/echo', op: 'call', mine: '{}\n' });
      expect(call.id > LOST).toBe(true);
      expect(journal.list({ mount: 'mcp' })).toMatchObject([{ op: 'call', state: 'draft' }]);

      // What waited is applied, as it was shown.
      const applied: unknown[] = [];
      journal.attach('notes @ada', {
        apply: async (change) => {
          applied.push(change.request);
          journal.update(change.id, { state: 'applied' });
        },
        settle: async () => undefined,
      });
      expect(await journal.apply([{ id: WAITS, digest: waits?.digest ?? '' }])).toMatchObject([
        { id: WAITS, state: 'applied' },
      ]);
      expect(applied).toEqual([REQUEST]);
    } finally {
      journal.close();
    }
    // Opened again it is the same, and is asked by its indices.
    const again = new ChangeJournal(file);
    expect(again.list().map(({ state }) => state)).toEqual([
      'applied',
      'applied',
      'unknown',
      'draft',
    ]);
    again.close();
    const database = new DatabaseSync(file, { readOnly: true });
    const plan = database
      .prepare(
        "EXPLAIN QUERY PLAN SELECT 1 FROM changes WHERE mount = 'm' AND path = '/p' AND state = 's'",
      )
      .all();
    expect(JSON.stringify(plan)).toContain('USING COVERING INDEX changes_by_path');
    database.close();
  },
);

test('one that two programs open at once is migrated once', () => {
  const [version, schema] = EARLIER[0];
  const file = madeBefore(version, schema, 'both');
  const [one, two] = [new ChangeJournal(file), new ChangeJournal(file)];
  one.begin({ mount: 'mcp', path: '/tools/echo', op: 'call' });
  expect(two.list()).toHaveLength(4);
  one.close();
  two.close();
});
