/** Writers are killed at random, again and again; what they acknowledged must be there, once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { PartSpec } from '../../src/parts/config.ts';
import type { SessionPlace } from '../../src/session/file.ts';
import { sessionPlace } from '../../src/session/place.ts';
import { verifySession } from '../../src/session/verify.ts';
import { readSession, temporaryDirectory } from './support.ts';

const WRITER = fileURLToPath(new URL('crash-writer.ts', import.meta.url));

/** Runs the writer until it is killed; gives what it printed: the session's id, then those of entries. */
async function killedWriter(state: string, id: string, part?: PartSpec): Promise<string[]> {
  const child = spawn(process.execPath, [WRITER, state, id, JSON.stringify(part ?? null)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { NODE_COMPILE_CACHE: join(state, 'compiled') },
  });
  const closed = once(child, 'close');
  // Not by the clock alone: on a busy machine the writer would never get to write.
  const enough = Math.ceil(Math.random() * 60);
  let text = '';
  let lines = 0;
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (data: Buffer) => {
      text += data.toString();
      lines += data.filter((byte) => byte === 0x0a).length;
      if (lines > enough) resolve();
    });
    child.once('close', () => resolve());
  });
  expect(child.exitCode, 'the writer could go on').toBeNull();
  await delay(Math.random() * 5);
  child.kill('SIGKILL');
  await closed;
  return text.split('\n').slice(0, -1);
}

/** Kills the writers of one session, one after the other. @returns the acknowledged ids by session */
async function killWritersOf(
  state: string,
  times: number,
  part?: PartSpec,
): Promise<[string, string[]]> {
  const acknowledged: string[] = [];
  let id = '';
  for (let round = 0; round < times; round++) {
    const [session = '', ...ids] = await killedWriter(state, id, part);
    id = session;
    acknowledged.push(...ids);
  }
  return [id, acknowledged];
}

function checkSession(place: SessionPlace, id: string, acknowledged: readonly string[]): void {
  const { faults, entries, signed, lines } = verifySession(place, id);
  expect(faults).toEqual([]);
  expect(signed.lines + signed.unsigned, 'all is signed, or told to be not').toBeGreaterThanOrEqual(
    lines - 1,
  );
  const kept = readSession(place, id).tree.ids();
  expect(kept).toHaveLength(entries);
  const known = new Set(kept);
  expect(known.size, 'no entry is doubled').toBe(kept.length);
  expect(acknowledged.filter((each) => !known.has(each))).toEqual([]);
}

/**
 * @param store the module of a store of the deployment's own
 * @param sessions are written side by side, by a process each, over one store of blobs
 * @returns how many entries were acknowledged in all
 */
export async function killRepeatedly(
  times: number,
  sessions: number,
  store?: string,
): Promise<number> {
  const state = temporaryDirectory();
  const part: PartSpec | undefined =
    store === undefined
      ? undefined
      : { name: 'sessions', module: store, file: store, directory: state, options: {}, env: {} };
  const results = await Promise.all(
    Array.from({ length: sessions }, () => killWritersOf(state, Math.ceil(times / sessions), part)),
  );
  const place = sessionPlace(state, part);
  for (const [id, acknowledged] of results) checkSession(place, id, acknowledged);
  place.store.close?.();
  expect(new Set(results.map(([id]) => id)).size).toBe(sessions);
  return results.reduce((sum, [, { length }]) => sum + length, 0);
}
