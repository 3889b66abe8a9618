import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
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
