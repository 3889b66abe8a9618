import { once } from 'node:events';
import {
  closeSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { ConfigError } from '../errors.ts';
import { Database } from './database.ts';

const MODULE = new URL('./database.ts', import.meta.url);
/** Opens the file of its data, and tells before and after. */
const OPEN = `
  const { parentPort, workerData } = require('node:worker_threads');
  import('${MODULE}').then(({ Database }) => {
    parentPort.postMessage('opens');
    const opened = new Database(workerData, ['CREATE TABLE t (x)'], 'remove it');
    parentPort.postMessage(opened.one('PRAGMA journal_mode').journal_mode);
    opened.close();
  });`;

it('a new file that somebody else is making, too, is waited for', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'dirigent-database-'));
  const file = join(directory, 'new.sqlite');
  const other = new DatabaseSync(file);
  try {
    other.exec('BEGIN IMMEDIATE; CREATE TABLE theirs (x)');
    const worker = new Worker(OPEN, { eval: true, workerData: file });
    const ended = once(worker, 'exit');
    expect(await once(worker, 'message')).toEqual(['opens']);
    // Long enough for it to find the file taken, and to try again.
    await sleep(50);
    const opened = once(worker, 'message');
    other.exec('COMMIT');
    expect(await opened).toEqual(['wal']);
    await ended;
  } finally {
    other.close();
    rmSync(directory, { recursive: true });
  }
});

it('a file that is damaged while it is open fails with its name and the remedy, however it is met', () => {
  const directory = mkdtempSync(join(tmpdir(), 'dirigent-database-'));
  const file = join(directory, 'damaged.sqlite');
  const schema = ['CREATE TABLE t (x TEXT PRIMARY KEY, y TEXT)'];
  const made = new Database(file, schema, 'remove it, and it is made anew');
  const insert = made.prepare('INSERT INTO t VALUES (?, ?)');
  made.transaction(() => {
    for (let n = 0; n < 5_000; n++) insert.run(`row ${n}`, 'y'.repeat(100));
  });
  made.close();
  const open = new Database(file, schema, 'remove it, and it is made anew');
  try {
    overwrite(file);
    const met = [
      () => open.all('SELECT * FROM t ORDER BY y'),
      () => open.one('SELECT count(y) FROM t'),
      () => [...open.prepare('SELECT * FROM t').iterate()],
      () => open.transaction(() => open.prepare('UPDATE t SET y = 1').run()),
      () => open.exec('UPDATE t SET y = 2'),
    ];
    for (const meet of met) {
      expect(meet).toThrow(ConfigError);
      expect(meet).toThrow(`${file} cannot be used (database disk image is malformed); remove it`);
    }
    expect(open.inTransaction).toBe(false);
    expect(() => open.one('SELECT * FROM no_such_table')).not.toThrow(ConfigError);
  } finally {
    open.close();
    rmSync(directory, { recursive: true });
  }
});

/** Leaves the first page as it is, so that it is still a database. */
function overwrite(file: string): void {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(statSync(file).size - 8192, 0xa5), 0, null, 8192);
  closeSync(descriptor);
}

/** A database in a file of its own, and the way to it. */
function inFile(): { file: string; open: (schema: readonly string[] | string) => Database } {
  const file = join(temporaryDirectory(), 'a.sqlite');
  return {
    file,
    open: (schema) => {
      const made = new Database(file, schema, 'remove it');
      onTestFinished(() => made.close());
      return made;
    },
  };
}

it('a schema is brought forward from where it is, once, and one that is newer is refused', () => {
  const { file, open } = inFile();
  const steps = ['CREATE TABLE t (x)', "INSERT INTO t VALUES ('second')"];
  expect(open(steps.slice(0, 1)).all('SELECT * FROM t')).toEqual([]);
  const rows = [{ x: 'second' }];
  expect(open(steps).all('SELECT * FROM t')).toEqual(rows);
  expect(open(steps).all('SELECT * FROM t')).toEqual(rows);
  expect(open(steps).one('PRAGMA user_version')).toEqual({ user_version: 2 });
  expect(() => open(steps.slice(0, 1))).toThrow(
    `${file} has schema version 2, this program knows 1: use a newer one`,
  );
  // Tables of somebody else's leave the version alone.
  open('CREATE TABLE IF NOT EXISTS u (y)');
  expect(open(steps).one('SELECT count(*) AS n FROM u')).toEqual({ n: 0 });
});

it('a step that fails brings nothing forward', () => {
  const { file, open } = inFile();
  expect(() => open(['CREATE TABLE t (x)', 'no statement'])).toThrow(`${file} cannot be used`);
  expect(open(['CREATE TABLE t (x)']).all('SELECT * FROM t')).toEqual([]);
});

it('what is no database is refused with the file and the remedy', () => {
  const { file, open } = inFile();
  writeFileSync(file, 'text '.repeat(1_000));
  expect(() => open([])).toThrow(ConfigError);
  expect(() => open([])).toThrow(`${file} cannot be used (file is not a database); remove it`);
});

it('a transaction is kept as a whole or not at all, and one within another is a part of it', () => {
  const database = inFile().open(['CREATE TABLE t (x)']);
  const insert = (x: number) => database.prepare('INSERT INTO t VALUES (?)').run(x);
  const held = () => database.all('SELECT x FROM t').map(({ x }) => x);
  const broken = new Error('broken');
  expect(
    database.transaction(() => {
      insert(1);
      return database.transaction(() => {
        insert(2);
        return database.inTransaction;
      });
    }),
  ).toBe(true);
  expect([held(), database.inTransaction]).toEqual([[1, 2], false]);
  const fails = (): void =>
    database.transaction(() => {
      insert(3);
      database.transaction(() => insert(4));
      throw broken;
    });
  expect(fails).toThrow(broken);
  expect([held(), database.inTransaction]).toEqual([[1, 2], false]);
});

it('columns are added where they are not there, and what is to be done about the rows then is done once', () => {
  const { open } = inFile();
  const database = open("CREATE TABLE IF NOT EXISTS t (x); INSERT INTO t VALUES ('a')");
  const add = () =>
    database.addColumns('t', ['x', 'y TEXT', 'z INTEGER'], 'UPDATE t SET y = x || 1');
  add();
  const row = { x: 'a', y: 'a1', z: null };
  expect(database.all('SELECT * FROM t')).toEqual([row]);
  database.exec("UPDATE t SET y = 'own'");
  add();
  expect(database.all('SELECT * FROM t')).toEqual([{ ...row, y: 'own' }]);
});

it('a generation is another once anything has changed, here or elsewhere, but for what is said not to count', () => {
  const { open } = inFile();
  const [one, two] = [open(['CREATE TABLE t (x)']), open(['CREATE TABLE t (x)'])];
  const before = one.generation();
  expect(one.generation()).toBe(before);
  one.exec('INSERT INTO t VALUES (1)');
  expect(one.generation()).not.toBe(before);
  expect(one.generation(1)).toBe(before);
  const later = one.generation();
  two.exec('INSERT INTO t VALUES (2)');
  expect(one.generation()).not.toBe(later);
});

it('rows come one by one, and a statement is prepared once', () => {
  const database = inFile().open(['CREATE TABLE t (x)']);
  for (const x of [1, 2, 3]) database.prepare('INSERT INTO t VALUES (?)').run(x);
  const select = database.prepare('SELECT x FROM t WHERE x > ?');
  expect(database.prepare('SELECT x FROM t WHERE x > ?')).toBe(select);
  expect([...select.iterate(1)].map((row) => ({ ...row }))).toEqual([{ x: 2 }, { x: 3 }]);
  for (const row of select.iterate(0)) {
    expect({ ...row }).toEqual({ x: 1 });
    break;
  }
  // What was left half-way holds nothing up.
  expect(database.transaction(() => select.get(2))).toEqual({ x: 3 });
  expect(database.one('SELECT x FROM t WHERE x > 3')).toBeUndefined();
});
