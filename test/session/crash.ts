/** A writer is killed at random, again and again; what it acknowledged must be there, once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { verifySession } from '../../src/session/verify.ts';
import { readSession, testPlace } from './support.ts';

const WRITER = fileURLToPath(new URL('crash-writer.ts', import.meta.url));

/** Runs the writer until it is killed; gives what it printed. */
async function killedWriter(state: string, id: string): Promise<string[]> {
  const child = spawn(process.execPath, [WRITER, state, id], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (data: Buffer) => {
    text += data.toString();
  });
  // Not by the clock alone: on a busy machine the writer would never get to write.
  const enough = Math.ceil(Math.random() * 60);
  while (text.split('\n').length <= enough && child.exitCode === null) await delay(2);
  expect(child.exitCode, 'the writer could go on').toBeNull();
  await delay(Math.random() * 5);
  child.kill('SIGKILL');
  await once(child, 'close');
  return text.split('\n').slice(0, -1);
}

/** @returns how many entries were acknowledged in all */
export async function killRepeatedly(times: number): Promise<number> {
  const place = testPlace();
  const state = place.sessions.slice(0, place.sessions.lastIndexOf('/'));
  const acknowledged: string[] = [];
  let id = '';
  for (let round = 0; round < times; round++) {
    const [session = '', ...ids] = await killedWriter(state, id);
    id = session;
    acknowledged.push(...ids);
  }
  const { faults, entries } = verifySession(place, id);
  expect(faults).toEqual([]);
  const kept = readSession(place, id).tree.ids();
  expect(new Set(kept).size).toBe(kept.length);
  expect(kept).toHaveLength(entries);
  const known = new Set(kept);
  expect(acknowledged.filter((each) => !known.has(each))).toEqual([]);
  return acknowledged.length;
}
