/** Which thread a mail belongs to, whom an answer goes to, and what a channel remembers of it. */
import { expect, test } from 'vitest';
import type { Mail } from '../../channels/email/mail.ts';
import { Threads } from '../../channels/email/threads.ts';
import { memoryOf } from './memory.ts';

const DAY_MS = 86_400_000;
const ANA = 'ana@home.example';
const BEN = 'ben@home.example';
const EVE = 'eve@other.example';

const mail = (id: string | null, from: string, more: Partial<Mail> = {}): Mail => ({
  id,
  from: { address: from, name: from },
  to: [],
  subject: 'plan',
  references: [],
  fields: [],
  ...more,
});

const opened = () => {
  const memory = memoryOf();
  return { memory, threads: new Threads(memory) };
};

test('a mail that answers none begins a thread named as its entry, with whoever takes part', () => {
  const { threads, memory } = opened();
  expect(threads.enter(mail('<a>', ANA), 'e1', [BEN, ANA])).toEqual({ thread: 'e1', isNew: true });
  expect(threads.get('e1')).toEqual({
    subject: 'plan',
    mails: ['<a>'],
    to: ANA,
    cc: [BEN],
    members: [ANA, BEN],
  });
  expect(threads.get('e2')).toBeNull();
  // What belongs to a thread is kept as long as the thread.
  expect(memory.terms()).toEqual({
    'thread e1': 400 * DAY_MS,
    'entry e1': 400 * DAY_MS,
    'mail <a>': 400 * DAY_MS,
  });
});

test('a mail that comes once more is the same one, whatever was said since', () => {
  const { threads } = opened();
  threads.enter(mail('<a>', ANA), 'e1', []);
  threads.enter(mail('<b>', ANA, { references: ['<a>'] }), 'e2', [BEN]);
  expect(threads.enter(mail('<a>', ANA), 'e1', [])).toEqual({ thread: 'e1', isNew: true });
  expect(threads.enter(mail('<b>', ANA, { references: ['<a>'] }), 'e2', [])).toEqual({
    thread: 'e1',
    isNew: false,
  });
  expect(threads.get('e1')).toMatchObject({ mails: ['<a>', '<b>'], cc: [BEN] });
});

test('an answer goes on with the thread of the last mail that it names; the next one goes to its sender', () => {
  const { threads } = opened();
  threads.enter(mail('<a>', ANA), 'e1', [BEN]);
  threads.enter(mail('<b>', ANA), 'e2', [BEN]);
  const answer = mail('<c>', BEN, { references: ['<a>', '<b>', '<unknown>'], subject: 'Re: plan' });
  expect(threads.enter(answer, 'e3', [ANA])).toEqual({ thread: 'e2', isNew: false });
  expect(threads.get('e2')).toEqual({
    subject: 'Re: plan',
    mails: ['<b>', '<c>'],
    to: BEN,
    cc: [ANA],
    members: [ANA, BEN],
  });
  expect(threads.get('e1')?.to).toBe(ANA);
});

test('whoever was sent no mail of a thread begins one of their own, and learns nothing of the other', () => {
  const { threads } = opened();
  threads.enter(mail('<a>', ANA), 'e1', [BEN]);
  const entered = threads.enter(mail('<x>', EVE, { references: ['<a>'] }), 'e9', []);
  expect(entered).toEqual({ thread: 'e9', isNew: true });
  expect(threads.get('e9')).toEqual({
    subject: 'plan',
    mails: ['<a>', '<x>'],
    to: EVE,
    cc: [],
    members: [EVE],
  });
  expect(threads.get('e1')?.members).toEqual([ANA, BEN]);
});

test('whoever names their mail as another one is named does not take its place', () => {
  const { threads } = opened();
  threads.enter(mail('<a>', ANA), 'e1', [BEN]);
  threads.enter(mail('<a>', EVE), 'e9', []);
  expect(threads.enter(mail('<b>', BEN, { references: ['<a>'] }), 'e2', []).thread).toBe('e1');
});

test('a mail without a name is in its thread all the same', () => {
  const { threads, memory } = opened();
  threads.enter(mail(null, ANA), 'e1', []);
  expect(threads.get('e1')?.mails).toEqual([]);
  expect(Object.keys(memory.terms())).toEqual(['thread e1', 'entry e1']);
});

test('of what a stranger began everything is forgotten as soon as was said', () => {
  const { threads, memory } = opened();
  threads.enter(mail('<a>', EVE), 'e1', [], DAY_MS);
  expect(memory.terms()).toEqual({ 'thread e1': DAY_MS, 'entry e1': DAY_MS, 'mail <a>': DAY_MS });
  // Its note may outlive the thread: then it is new.
  memory.delete('thread e1');
  expect(threads.enter(mail('<a>', EVE), 'e1', [])).toEqual({ thread: 'e1', isNew: true });
  expect(threads.get('e1')).toMatchObject({ to: EVE });
});

test('an answer names the first mail of its thread, and the last twenty, each once', () => {
  const { threads } = opened();
  threads.enter(mail('<0>', ANA), 'e0', []);
  for (let n = 1; n <= 30; n++) {
    threads.answered('e0', `<${n}>`);
    threads.answered('e0', `<${n}>`);
  }
  const last = Array.from({ length: 20 }, (_, n) => `<${n + 11}>`);
  expect(threads.get('e0')?.mails).toEqual(['<0>', ...last]);
  expect(threads.enter(mail('<z>', ANA, { references: ['<30>'] }), 'e1', []).thread).toBe('e0');
  expect(threads.get('e0')?.mails).toEqual(['<0>', ...last.slice(1), '<z>']);
  const long = Array.from({ length: 25 }, (_, n) => `<r${n}>`);
  threads.enter(mail('<new>', ANA, { references: long }), 'e2', []);
  expect(threads.get('e2')?.mails).toEqual(['<r0>', ...long.slice(6), '<new>']);
});

test('what was sent into a thread that is forgotten is no thread', () => {
  const { threads, memory } = opened();
  threads.answered('e7', '<a>');
  expect(threads.get('e7')).toBeNull();
  expect(memory.terms()).toEqual({ 'mail <a>': 400 * DAY_MS });
});

test('a code is of those alone whom it was sent to', () => {
  const { threads, memory } = opened();
  threads.ask('T1', { thread: 'e1', message: '<m>', to: [ANA, BEN] });
  expect(threads.askedOf('T1', BEN)).toMatchObject({ thread: 'e1', message: '<m>' });
  expect(threads.askedOf('T1', EVE)).toBeNull();
  expect(threads.askedOf('T2', ANA)).toBeNull();
  expect(memory.terms()).toEqual({ 'code T1': 400 * DAY_MS });
});
