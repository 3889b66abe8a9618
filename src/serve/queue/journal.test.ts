import { expect, onTestFinished, test } from 'vitest';
import { personAuthor } from '../../policy/author.ts';
import { TurnJournal } from './journal.ts';

test('however many messages wait, those of one speaker are counted, and all that are asked for are listed', () => {
  const journal = new TurnJournal(':memory:');
  onTestFinished(() => journal.close());
  const add = (source: string, id: number, actor: string, speaker?: string): void =>
    void journal.add({
      session: 'S',
      source,
      sourceId: String(id),
      actor,
      text: 'x',
      ...(speaker === undefined ? {} : { author: personAuthor(speaker) }),
    });
  for (let id = 0; id < 1_100; id++) add('api ana', id, 'ana');
  for (let id = 0; id < 30; id++) add('channel desk', id, 'ana', id % 3 === 0 ? undefined : 'ben');
  expect(journal.waitingOf('channel desk', 'ben')).toBe(20);
  expect(journal.waitingOf('channel desk', 'ana')).toBe(10);
  expect(journal.waitingOf('channel other', 'ben')).toBe(0);
  expect(journal.list({ states: ['queued'] })).toHaveLength(1_130);
  add('api ben', 0, 'ben');
  expect(journal.list({ actor: 'ben', limit: 10 })).toHaveLength(1);
});
