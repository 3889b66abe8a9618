/** The trials that a mount from outside passes, on a described service. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import {
  conformance,
  faults,
  hostileNames,
  kills,
  lostAnswers,
  requestCounts,
  testSubject,
  twoWriters,
} from '../../src/mount-testing/index.ts';
import { HARBOUR, KEY, type Ship, startHarbour } from './testing.ts';

const directory = mkdtempSync(join(tmpdir(), 'dirigent-openapi-trials-'));
const file = join(directory, 'harbour.json');
writeFileSync(file, JSON.stringify(HARBOUR));
afterAll(() => rmSync(directory, { recursive: true }));

/** What is listed alone: a text of our own is told from another by its description. */
const harbour = () =>
  testSubject<Ship[]>({
    name: 'harbour',
    module: new URL('../../test/services/openers/openapi.ts', import.meta.url),
    token: KEY,
    options: { file },
    places: { list: '/ships', record: '/ships/1.md' },
    start: async () => {
      const service = await startHarbour();
      return {
        url: service.url,
        held: () => service.ships,
        add: (name) => {
          service.ships.push({ id: service.ships.length + 100, name });
        },
        close: () => service.close(),
      };
    },
    writes: [
      {
        what: 'a new ship',
        path: '/ships/new.md',
        content: () => '---\nname: Only once\n---\n\nNew text\n',
        made: (ships) => ships.filter(({ name }) => name === 'Only once').length,
      },
      {
        what: 'an edit',
        path: '/ships/1.md',
        content: (before) =>
          before.replace('name: First', 'name: Mine').replace('Body of 1', 'My text'),
        made: (ships) =>
          ships.filter((one) => one.name === 'Mine' && one.description === 'My text').length,
      },
      {
        what: 'a removed ship',
        path: '/ships/2.md',
        content: () => null,
        made: (ships) => (ships.some(({ id }) => id === 2) ? 0 : 1),
      },
    ],
  });

it('what holds for every mount, and what is fresh costs nothing', async () => {
  await using subject = await harbour();
  expect(await conformance(subject)).toBeGreaterThan(10);
  expect(await requestCounts(subject)).toMatchObject({ listAgain: 0, readAgain: 0 });
});

it.each([
  ['faults', faults],
  ['hostile names', hostileNames],
  ['lost answers', lostAnswers],
  ['kills', kills],
] as const)('%s', async (_name, trial) => {
  await using subject = await harbour();
  await trial(subject);
});

it('two writers', async () => {
  await using subject = await harbour();
  const texts = (ships: Ship[]) => ships.map(({ description = '' }) => description);
  expect(await twoWriters(subject, texts)).toBeGreaterThan(2);
});
