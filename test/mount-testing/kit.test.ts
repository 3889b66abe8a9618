/** The trials of dirigent/mount/testing: right for a mount that is right, and each fails for what it is there for. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  conformance,
  faults,
  hostileNames,
  killAt,
  lostAnswers,
  removals,
  requestCounts,
  type StandIn,
  type Subject,
  testSubject,
  twoWriters,
} from '../../src/mount-testing/index.ts';
import { templatePackage } from './template.ts';

interface Item {
  id: string;
  title: string;
  state: string;
  text: string;
}
type Held = readonly Item[];

const WRITES = {
  create: {
    what: 'a new item',
    path: '/items/new.md',
    content: () => '---\ntitle: Only once\n---\n\nThe text\n',
    made: (held: Held) => held.filter(({ title }) => title === 'Only once').length,
  },
  edit: {
    what: 'an edit',
    path: '/items/i1.md',
    content: (text: string) => text.replace('state: open', 'state: done'),
    made: (held: Held) => held.filter(({ state }) => state === 'done').length,
  },
};

async function subject(spoil: Readonly<Record<string, string>> = {}): Promise<Subject<Held>> {
  const directory = templatePackage(spoil);
  const server = (await import(pathToFileURL(join(directory, 'fake-server.js')).href)) as {
    startFakeServer(): Promise<StandIn<Held>>;
    TOKEN: string;
  };
  const made = await testSubject<Held>({
    name: 'acme',
    module: pathToFileURL(join(directory, 'index.js')),
    start: server.startFakeServer,
    token: server.TOKEN,
    places: { list: '/items', record: '/items/i1.md' },
    writes: Object.values(WRITES),
  });
  onTestFinished(() => made[Symbol.asyncDispose]());
  return made;
}

describe('a mount that is right passes', () => {
  test('conformance, request counts and hostile names', async () => {
    const one = await subject();
    expect(await conformance(one)).toBeGreaterThanOrEqual(6);
    expect(await requestCounts(one, { list: 1, read: 0 })).toMatchObject({ list: 1, readAgain: 0 });
    await hostileNames(one);
  });

  test('removals at the service: by listing and by name', async () => {
    expect(await removals(await subject())).toBe(5);
  });

  test('faults', async () => faults(await subject()));

  test('lost answers: four ways for each request of each write', async () => {
    expect(await lostAnswers(await subject())).toBeGreaterThanOrEqual(8);
  });

  test('a kill between request and answer, and two writers', async () => {
    const one = await subject();
    expect((await killAt(one, WRITES.create, 'answered')).killed).toBe(true);
    expect(await twoWriters(one, (held) => held.map(({ text }) => text))).toBeGreaterThanOrEqual(3);
  });
});

describe('a mount that is wrong is found out', () => {
  test('by lost answers, when it sends again what may have been made', async () => {
    const spoilt = await subject({
      '...query, key }': '...query }',
      '.key === body.key': ".key === 'nobody'",
    });
    await expect(lostAnswers(spoilt)).rejects.toThrow(
      /a new item, request .*: it was made 2 times/,
    );
  });

  test('by a kill, when what was made is taken for nothing', async () => {
    const spoilt = await subject({ '.key === body.key': ".key === 'nobody'" });
    await expect(killAt(spoilt, WRITES.create, 'answered')).rejects.toThrow(/it was made 1 times/);
  });

  test('by faults, when a failure is nothing there', async () => {
    const spoilt = await subject({ 'list: all': 'list: (at) => all(at).catch(() => [])' });
    await expect(faults(spoilt)).rejects.toThrow(/it did not fail/);
  });

  test('by removals, when what is gone is served as it was', async () => {
    const spoilt = await subject({
      'get: (id, { client }, etag) => client.get(`items/${encodeURIComponent(id)}`, etag),': '',
      'list: all,':
        "list: async (at, since) => ({ rows: await all(at), cursor: since ?? 'x', covers: () => false }),",
    });
    await expect(removals(spoilt)).rejects.toThrow(/is in no listing, all others are/);
  });

  test('by hostile names, when names are titles', async () => {
    const spoilt = await subject({
      'key: ({ id }) => id,': 'key: ({ id }) => id, name: ({ title }) => title,',
      '/^i\\d+$/': '/^(?!new$|index$)[^]+$/',
    });
    await expect(hostileNames(spoilt)).rejects.toThrow();
  });

  test('by request counts, when it asks for each record of its listing', async () => {
    const spoilt = await subject({
      'list: all,': '',
      'get: (id,': "names: () => ['i1', 'i2'], get: (id,",
    });
    await expect(requestCounts(spoilt, { read: 0 })).rejects.toThrow(/read: 1 requests, and 0/);
  });
});
