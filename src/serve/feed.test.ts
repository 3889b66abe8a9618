/** What happens in sessions, for those who follow them. */
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { testPlace, through, UNSYNCED } from '../../test/session/support.ts';
import type { SessionPlace } from '../session/file.ts';
import type { SessionLog } from '../session/log.ts';
import { createSession } from '../session/open.ts';
import { type FeedEvent, SessionFeeds } from './feed.ts';
import type { QueuedTurn } from './queue/turn.ts';
import { ServedSessions } from './sessions.ts';

// A file is looked at from time to time: no test waits for it.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => void vi.useRealTimers());

/** A session with two messages, and its feeds. */
function open() {
  const place = through(UNSYNCED, testPlace());
  const reading = { opened: 0, open: 0 };
  const store: SessionPlace['store'] = Object.assign(Object.create(place.store), {
    read: (id: string) => {
      const reader = place.store.read(id);
      reading.opened += 1;
      reading.open += 1;
      return Object.assign(Object.create(reader), {
        read: (into: Uint8Array, at: number) => reader.read(into, at),
        close: () => {
          reading.open -= 1;
          reader.close();
        },
      });
    },
  });
  const log = createSession(place);
  onTestFinished(() => log.close());
  const ids = ['one', 'two'].map((text) => say(log, text));
  const feeds = new SessionFeeds(new ServedSessions({ ...place, store }));
  return { place, log, ids, feeds, reading };
}

const say = (log: SessionLog, content: string): string => log.message({ role: 'user', content }).id;

/** A follower, with what it was told: the messages' texts, and whatever else. */
function follower(feeds: SessionFeeds, session: string, after: string | null = null) {
  const end = new AbortController();
  onTestFinished(() => end.abort());
  const events = feeds.follow(session, after, end.signal);
  const next = async (): Promise<unknown> => shown((await events.next()).value);
  return { end, events, next };
}

function shown(news: FeedEvent | undefined): unknown {
  if (news?.kind !== 'entry') return news;
  return (news.entry['message'] as { content?: unknown } | undefined)?.content;
}

test('one follows from an entry that is known, from the beginning, or from now on', async () => {
  const { log, ids, feeds } = open();
  const [all, behind, fresh] = ['', ids[0] ?? '', null].map((after) =>
    follower(feeds, log.id, after),
  );
  expect([await all?.next(), await all?.next()]).toEqual(['one', 'two']);
  expect(await behind?.next()).toBe('two');
  const first = fresh?.next();
  say(log, 'three');
  feeds.publish(log.id, log.message({ role: 'user', content: 'four' }));
  expect([await first, await fresh?.next()]).toEqual(['three', 'four']);
  expect([await all?.next(), await behind?.next()]).toEqual(['three', 'three']);
});

test('what another process writes is found, though nobody tells of it', async () => {
  const { log, feeds } = open();
  const { next } = follower(feeds, log.id);
  const found = next();
  // It has looked, and waits.
  await new Promise(setImmediate);
  say(log, 'from elsewhere');
  vi.advanceTimersByTime(1_000);
  expect(await found).toBe('from elsewhere');
});

test('what passes is told to those who follow that session, bytes as text', async () => {
  const { place, log, feeds } = open();
  const beside = createSession(place);
  onTestFinished(() => beside.close());
  say(beside, 'elsewhere');
  const { next } = follower(feeds, log.id);
  const other = follower(feeds, beside.id);
  const [first, ofOther] = [next(), other.next()];
  const printed = { transient: true as const, type: 'stdout', bytes: Uint8Array.of(0xe2, 0x82) };
  feeds.publish(log.id, printed);
  feeds.publish(log.id, { transient: true, type: 'text-delta', text: 'a' });
  const turn = { id: 't', session: log.id } as QueuedTurn;
  feeds.publishTurn(turn);
  expect([await first, await next(), await next()]).toEqual([
    { kind: 'passing', event: { transient: true, type: 'stdout', base64: '4oI=' } },
    { kind: 'passing', event: { transient: true, type: 'text-delta', text: 'a' } },
    { kind: 'turn', turn },
  ]);
  other.end.abort();
  expect(await ofOther).toBeUndefined();
});

test('who reads too slowly loses of what passes, and no entry', async () => {
  const { log, feeds } = open();
  const { next } = follower(feeds, log.id);
  const first = next();
  await new Promise(setImmediate);
  const delta = (text: number) => ({ transient: true as const, type: 'text-delta', text });
  for (let at = 0; at < 10_005; at++) feeds.publish(log.id, delta(at));
  feeds.publish(log.id, log.message({ role: 'user', content: 'three' }));
  let told: unknown = await first;
  let count = 0;
  for (; told !== 'three'; told = await next()) {
    expect(told).toEqual({ kind: 'passing', event: delta(count) });
    count += 1;
  }
  expect(count).toBe(10_000);
});

test('however many follow a session, its log is read once, and let go of with the last of them', async () => {
  const { log, feeds, reading } = open();
  expect(feeds.size).toBe(0);
  const [one, two] = [follower(feeds, log.id, ''), follower(feeds, log.id, '')];
  expect([await one.next(), await two.next()]).toEqual(['one', 'one']);
  expect([feeds.size, reading]).toEqual([2, { opened: 1, open: 1 }]);
  one.end.abort();
  expect(await one.next()).toBeUndefined();
  expect([feeds.size, reading.open]).toEqual([1, 1]);
  expect(await two.next()).toBe('two');
  const waiting = two.next();
  two.end.abort();
  expect(await waiting).toBeUndefined();
  expect([feeds.size, reading.open, vi.getTimerCount()]).toEqual([0, 0, 0]);
});

test('a session or an entry that is not there is refused at once, and nothing stays open for it', () => {
  const { log, feeds, reading } = open();
  const { signal } = new AbortController();
  const refused = (reason: string) => expect.objectContaining({ code: 'ENOENT', reason });
  const none = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
  expect(() => feeds.follow(none, null, signal)).toThrow(refused(`there is no session ${none}`));
  expect(() => feeds.follow(log.id, 'none', signal)).toThrow(
    refused(`session ${log.id} has no entry none`),
  );
  expect([feeds.size, reading]).toEqual([0, { opened: 1, open: 0 }]);
});
