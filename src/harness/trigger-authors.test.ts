/** Whose a trigger is: what it starts has no right that anybody lacks who had a hand in it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../../test/temporary-directory.ts';
import { type Author, PERSON, personAuthor } from '../policy/author.ts';
import { noteTriggerEdit, TriggerAuthors, triggerTexts } from './trigger-authors.ts';
import { digestOf } from './triggers.ts';

const [ANN, BOB] = [personAuthor('ann'), personAuthor('bob')];

function authors() {
  const clock = { now: 1_000_000 };
  const known = new TriggerAuthors(':memory:', () => clock.now);
  onTestFinished(() => known.close());
  const of = (name: string, digest: string): string => known.of(name, digest).actors.join();
  const edit = (
    before: Record<string, string>,
    after: Record<string, string>,
    by: Author,
    whole: string | null = null,
  ): void => known.begin(before, by, whole)(after);
  return { clock, known, of, edit };
}

test('what nobody here has written is the deployer’s', () => {
  const { known } = authors();
  expect(known.of('a', '1')).toEqual(PERSON);
});

test('what somebody makes anew is theirs, and what they have not touched is not', () => {
  const { of, edit } = authors();
  edit({ b: '9' }, { a: '1', b: '9' }, ANN, 'a');
  expect([of('a', '1'), of('b', '9'), of('a', '2'), of('c', '1')]).toEqual([
    ...['ann', 'user', 'user', 'user'],
  ]);
});

test('written as a whole it is theirs alone; in part, theirs and of all who wrote what was there', () => {
  const { of, edit } = authors();
  edit({}, { a: '1' }, ANN, 'a');
  edit({ a: '1' }, { a: '2' }, BOB);
  expect(of('a', '2')).toBe('bob,ann,user');
  edit({ a: '2' }, { a: '3' }, BOB, 'a');
  expect(of('a', '3')).toBe('bob');
  edit({ x: '7' }, { x: '8' }, BOB);
  expect(of('x', '8')).toBe('bob,user');
});

test('a text under another name stays theirs who wrote it; the deployer’s stays the deployer’s, too', () => {
  const { of, edit } = authors();
  edit({}, { a: '1' }, ANN, 'a');
  edit({ a: '1' }, { b: '1' }, BOB);
  expect(of('b', '1')).toBe('bob,ann');
  edit({ d: '5' }, { e: '5' }, BOB);
  expect(of('e', '5')).toBe('bob,user');
  edit({}, { c: '1' }, BOB);
  expect(of('c', '1')).toBe('bob,ann');
});

test('while something is being done, what it may have made is theirs as well', () => {
  const { known, of } = authors();
  const end = known.begin({ a: '1' }, ANN, 'a');
  const other = known.begin({ a: '1' }, BOB, null);
  expect([of('a', '1'), of('a', '2')]).toEqual(['user', 'user,ann,bob']);
  end({ a: '2' });
  expect(of('a', '2')).toBe('ann');
  other({ a: '2' });
  expect(of('a', '3')).toBe('user');
});

test('what has not ended a minute later ended with its process: what there is then is theirs', () => {
  const { clock, known, of } = authors();
  known.begin({ a: '1' }, ANN, 'a');
  clock.now += 60_000;
  known.settle({ a: '2' });
  // It may still be at it.
  expect([of('a', '2'), of('a', '3')]).toEqual(['user,ann', 'user,ann']);
  clock.now += 1;
  known.settle({ a: '2' });
  expect([of('a', '2'), of('a', '3')]).toEqual(['ann', 'user']);
});

function harness(files: Record<string, string | Uint8Array>) {
  const directory = temporaryDirectory();
  const own = join(directory, 'own');
  mkdirSync(join(own, 'triggers'), { recursive: true });
  mkdirSync(join(own, 'agents'));
  const put = (path: string, text: string | Uint8Array) => writeFileSync(join(own, path), text);
  for (const [path, text] of Object.entries(files)) put(path, text);
  return { own, put, state: join(directory, 'changes.sqlite') };
}

test('the triggers of a harness are told by what they say; what is too large to be one is none', () => {
  const { own } = harness({
    'triggers/a.md': 'one',
    'triggers/large.md': 'x'.repeat(1024 * 1024 + 1),
    'triggers/_b.md': 'skipped',
    'agents/a.md': 'no trigger',
  });
  expect(triggerTexts(own)).toEqual({ a: digestOf('one') });
  expect(triggerTexts(null)).toEqual({});
});

test('an edit of the files is noted from before it to behind it, in the journal that others read', () => {
  const { own, put, state } = harness({ 'triggers/a.md': 'one' });
  const other = new TriggerAuthors(state);
  onTestFinished(() => other.close());
  const end = noteTriggerEdit(state, own, ANN, 'a');
  put('triggers/a.md', 'two');
  expect(other.of('a', digestOf('two')).actors).toEqual(['user', 'ann']);
  end();
  expect(other.of('a', digestOf('two')).actors).toEqual(['ann']);
  // Its journal is closed: what comes after is another edit.
  expect(end).toThrow();
});
