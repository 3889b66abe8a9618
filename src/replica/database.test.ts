import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';

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
