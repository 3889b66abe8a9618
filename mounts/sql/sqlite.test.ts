/** The SQL mount on SQLite. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, it } from 'vitest';
import { failure, names, ServiceBench } from '../../test/services/testing.ts';
import { createSqlMount, type SqlMountOptions } from './index.ts';
import { describeSqlMount } from './testing.ts';

const directory = mkdtempSync(join(tmpdir(), 'dirigent-sqlite-'));
const file = join(directory, 'shop.sqlite');
const database = new DatabaseSync(file);
afterAll(() => {
  database.close();
  rmSync(directory, { recursive: true });
});

describeSqlMount('SQLite', () => ({
  options: { database: file },
  run: async (sql) => database.exec(sql),
  rows: async (sql) => database.prepare(sql).all(),
}));

it.each([
  "ATTACH DATABASE '/tmp/elsewhere.sqlite' AS other",
  "VACUUM INTO '/tmp/elsewhere.sqlite'",
  'PRAGMA user_version = 3',
  "SELECT load_extension('x')",
])('nothing outside of the file is reached: %s', async (sql) => {
  const bench = new ServiceBench<SqlMountOptions>('sql', createSqlMount, { database: file });
  const mount = bench.mount();
  try {
    const refused = await failure(mount.write?.('/queries/out.sql', Buffer.from(sql)));
    expect([refused.code, refused.reason]).toEqual([
      'EINVAL',
      expect.stringMatching(/only reads|not authorized|prohibited/),
    ]);
    expect(await names(mount, '/queries')).toEqual([]);
  } finally {
    bench.end();
  }
});
