/** The rows of channels: what came, what goes out, what is remembered. */
import { expect, onTestFinished, test } from 'vitest';
import { ChannelLedger, type PostDraft } from './ledger.ts';

function open() {
  const clock = { now: 1_000 };
  const ledger = new ChannelLedger(':memory:', () => clock.now);
  onTestFinished(() => ledger.close());
  return { ledger, clock };
}

const draft = (purpose: string, more: Partial<PostDraft> = {}): PostDraft => ({
  purpose,
  thread: 't',
  text: purpose,
  ...more,
});

const purposes = (posts: readonly { purpose: string }[]): string[] =>
  posts.map(({ purpose }) => purpose);

test('a message is taken once for each channel, and is open until its answer is put down', () => {
  const { ledger } = open();
  const file = { id: 'f', name: 'a.txt', size: 1, reference: { id: 'r' } };
  const message = { sourceId: 'm', thread: 't', draft: null, files: [file] };
  expect(ledger.knows('one', 'm')).toBe(false);
  expect([ledger.receive('one', message), ledger.receive('one', message)]).toEqual([true, false]);
  expect(ledger.receive('two', message, true)).toBe(true);
  expect([ledger.knows('one', 'm'), ledger.knows('two', 'm')]).toEqual([true, true]);
  expect(ledger.openMessage('one', 'm')).toEqual(message);
  expect(ledger.openMessage('two', 'm')).toBeNull();
  expect(ledger.openMessage('one', 'other')).toBeNull();
  const draftOf = { session: 's', prompt: 'p' } as unknown as NonNullable<
    ReturnType<ChannelLedger['openMessages']>[number]['draft']
  >;
  ledger.receive('one', { ...message, sourceId: 'n', draft: draftOf });
  expect(ledger.openMessages('one').map((each) => each.draft)).toEqual([null, draftOf]);
  ledger.answer('one', 'm', [draft('answer:1'), draft('answer:2')]);
  expect(ledger.openMessages('one').map(({ sourceId }) => sourceId)).toEqual(['n']);
  expect(purposes(ledger.nextPosts('one'))).toEqual(['answer:1']);
  expect(ledger.nextPosts('two')).toEqual([]);
});

test('what is to be sent is put down once for a purpose, whole, and found by it', () => {
  const { ledger, clock } = open();
  const button = { label: 'Allow', token: 'abc' };
  const whole = { buttons: [button], files: ['/workspace/a'], turn: 'q1', edits: 'live:q1' };
  expect(ledger.post('c', draft('answer:q1', { ...whole, text: 'half a \ud83d pair' }))).toBe(true);
  expect(ledger.post('c', draft('answer:q1', { text: 'other' }))).toBe(false);
  const post = ledger.find('c', 'answer:q1');
  expect(post).toMatchObject({ ...whole, channel: 'c', thread: 't', text: 'half a \ufffd pair' });
  expect(post).toMatchObject({ state: 'waiting', remote: null, attempts: 0, notBefore: 0 });
  expect(post).toMatchObject({ sentAt: null });
  ledger.post('c', draft('plain'));
  expect(ledger.find('c', 'plain')).toMatchObject({
    buttons: [],
    files: [],
    turn: null,
    edits: null,
  });
  expect([ledger.find('c', 'none'), ledger.find('d', 'plain')]).toEqual([null, null]);
  clock.now = 2_000;
  ledger.sending(post?.id ?? '');
  expect(ledger.find('c', 'answer:q1')).toMatchObject({
    state: 'sending',
    attempts: 1,
    sentAt: 2_000,
  });
  ledger.again(post?.id ?? '', 9_000, 'late');
  expect(ledger.find('c', 'answer:q1')).toMatchObject({ state: 'waiting', notBefore: 9_000 });
  ledger.sendInstead(post?.id ?? '');
  expect(ledger.find('c', 'answer:q1')).toMatchObject({ state: 'waiting', edits: null });
  ledger.sent(post?.id ?? '', 'remote');
  expect(ledger.find('c', 'answer:q1')).toMatchObject({ state: 'sent', remote: 'remote' });
});

test('in each thread one is next, the oldest that has not arrived, whatever waits in others', () => {
  const { ledger } = open();
  for (const [purpose, thread] of [
    ['a1', 'a'],
    ['b1', 'b'],
    ['a2', 'a'],
    ['b2', 'b'],
  ] as const)
    ledger.post('c', draft(purpose, { thread }));
  const id = (purpose: string): string => ledger.find('c', purpose)?.id ?? '';
  expect(purposes(ledger.nextPosts('c'))).toEqual(['a1', 'b1']);
  ledger.sending(id('a1'));
  expect(purposes(ledger.nextPosts('c'))).toEqual(['a1', 'b1']);
  ledger.sent(id('a1'), 'r');
  ledger.ended(id('b1'), 'unknown', 'who knows');
  expect(purposes(ledger.nextPosts('c'))).toEqual(['a2', 'b2']);
  ledger.ended(id('b2'), 'failed', 'no');
  expect(purposes(ledger.nextPosts('c'))).toEqual(['a2']);
  expect(purposes(ledger.unknownPosts('c', 'b'))).toEqual(['b1']);
  expect(ledger.unknownPosts('c', 'a')).toEqual([]);
  expect(ledger.counts()).toEqual([
    { channel: 'c', state: 'failed', posts: 1 },
    { channel: 'c', state: 'sent', posts: 1 },
    { channel: 'c', state: 'unknown', posts: 1 },
    { channel: 'c', state: 'waiting', posts: 1 },
  ]);
});

test('what a thread was shown for a purpose is what arrived, or may have; it is counted since a time', () => {
  const { ledger, clock } = open();
  for (const purpose of ['approval:1', 'approval:2', 'approval:3', 'approved', 'other']) {
    ledger.post('c', draft(purpose));
    clock.now += 100;
  }
  const id = (purpose: string): string => ledger.find('c', purpose)?.id ?? '';
  ledger.sent(id('approval:2'), 'r');
  ledger.ended(id('approval:1'), 'unknown', '');
  ledger.ended(id('approval:3'), 'failed', '');
  expect(purposes(ledger.shownFor('c', 't', 'approval:'))).toEqual(['approval:1', 'approval:2']);
  expect(ledger.shownFor('c', 'other', 'approval:')).toEqual([]);
  expect(ledger.countSince('c', 'approval:', 0)).toBe(3);
  expect(ledger.countSince('c', 'approval:', 1_100)).toBe(2);
  expect(ledger.countSince('c', 'appro', 1_300)).toBe(1);
  expect(ledger.countSince('d', 'approval:', 0)).toBe(0);
});

test('a button means what it was put down for, in its own channel', () => {
  const { ledger } = open();
  const about = { id: 'ap', digest: 'd' };
  const answer = { kind: 'text', text: 'blue' } as unknown as never;
  const meanings = [
    { ...about, token: 'yes', decision: 'allow' },
    { ...about, token: 'no', decision: 'deny' },
    { ...about, token: 'blue', decision: 'answer', answer },
  ] as const;
  expect(ledger.post('c', draft('approval:ap'), meanings)).toBe(true);
  const post = ledger.find('c', 'approval:ap');
  for (const meant of meanings) expect(ledger.button('c', meant.token)).toEqual({ ...meant, post });
  expect([ledger.button('d', 'yes'), ledger.button('c', 'other')]).toEqual([null, null]);
});

test('a place has the session that it was given last', () => {
  const { ledger } = open();
  expect(ledger.session('p')).toBeNull();
  ledger.setSession('p', 'one');
  ledger.setSession('p', 'two');
  ledger.setSession('q', 'three');
  expect([ledger.session('p'), ledger.session('q')]).toEqual(['two', 'three']);
});

test('what a channel remembers is its own, until it is deleted, replaced, or its time is over', () => {
  const { ledger, clock } = open();
  const [one, two] = [ledger.memoryOf('one'), ledger.memoryOf('two')];
  one.set('cursor', { at: 5 });
  one.set('short', 'x', 100);
  expect([one.get('cursor'), one.get('short'), two.get('cursor')]).toEqual([
    { at: 5 },
    'x',
    undefined,
  ]);
  clock.now += 99;
  expect(one.get('short')).toBe('x');
  clock.now += 1;
  expect(one.get('short')).toBeUndefined();
  one.set('cursor', 6);
  expect(one.get('cursor')).toBe(6);
  one.set('short', 'y');
  clock.now += 1e9;
  one.set('other', 1);
  expect([one.get('short'), one.get('cursor')]).toEqual(['y', 6]);
  one.delete('cursor');
  expect(one.get('cursor')).toBeUndefined();
});
