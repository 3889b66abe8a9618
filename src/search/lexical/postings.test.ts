/** A corpus that has grown past what is put in order at once. */
import { describe, expect, it } from 'vitest';
import { bm25, queryTerms } from './bm25.ts';
import { Corpus } from './corpus.ts';
import { floatsPart, type KeptParts, part, stringsOf, stringsPart, wordsPart } from './parts.ts';

/** Chunk `n` has `all`, a term of its own parity, and one of its own. */
const wordsOf = (chunk: number): Map<string, number> =>
  new Map([
    ['all', 1],
    [chunk % 2 === 0 ? 'even' : 'odd', 2],
    [`own${chunk}`, 3],
  ]);

function corpusOf(chunks: number): Corpus {
  const corpus = new Corpus();
  for (let chunk = 0; chunk < chunks; chunk++) corpus.add(corpus.pack(wordsOf(chunk)));
  return corpus;
}

const numberOf = (corpus: Corpus, term: string): number => corpus.termNumber(term) ?? -1;

/** The chunks of a term, with how often each has it. */
function visited(corpus: Corpus, term: string): [slot: number, count: number][] {
  const found: [number, number][] = [];
  corpus.each(numberOf(corpus, term), (slot, count) => found.push([slot, count]));
  return found;
}

// So many entries are put in order: 20,000, of three a chunk.
describe.each([100, 6_666, 6_667, 7_500, 15_000])('a corpus of %d chunks', (chunks) => {
  const corpus = corpusOf(chunks);
  const restored = new Corpus();
  restored.restore(corpus.parts());

  it.each([
    ['as it was made', corpus],
    ['put back', restored],
  ])('has each term in its chunks, in their order: %s', (_, each) => {
    expect(visited(each, 'all')).toEqual(Array.from({ length: chunks }, (__, at) => [at, 1]));
    expect(visited(each, 'odd')).toEqual(
      Array.from({ length: Math.floor(chunks / 2) }, (__, at) => [2 * at + 1, 2]),
    );
    for (const chunk of [0, chunks - 1]) expect(visited(each, `own${chunk}`)).toEqual([[chunk, 3]]);
  });

  it('knows whether a term is among some of its chunks', () => {
    const only = (chunk: number): Uint8Array => {
      const allowed = new Uint8Array(chunks);
      allowed[chunk] = 1;
      return allowed;
    };
    for (const chunk of [0, 1, chunks - 2, chunks - 1]) {
      const occurs = (term: string): boolean => corpus.occurs(numberOf(corpus, term), only(chunk));
      expect(occurs('all')).toBe(true);
      expect([occurs('even'), occurs('odd')]).toEqual([chunk % 2 === 0, chunk % 2 === 1]);
      expect(occurs(`own${chunk}`)).toBe(true);
      expect(occurs(`own${(chunk + 1) % chunks}`)).toBe(false);
    }
  });

  it('scores the first and the last alike', () => {
    const scores = bm25(corpus, queryTerms(corpus, ['own0', `own${chunks - 1}`]));
    expect(scores[0]).toBeGreaterThan(0);
    expect(scores[chunks - 1]).toBe(scores[0]);
    expect(scores.filter((score) => score !== 0)).toHaveLength(2);
  });
});

it('what is asked twice is worth twice as much, and what nothing has is worth nothing', () => {
  const corpus = corpusOf(10);
  const [once = 0] = bm25(corpus, queryTerms(corpus, ['own0']));
  const [twice = 0] = bm25(corpus, queryTerms(corpus, ['own0', 'own0', 'unknown']));
  expect(twice).toBeCloseTo(2 * once, 5);
  expect(queryTerms(corpus, ['unknown']).size).toBe(0);
});

describe('what is kept', () => {
  const kept = (): KeptParts =>
    new Map([...corpusOf(5).parts()].map(([name, bytes]) => [name, Uint8Array.from(bytes)]));

  it('is put in order anew where that was not kept with it', () => {
    for (const name of ['postings', 'postings of terms']) {
      const parts = kept();
      parts.delete(name);
      const corpus = new Corpus();
      corpus.restore(parts);
      expect(visited(corpus, 'odd')).toEqual([
        [1, 2],
        [3, 2],
      ]);
    }
  });

  it('is refused by name where a part of it is missing', () => {
    for (const name of ['terms', 'spread', 'entries', 'starts', 'lengths', 'alive']) {
      const parts = kept();
      parts.delete(name);
      expect(() => new Corpus().restore(parts)).toThrow(`the kept index has no ${name}`);
    }
  });

  it('may lie anywhere in memory', () => {
    const words = new Uint8Array(new Uint32Array([1, 2 ** 32 - 1]).buffer);
    const floats = new Uint8Array(new Float32Array([0.5, -2]).buffer);
    for (const offset of [0, 1, 2, 3, 4]) {
      const moved = (bytes: Uint8Array): Uint8Array => {
        const room = new Uint8Array(16);
        room.set(bytes, offset);
        return room.subarray(offset, offset + bytes.length);
      };
      const parts = new Map([
        ['w', moved(words)],
        ['f', moved(floats)],
      ]);
      expect([...wordsPart(parts, 'w')]).toEqual([1, 2 ** 32 - 1]);
      expect([...floatsPart(parts, 'f')]).toEqual([0.5, -2]);
    }
  });

  it('has strings as they are', () => {
    const strings = ['', 'a\nb', '"', 'größe', '🙂'];
    const parts = new Map([['s', stringsPart(strings)]]);
    expect(stringsOf(parts, 's')).toEqual(strings);
    expect(() => part(parts, 't')).toThrow('the kept index has no t');
  });
});
