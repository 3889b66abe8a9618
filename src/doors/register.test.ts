/** Which doors are open on a state directory, as whoever looks is told. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { DoorFile, openDoors } from './register.ts';

function place(): string {
  const state = temporaryDirectory();
  return state;
}
const CLIENT = { actor: 'ann', agent: 'reader', session: 's', visits: 2 };

test('a door is told from its opening to its end, with who is in, and to its user alone', () => {
  const state = place();
  expect(openDoors(state)).toEqual([]);
  const door = new DoorFile(state, 'ssh', '127.0.0.1:22', 'one');
  door.write([]);
  door.write([CLIENT]);
  expect(openDoors(state)).toEqual([
    {
      ...{ door: 'ssh', address: '127.0.0.1:22', pid: process.pid, host: hostname() },
      ...{ since: expect.stringMatching(/Z$/), started: expect.anything(), clients: [CLIENT] },
    },
  ]);
  expect(statSync(join(state, 'doors')).mode & 0o777).toBe(0o700);
  door.remove();
  door.remove();
  expect(openDoors(state)).toEqual([]);
});

test('of a door whose process is gone nothing is left; of another machine it is not known, and shown', () => {
  const state = place();
  new DoorFile(state, 'mcp', 'stdio', 'own').write([]);
  const own = JSON.parse(readFileSync(join(state, 'doors', 'own.json'), 'utf8'));
  const { pid } = spawnSync('true');
  const put = (name: string, more: object) =>
    writeFileSync(join(state, 'doors', name), JSON.stringify({ ...own, ...more }));
  put('dead.json', { pid });
  // A later process of the same number.
  put('later.json', { started: '1' });
  put('elsewhere.json', { host: 'elsewhere', pid, since: '2026-01-01T00:00:00.000Z' });
  put('odd.json', { clients: [{ ...CLIENT, visits: -1 }] });
  writeFileSync(join(state, 'doors', 'broken.json'), '{');
  writeFileSync(join(state, 'doors', 'notes.txt'), '');
  expect(openDoors(state).map(({ host }) => host)).toEqual(['elsewhere', hostname()]);
  expect(readdirSync(join(state, 'doors')).sort()).toEqual([
    'elsewhere.json',
    'notes.txt',
    'own.json',
  ]);
});

test('the one opened longest ago comes first', () => {
  const state = place();
  mkdirSync(join(state, 'doors'));
  new DoorFile(state, 'mcp', 'b', 'b').write([]);
  const text = readFileSync(join(state, 'doors', 'b.json'), 'utf8');
  writeFileSync(
    join(state, 'doors', 'a.json'),
    JSON.stringify({ ...JSON.parse(text), address: 'a', since: '2999-01-01T00:00:00.000Z' }),
  );
  expect(openDoors(state).map(({ address }) => address)).toEqual(['b', 'a']);
  expect(existsSync(join(state, 'doors', 'a.json'))).toBe(true);
});
