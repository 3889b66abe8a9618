import { expect, test } from 'vitest';
import { Corpus } from '../lexical/corpus.ts';
import { Coverage } from './coverage.ts';

const CHUNKS = ['read file now', 'file', 'read', 'other words', 'now', ''];

function coverageOf(terms: string, identifiers: string[][] = [], allowed = [1, 1, 1, 1, 1, 1]) {
  const corpus = new Corpus();
  for (const chunk of CHUNKS)
    corpus.add(corpus.pack(new Map(chunk.split(' ').map((word) => [word, 1]))));
  return new Coverage(corpus, { terms: terms.split(' '), identifiers }, Uint8Array.from(allowed));
}
const shares = (coverage: Coverage) => CHUNKS.map((_, slot) => coverage.of(slot));

test('a chunk has the whole of a question, a part of it, or nothing', () => {
  const coverage = coverageOf('read file');
  expect(coverage.known).toBe(1);
  const [whole, file, read, other] = shares(coverage);
  expect(whole).toBeCloseTo(1);
  expect(file).toBeCloseTo(0.5);
  expect(read).toBeCloseTo(0.5);
  expect(other).toBe(0);
});

test('half of the words of an identifier are a quarter of it, wherever these stand in the question', () => {
  for (const terms of ['read file', 'file read']) {
    const [whole, file, read] = shares(coverageOf(terms, [['read', 'file']]));
    expect(whole).toBeCloseTo(1);
    expect(file).toBeCloseTo(0.25);
    expect(read).toBeCloseTo(0.25);
  }
  // What the question does not ask for is no part of it.
  expect(coverageOf('read file', [['read', 'gone']]).of(2)).toBeCloseTo(0.5);
});

test('a word that no chunk has, or none that is searched, is not known, and tells most', () => {
  const unknown = coverageOf('read nowhere');
  expect(unknown.said).toBe(0.5);
  expect(unknown.known).toBeLessThan(0.5);
  expect(unknown.of(2)).toBeCloseTo(unknown.known);
  const narrow = coverageOf('other read', [], [1, 1, 1, 0, 1, 1]);
  expect([narrow.said, narrow.of(3)]).toEqual([0.5, 0]);
  expect(coverageOf('read read file').said).toBe(1);
});
