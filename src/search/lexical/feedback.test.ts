import { expect, it } from 'vitest';
import { Corpus } from './corpus.ts';
import { type Believed, expansion } from './feedback.ts';

/** A corpus of these texts, and of others that have none of their words. */
function corpusOf(...texts: string[]): Corpus {
  const corpus = new Corpus();
  const others = Array.from({ length: 40 }, (_, at) => `other${at}`);
  for (const text of [...texts, ...others]) {
    const counts = new Map<string, number>();
    for (const word of text.split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1);
    corpus.add(corpus.pack(counts));
  }
  return corpus;
}

const shares = (corpus: Corpus, ...believed: Believed[]): Record<string, number> =>
  Object.fromEntries(
    [...expansion(corpus, believed)].map(([term, share]) => [corpus.vocabulary[term], share]),
  );

it('each term counts as its share of the passages, each by how far it is believed', () => {
  const corpus = corpusOf('apple apple pear', 'pear plum');
  const found = shares(corpus, { slot: 0, score: 3 }, { slot: 1, score: 1 });
  // Of the first passage, which is believed three times as far, two thirds and one third.
  const expected = { apple: (3 / 4) * (2 / 3), pear: 3 / 4 / 3 + 1 / 4 / 2, plum: 1 / 4 / 2 };
  expect(Object.keys(found)).toEqual(['apple', 'pear', 'plum']);
  for (const [word, share] of Object.entries(expected)) expect(found[word]).toBeCloseTo(share, 6);
});

it('the shares are of the terms that are taken: they come to one', () => {
  const words = Array.from({ length: 30 }, (_, at) => `w${at}`);
  // The first words more often than the last.
  const text = words.flatMap((word, at) => Array<string>(31 - at).fill(word)).join(' ');
  const found = shares(corpusOf(text), { slot: 0, score: 2 });
  expect(Object.keys(found)).toEqual(words.slice(0, 20));
  expect(Object.values(found).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 6);
  expect((found['w0'] ?? 0) / (found['w19'] ?? 1)).toBeCloseTo(31 / 12, 6);
});

it('what is in more than a quarter of all passages tells nothing', () => {
  const corpus = new Corpus();
  const add = (...words: string[]) =>
    corpus.add(corpus.pack(new Map(words.map((word) => [word, 1]))));
  add('quarter', 'more', 'rare');
  add('quarter', 'more');
  add('more');
  for (let at = 0; at < 5; at++) add(`other${at}`);
  expect(shares(corpus, { slot: 0, score: 1 })).toEqual({ quarter: 0.5, rare: 0.5 });
  // Of those that are there.
  corpus.remove(7);
  expect(shares(corpus, { slot: 0, score: 1 })).toEqual({ rare: 1 });
});

it('where nothing is believed there is nothing', () => {
  expect(shares(corpusOf('apple'))).toEqual({});
});
