// @ts-check
/** The mount against the stand-in: `npm test`. */
import { equal, match } from 'node:assert/strict';
import { after, before, test } from 'node:test';
import {
  conformance,
  faults,
  hostileNames,
  kills,
  lostAnswers,
  removals,
  requestCounts,
  testSubject,
  text,
  twoWriters,
  write,
} from 'dirigent/mount/testing';
import { startFakeServer, TOKEN } from './fake-server.js';

const RECORD = '/items/i1.md';
const NEW = '---\ntitle: Only once\nstate: open\n---\n\nThe text\n';

let subject;
before(async () => {
  subject = await testSubject({
    name: '@SLUG@',
    module: new URL('./index.js', import.meta.url),
    start: startFakeServer,
    token: TOKEN,
    places: { list: '/items', record: RECORD },
    // What is written, and how often the service holds it afterwards.
    writes: [
      {
        what: 'a new item',
        path: '/items/new.md',
        content: () => NEW,
        made: (held) => held.filter(({ title }) => title === 'Only once').length,
      },
      {
        what: 'an edit',
        path: RECORD,
        content: (text) => text.replace('state: open', 'state: done'),
        made: (held) => held.filter(({ state }) => state === 'done').length,
      },
      {
        what: 'a removal',
        path: RECORD,
        content: () => null,
        made: (held) => (held.some(({ id }) => id === 'i1') ? 0 : 1),
      },
    ],
  });
});
after(() => subject[Symbol.asyncDispose]());

test('an item is a file that is read and written', async () => {
  const bench = await subject.bench();
  try {
    const mount = bench.mount();
    match(
      await text(mount, RECORD),
      /^---\nid: i1\ntitle: First\nstate: open\n---\n\nThe first text\n$/,
    );
    await write(mount, '/items/new.md', NEW);
    equal(await text(mount, '/items/.last'), '/mnt/it/items/i3.md\n');
    match(await text(mount, '/items/index.tsv'), /^i3\topen\tOnly once$/m);
  } finally {
    bench.end();
  }
});

test('what holds for every mount', () => conformance(subject));
test('a service that is down, refuses, or answers nonsense', () => faults(subject));
test('the answer to each request of each write lost in every way', () => lostAnswers(subject));
test('a process that is killed at each step of each write', () => kills(subject));
test('two processes that write one item at once', () =>
  twoWriters(subject, (held) => held.map(({ text }) => text)));
test('titles that would break a name, a line or a terminal', () => hostileNames(subject));
test('what others remove at the service', () => removals(subject));
test('what reading costs', () =>
  requestCounts(subject, { list: 1, read: 0, readAlone: 1, prefetch: 1 }));
