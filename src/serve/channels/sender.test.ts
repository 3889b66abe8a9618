/** Messages on their way out: in order, once, and what becomes of those that no answer came for. */
import { expect, onTestFinished, test } from 'vitest';
import { NotSent, type OpenChannel, type OutgoingMessage } from './contract.ts';
import { ChannelLedger, type Post, type PostDraft } from './ledger.ts';
import { ChannelSender } from './sender.ts';

interface Said extends Omit<OutgoingMessage, 'key' | 'buttons'> {
  edits?: string;
}

/** A channel to a service that does what a test says. */
function meet(service: Partial<OpenChannel> = {}) {
  const clock = { now: 1_000_000 };
  const ledger = new ChannelLedger(':memory:', () => clock.now);
  const said: Said[] = [];
  const faults: unknown[] = [];
  const unknown: string[] = [];
  const settled: string[] = [];
  const open: OpenChannel = {
    send: async ({ key: _, buttons: __, ...message }) => `remote ${said.push(message)}`,
    close: async () => undefined,
    ...service,
  };
  const sender = new ChannelSender({
    channel: 'c',
    open,
    ledger,
    read: async ({ files: [path = ''] }) =>
      path.startsWith('/none') ? `${path} is not there` : { name: path, bytes: Buffer.from('x') },
    settled: async (purpose) => void settled.push(purpose),
    onUnknown: ({ purpose }: Post) => unknown.push(purpose),
    now: () => clock.now,
    onFault: (error) => faults.push(error),
  });
  onTestFinished(async () => {
    await sender.close();
    ledger.close();
  });
  const post = (purpose: string, more: Partial<PostDraft> = {}): void => {
    ledger.post('c', { purpose, thread: 't', text: purpose, ...more });
    sender.wake();
  };
  /** Waits until a post is as it should be. */
  const until = (purpose: string, expected: Partial<Post>) =>
    expect.poll(() => ledger.find('c', purpose), { interval: 5 }).toMatchObject(expected);
  const texts = (): string[] => said.map(({ text }) => text);
  return { ledger, sender, clock, said, texts, faults, unknown, settled, post, until };
}

test('messages of a thread arrive in their order, each once, and each is known by the service’s id', async () => {
  const { sender, texts, post, until } = meet();
  post('one');
  sender.start();
  post('two');
  post('three');
  await until('three', { state: 'sent', remote: 'remote 3', attempts: 1 });
  await until('one', { state: 'sent', remote: 'remote 1' });
  expect(texts()).toEqual(['one', 'two', 'three']);
});

test('what people decide on is sent as it is; nothing else is', async () => {
  const { sender, said, post, until } = meet();
  const exact = ['approval:1', 'answered:1', 'question:1', 'settled:1'];
  for (const purpose of [...exact, 'answer:1', 'refused:approval:1']) post(purpose);
  sender.start();
  await until('refused:approval:1', { state: 'sent' });
  expect(said.filter(({ isExact }) => isExact).map(({ text }) => text)).toEqual(exact);
});

test('a file is sent with its bytes, and one that cannot be read is told of in its place', async () => {
  const { sender, said, post, until } = meet();
  post('file:1', { files: ['/workspace/a'] });
  post('file:2', { files: ['/none/b'] });
  sender.start();
  await until('file:2', { state: 'sent' });
  expect(said.map(({ text, files }) => [text, files.map(({ name }) => name)])).toEqual([
    ['file:1', ['/workspace/a']],
    ['/none/b is not there', []],
  ]);
});

test('what certainly did not arrive is tried again when the service says, later each time, and given up where it is no use', async () => {
  const answers: unknown[] = [
    new NotSent('busy', 60_000),
    new NotSent('busy', 0),
    new NotSent('busy', 0),
    new NotSent('not allowed', null),
  ];
  const { sender, clock, post, until, ledger } = meet({
    send: () => Promise.reject(answers.shift()),
  });
  post('one');
  sender.start();
  await until('one', { state: 'waiting', notBefore: clock.now + 60_000, attempts: 1 });
  clock.now += 60_000;
  sender.wake();
  await until('one', { state: 'waiting', notBefore: clock.now + 2_000, attempts: 2 });
  clock.now += 1_999;
  sender.wake();
  await new Promise(setImmediate);
  expect(ledger.find('c', 'one')).toMatchObject({ attempts: 2 });
  clock.now += 1;
  sender.wake();
  await until('one', { state: 'waiting', notBefore: clock.now + 4_000, attempts: 3 });
  clock.now += 4_000;
  sender.wake();
  await until('one', { state: 'failed', attempts: 4 });
});

test('where no answer came the service is asked, and what it does not know of is sent once more', async () => {
  const found: (string | null)[] = [null, 'found'];
  const asked: number[] = [];
  let sent = 0;
  const { sender, clock, post, until } = meet({
    send: () => {
      sent += 1;
      clock.now += 3_000;
      return Promise.reject(new Error('reset'));
    },
    find: async (_, sentAt) => {
      asked.push(sentAt);
      return found.shift();
    },
  });
  const begun = clock.now;
  post('one');
  sender.start();
  await until('one', { state: 'sent', remote: 'found', attempts: 2 });
  expect([sent, asked]).toEqual([2, [begun, begun + 3_000]]);
});

test('what the service can never tell of is unknown, is said to be, and is not sent again', async () => {
  const without = meet({ send: () => Promise.reject(new Error('reset')) });
  without.post('one');
  without.sender.start();
  await without.until('one', { state: 'unknown', attempts: 1 });
  expect(without.unknown).toEqual(['one']);
  const { sender, clock, post, until, unknown } = meet({
    send: () => {
      clock.now += 3_000;
      return Promise.reject(new Error('reset'));
    },
    find: async () => undefined,
  });
  post('one');
  sender.start();
  await until('one', { state: 'unknown', attempts: 1 });
  expect(unknown).toEqual(['one']);
});

test('what an earlier process was sending is asked about, or unknown where that cannot be asked', async () => {
  const { ledger, sender, clock, post, until, said } = meet({ find: async () => 'found' });
  post('one');
  ledger.sending(ledger.find('c', 'one')?.id ?? '');
  clock.now += 3_000;
  sender.start();
  await until('one', { state: 'sent', remote: 'found' });
  const other = meet();
  other.post('one');
  other.ledger.sending(other.ledger.find('c', 'one')?.id ?? '');
  other.sender.start();
  await other.until('one', { state: 'unknown' });
  expect([said, other.said, other.unknown]).toEqual([[], [], ['one']]);
});

test('an edit takes the place of its message once nothing else edits it; without one an answer is sent, and a mere closing is not', async () => {
  const edits: string[] = [];
  const { sender, post, until, texts, settled } = meet({
    edit: async (id, { text }) => void edits.push(`${id}: ${text}`),
  });
  post('live:1');
  sender.start();
  await until('live:1', { state: 'sent' });
  post('answer:1', { edits: 'live:1' });
  post('answer:2', { edits: 'live:2' });
  post('closed:3', { edits: 'approval:3' });
  await until('closed:3', { state: 'failed' });
  await until('answer:1', { state: 'sent', remote: 'remote 1' });
  expect(edits).toEqual(['remote 1: answer:1']);
  expect(settled).toEqual(['live:1', 'live:2', 'approval:3']);
  expect(texts()).toEqual(['live:1', 'answer:2']);
  const fixed = meet();
  fixed.post('live:1');
  fixed.sender.start();
  await fixed.until('live:1', { state: 'sent' });
  fixed.post('answer:1', { edits: 'live:1' });
  await fixed.until('answer:1', { state: 'sent', edits: null });
});

test('an edit that failed is tried again, for it does no harm twice; refused for good, an answer is sent', async () => {
  const answers: unknown[] = [
    new Error('reset'),
    new NotSent('busy', 9_000),
    new NotSent('gone', null),
  ];
  const { sender, clock, post, until, texts } = meet({
    edit: () => Promise.reject(answers.shift()),
  });
  post('live:1');
  sender.start();
  await until('live:1', { state: 'sent' });
  post('answer:1', { edits: 'live:1' });
  await until('answer:1', { state: 'waiting', attempts: 1, notBefore: clock.now + 1_000 });
  clock.now += 1_000;
  sender.wake();
  await until('answer:1', { state: 'waiting', attempts: 2, notBefore: clock.now + 9_000 });
  clock.now += 9_000;
  sender.wake();
  await until('answer:1', { state: 'sent', edits: null });
  expect(texts()).toEqual(['live:1', 'answer:1']);
});

test('whoever closes it waits for what is being sent, and nothing is begun after that', async () => {
  const going = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<void>();
  const { sender, post, ledger } = meet({
    send: () => {
      begun.resolve();
      return going.promise;
    },
  });
  post('one');
  post('two');
  sender.start();
  await begun.promise;
  let isClosed = false;
  const closing = sender.close().then(() => {
    isClosed = true;
  });
  await new Promise(setImmediate);
  expect(isClosed).toBe(false);
  going.resolve('r');
  await closing;
  expect(ledger.find('c', 'one')).toMatchObject({ state: 'sent' });
  expect(ledger.find('c', 'two')).toMatchObject({ state: 'waiting' });
});
