/**
 * One writer a session. The lock is SQLite's on an empty database beside the
 * log: the operating system holds it for the process, on every platform that
 * Node runs on, and lets go of it when the process dies, however it dies.
 */
import fs from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { FsError } from '../errors.ts';
import { isBusy } from '../replica/database.ts';
import { openSqlite } from '../replica/sqlite.ts';

/** Who writes a session. */
export interface Holder {
  pid: number;
  host: string;
  /** ISO 8601, UTC. */
  since: string;
}

/** A lock that is held. */
export interface WriterLock {
  release(): void;
}

const LOCK = 'writer.lock';
const HOLDER = 'writer.json';

/** What is said where another one holds a lock. */
interface Refusal {
  path: string;
  rule: string;
  /** @param holder in a few words */
  reason(holder: string): string;
}

const WRITTEN: Refusal = {
  path: '/session/log.jsonl',
  rule: 'one writer a session',
  reason: (holder) => `the session is being written by ${holder}; end that, or fork the session`,
};

/**
 * Takes the lock of a session's folder, or of another one.
 * @throws FsError EBUSY naming who holds it
 */
export function takeWriterLock(folder: string, refusal: Refusal = WRITTEN): WriterLock {
  const database = openSqlite(join(folder, LOCK), { timeout: 0 });
  try {
    // In memory, or an empty journal would be left beside the lock.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE');
  } catch (error) {
    database.close();
    if (!isBusy(error)) throw error;
    throw new FsError('EBUSY', {
      path: refusal.path,
      op: 'open',
      rule: refusal.rule,
      reason: refusal.reason(describeHolder(readHolder(folder))),
      cause: error,
    });
  }
  const holder: Holder = {
    pid: process.pid,
    host: hostname(),
    since: new Date().toISOString(),
  };
  fs.writeFileSync(join(folder, HOLDER), `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  return {
    release: () => {
      if (!database.isOpen) return;
      fs.rmSync(join(folder, HOLDER), { force: true });
      database.close();
    },
  };
}

function readHolder(folder: string): Holder | null {
  try {
    return JSON.parse(fs.readFileSync(join(folder, HOLDER), 'utf8')) as Holder;
  } catch (error) {
    // It is for people: between two writers it may be missing, or half written.
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return null;
    throw error;
  }
}

function describeHolder(holder: Holder | null): string {
  if (holder === null) return 'another process';
  const here = holder.host === hostname() ? '' : ` on ${holder.host}`;
  return `process ${holder.pid}${here}, since ${holder.since}`;
}
