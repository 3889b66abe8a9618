import { describe, expect, it } from 'vitest';
import { readAs, readings } from './spelling.ts';

/** How often some words occur; those of the language that do not are known all the same. */
const OCCURS: Readonly<Record<string, number>> = { webhook: 9, delivery: 4, deliver: 2, hook: 30 };
const LANGUAGE = new Set(['webhook', 'delivery', 'banana', 'restart']);
const known = {
  spread: (word: string) => OCCURS[word] ?? 0,
  isWord: (word: string) => LANGUAGE.has(word),
};
const read = (question: string): string => readAs(question, readings(question, known));

describe('a word that occurs nowhere', () => {
  it.each([
    ['webook', 'webhook'],
    ['wehbook', 'webhook'],
    ['webhoook', 'webhook'],
    ['webhuok', 'webhook'],
    ['Delivary', 'delivery'],
  ])('is read as the one that a slip makes of it: %s', (typed, meant) => {
    expect(read(`late ${typed}, again`)).toBe(`late ${meant}, again`);
  });

  it('is left alone where it is a word of the language, an identifier, or two slips away', () => {
    for (const question of ['banana', 'restart', 'webook_id', 'webhoks2', 'getWebook', 'weboks']) {
      expect(readings(question, known)).toEqual([]);
    }
  });

  it('is left alone where it is short, or its first letter differs', () => {
    expect(readings('hok ebhook', known)).toEqual([]);
  });
});

it('a word that occurs is never read as another', () => {
  expect(readings('webhook deliver hook', known)).toEqual([]);
});

it('of a pasted text a few words are looked at, and none that is too long to be one', () => {
  const looked = new Set<string>();
  const nothing = { spread: () => 0, isWord: (word: string) => !looked.add(word) };
  const pasted = Array.from({ length: 900 }, (_, at) => `word${'abcdefghij'[at % 10]?.repeat(at)}`);
  expect(readings(pasted.join(' '), nothing)).toEqual([]);
  expect([...looked].every((word) => word.length <= 25)).toBe(true);
});
