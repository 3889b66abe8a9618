/** A turn as it is seen in a channel while it runs: what is typed, begun and edited, and when. */
import { expect, onTestFinished, test } from 'vitest';
import type { TransientEvent } from '../../session/events.ts';
import type { FeedEvent } from '../feed.ts';
import type { OpenChannel } from './contract.ts';
import { ChannelLedger } from './ledger.ts';
import { LiveTurn, liveOf } from './live.ts';

/** A clock on which the test alone goes on. */
class Clock {
  now = 0;
  #waiting: { until: number; wake: () => void }[] = [];

  readonly wait = (ms: number, ended: AbortSignal): Promise<void> =>
    new Promise((wake) => {
      if (ended.aborted) return wake();
      this.#waiting.push({ until: this.now + ms, wake });
      ended.addEventListener('abort', () => wake());
    });

  async pass(ms: number): Promise<void> {
    const end = this.now + ms;
    for (;;) {
      await new Promise(setImmediate);
      const next = Math.min(...this.#waiting.map(({ until }) => until));
      if (next > end) break;
      this.now = next;
      const due = this.#waiting.filter(({ until }) => until <= next);
      this.#waiting = this.#waiting.filter((each) => !due.includes(each));
      for (const { wake } of due) wake();
    }
    this.now = end;
  }
}

/** A turn that is shown, with what the service was asked, and when. */
function show(service: Partial<OpenChannel> = {}, mostText = 1_000) {
  const clock = new Clock();
  const ledger = new ChannelLedger(':memory:', () => clock.now);
  const asked: [at: number, what: string, ...rest: unknown[]][] = [];
  const news: FeedEvent[] = [];
  let more = Promise.withResolvers<void>();
  const note =
    (what: string) =>
    async (...rest: unknown[]): Promise<void> =>
      void asked.push([clock.now, what, ...rest]);
  const live = new LiveTurn({
    channel: 'c',
    turn: 'turn',
    thread: 'thread',
    open: {
      send: async () => 'remote',
      close: async () => undefined,
      edit: note('edit'),
      showTyping: note('typing'),
      ...service,
    },
    ledger,
    follow: async function* (signal) {
      signal.addEventListener('abort', () => more.resolve());
      while (!signal.aborted) {
        const next = news.shift();
        if (next !== undefined) yield next;
        else {
          await more.promise;
          more = Promise.withResolvers();
        }
      }
    },
    begin: (text) => {
      asked.push([clock.now, 'begin', text]);
      ledger.post('c', { purpose: liveOf('turn'), thread: 'thread', text });
    },
    mostText,
    wait: clock.wait,
  });
  onTestFinished(async () => {
    await live.end();
    ledger.close();
  });
  const tell = (event: Omit<TransientEvent, 'transient'>): void => {
    news.push({ kind: 'passing', event: { transient: true, ...event } as TransientEvent });
    more.resolve();
  };
  return {
    clock,
    live,
    news,
    tell,
    says: (text: string) => tell({ type: 'text-delta', text }),
    /** The message that grows has arrived. */
    arrives: () => {
      const { id } = ledger.find('c', liveOf('turn')) ?? { id: '' };
      ledger.sending(id);
      ledger.sent(id, 'remote');
      return id;
    },
    asked: (what: string) => asked.filter(([, each]) => each === what),
  };
}

test('typing is shown at once and every four seconds, until the turn ends, though the service fails at it', async () => {
  const { clock, live, asked } = show();
  await clock.pass(9_000);
  await live.end();
  await clock.pass(9_000);
  expect(asked('typing')).toEqual([0, 4_000, 8_000].map((at) => [at, 'typing', 'thread']));
  let count = 0;
  const failing = show({
    showTyping: async () => {
      count += 1;
      throw new Error('not now');
    },
  });
  await failing.clock.pass(5_000);
  expect(count).toBe(2);
});

test('a service that shows no typing, or edits nothing, is not asked to', async () => {
  const { clock, live, says, asked } = show({ edit: undefined, showTyping: undefined } as object);
  says('an answer');
  await clock.pass(10_000);
  expect(asked('begin')).toEqual([]);
  await live.end();
});

test('a message is put down once there is text for 2.5 s, and grows with it from when it arrived, not oftener than every 3 s', async () => {
  const { clock, says, arrives, asked } = show();
  await clock.pass(1_000);
  says('One');
  await clock.pass(2_900);
  expect(asked('begin')).toEqual([]);
  says(' two');
  await clock.pass(200);
  expect(asked('begin')).toEqual([[4_000, 'begin', 'One two …']]);
  says(' three');
  await clock.pass(6_000);
  expect([asked('begin').length, asked('edit')]).toEqual([1, []]);
  const key = arrives();
  says(' four');
  await clock.pass(9_000);
  const message = { key, thread: 'thread', buttons: [], isExact: false, files: [] };
  expect(asked('edit')).toEqual([
    [13_000, 'edit', 'remote', { ...message, text: 'One two three four …' }],
  ]);
});

test('a turn that ends sooner puts no message down', async () => {
  const { clock, live, says, asked } = show();
  says('soon');
  await clock.pass(2_000);
  await live.end();
  await clock.pass(10_000);
  expect(asked('begin')).toEqual([]);
});

test('what is said between two commands is not its answer, and nothing but what is said is shown', async () => {
  const { clock, news, says, tell, asked, arrives } = show();
  says('Let me look.');
  tell({ type: 'tool-start', text: 'ls' });
  news.push({ kind: 'turn', turn: {} } as FeedEvent);
  tell({ type: 'reasoning-delta', text: 'hm' });
  tell({ type: 'text-delta', text: 7 });
  await clock.pass(10_000);
  expect(asked('begin')).toEqual([]);
  says('  \n');
  says('It is 3.  ');
  await clock.pass(6_000);
  expect(asked('begin').map(([, , text]) => text)).toEqual(['It is 3. …']);
  arrives();
  tell({ type: 'tool-start' });
  await clock.pass(6_000);
  expect(asked('edit')).toEqual([]);
});

test('a text that stands there already is no edit, and one that fails is not tried again until there is more', async () => {
  const texts: string[] = [];
  const { clock, says, arrives } = show({
    edit: async (_, { text }) => {
      texts.push(text);
      throw new Error('too many edits');
    },
  });
  says('One');
  await clock.pass(4_000);
  arrives();
  await clock.pass(9_000);
  expect(texts).toEqual([]);
  says(' two');
  await clock.pass(9_000);
  says(' three');
  await clock.pass(9_000);
  expect(texts).toEqual(['One two …', 'One two three …']);
});

test('of a long text the beginning is shown, with room for what a service adds', async () => {
  const { clock, says, asked } = show({}, 300);
  says('x'.repeat(500));
  await clock.pass(4_000);
  expect(asked('begin').map(([, , text]) => text)).toEqual([`${'x'.repeat(200)} …`]);
});
