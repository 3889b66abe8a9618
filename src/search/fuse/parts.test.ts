/** What speaks for a candidate, each computed by hand. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Points } from '../latent/points.ts';
import { Corpus } from '../lexical/corpus.ts';
import { expansion } from '../lexical/feedback.ts';
import type { WordTable } from '../static/table.ts';
import { Stemmer } from '../words/words.ts';
import { best } from './best.ts';
import { breadthOf, Coverage } from './coverage.ts';
import { parentOf, withParents } from './parents.ts';
import type { Candidate, Pool, Signals } from './pool.ts';
import { trustInTerms } from './trust.ts';
import { kindred } from './votes/kindred.ts';
import { byLead } from './votes/lead.ts';
import { nearest, nearFound } from './votes/near.ts';
import { byPairs } from './votes/pairs.ts';
import { byPieces } from './votes/pieces.ts';
import { bySentences } from './votes/sentences.ts';

/** A corpus of texts of words, a slot each. */
function corpusOf(...texts: readonly string[]): Corpus {
  const corpus = new Corpus();
  for (const text of texts) {
    const counts = new Map<string, number>();
    for (const word of text.split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1);
    corpus.add(corpus.pack(counts));
  }
  return corpus;
}

/** Candidates of passages, and what else a vote asks of a pool. */
const poolOf = (passages: readonly (readonly number[])[], more: Partial<Pool> = {}): Pool =>
  ({
    candidates: passages.map(
      (slots, row) =>
        ({
          row,
          whole: 1,
          passage: 1,
          passages: slots,
          worth: slots.map(() => 1),
        }) satisfies Candidate,
    ),
    terms: [],
    query: new Map(),
    telling: new Map(),
    feedback: [],
    ...more,
  }) as unknown as Pool;

const close = (values: Iterable<number>, expected: readonly number[]): void => {
  const own = [...values];
  expect(own).toHaveLength(expected.length);
  for (const [at, value] of own.entries())
    expect(value, `${at} of ${own}`).toBeCloseTo(expected[at] ?? 0, 5);
};

const idf = (living: number, spread: number): number =>
  Math.log(1 + (living - spread + 0.5) / (spread + 0.5));
/** BM25 of a term: K1 is 1.2, B is 0.75. */
const term = (often: number, length: number, average: number): number =>
  (2.2 * often) / (often + 1.2 * (0.25 + (0.75 * length) / average));

test('the best of many are those that sorting finds, the earlier of equals first', () => {
  const score = fc.oneof(fc.integer({ min: -3, max: 5 }), fc.constant(0));
  fc.assert(
    fc.property(
      fc.array(score, { maxLength: 40 }),
      fc.integer({ min: 1, max: 12 }),
      fc.option(fc.array(fc.integer({ min: 0, max: 1 }), { minLength: 40, maxLength: 40 })),
      fc.option(fc.integer({ min: -2, max: 3 }), { nil: undefined }),
      (scores, count, allowed, floor) => {
        const sorted = [...scores.keys()]
          .filter((slot) => allowed === null || allowed[slot] === 1)
          .filter((slot) => floor === undefined || (scores[slot] ?? 0) > floor)
          .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b)
          .slice(0, count);
        const mask = allowed === null ? null : Uint8Array.from(allowed);
        expect(best(Float32Array.from(scores), count, mask, floor)).toEqual(sorted);
      },
    ),
  );
});

describe('a comment', () => {
  test.each([
    ['issues/12/comments/3.md', 'issues/12.md'],
    ['/a/b/comments/c', '/a/b.md'],
    ['issues/12.md', null],
    ['/comments/3.md', null],
    ['issues/12/comments/3/x.md', null],
  ])('%s belongs to %s', (path, parent) => {
    expect(parentOf(path)).toBe(parent);
  });

  test('has half of its score from what it belongs to, best chunk of that; others keep theirs', () => {
    const paths = ['/i/1/comments/1.md', '/i/2.md', '/i/2/comments/1.md', '/i/2.md', '/x.md'];
    const ranked = [1, 0.9, 0.8, 0.5, 0.5].map((score, slot) => ({ slot, score, parts: {} }));
    expect(
      withParents(ranked, (slot) => paths[slot] ?? '').map(({ slot, score }) => [slot, score]),
    ).toEqual([
      [1, 0.9],
      [2, expect.closeTo(0.85)],
      [0, 0.5],
      [3, 0.5],
      [4, 0.5],
    ]);
  });
});

test('terms are believed as far as BM25 has what it can give, and more is shared than by chance', () => {
  const known = { score: 0, covered: 0, total: 10, living: 100 };
  expect(trustInTerms({ ...known, score: 5, total: 0 })).toBe(0);
  expect(trustInTerms({ ...known, score: 6.6 })).toBeCloseTo(0.5);
  expect(trustInTerms({ ...known, score: 100 })).toBe(1);
  expect(trustInTerms({ ...known, covered: Math.log(100) + 5 })).toBeCloseTo(0.2);
  expect(trustInTerms({ ...known, covered: Math.log(100) - 1 })).toBe(0);
  expect(trustInTerms({ ...known, covered: 5, living: 0 })).toBeCloseTo(0.2);
});

test('the expansion is what is telling in what is believed, each as far as that is', () => {
  const corpus = corpusOf('a b b', 'a c', 'd', 'd', 'd', 'd', 'd', 'd');
  const number = (word: string): number => corpus.termNumber(word) ?? -1;
  // `d` is in more than a quarter of all.
  const model = expansion(corpus, [
    { slot: 0, score: 3 },
    { slot: 1, score: 1 },
    { slot: 2, score: 0 },
  ]);
  const weights = { a: 3 / 4 / 3 + 1 / 4 / 2, b: (3 / 4 / 3) * 2, c: 1 / 4 / 2 };
  const all = weights.a + weights.b + weights.c;
  expect([...model.keys()]).toEqual([number('b'), number('a'), number('c')]);
  close(model.values(), [weights.b / all, weights.a / all, weights.c / all]);
  expect([...expansion(corpus, [])]).toEqual([]);
  const many = corpusOf(
    Array.from({ length: 30 }, (_, at) => `w${at} `.repeat(30 - at).trim()).join(' '),
    ...Array.from({ length: 9 }, () => 'x'),
  );
  const terms = [...expansion(many, [{ slot: 0, score: 1 }]).keys()];
  expect(terms.map((each) => many.vocabulary[each])).toEqual(
    Array.from({ length: 20 }, (_, at) => `w${at}`),
  );
});

test('nearness is that of the passage that is nearest, and never below 0', () => {
  const cosines = Float32Array.from([0.5, -0.2, 0.25]);
  close(nearest(poolOf([[0], [1], [1, 2], []]), cosines), [0.5, 0, 0.25, 0]);
});

test('nearness to what was found leaves out what one is oneself', () => {
  const rows = [
    [1, 0],
    [0, 1],
    [0.6, 0.8],
  ].map((row) => Float32Array.from(row));
  const points = {
    dimensions: 2,
    at: (slot: number) => rows[slot],
    dot: (slot: number, other: Float32Array) =>
      [...(rows[slot] ?? [])].reduce((sum, value, k) => sum + value * (other[k] ?? 0), 0),
  } as unknown as Points;
  const pool = poolOf([[0], [1], [2], [1, 2]], { feedback: [0, 1] });
  const candidates = pool.candidates.map((each, at) => ({ ...each, whole: [3, 1, 0, 0][at] ?? 0 }));
  close(nearFound({ ...pool, candidates }, points), [
    0, // Its only other is at a right angle.
    0,
    (3 * 0.6 + 0.8) / 4,
    (3 * 0.6 + 0.8) / 4,
  ]);
  close(nearFound({ ...pool, candidates, feedback: [0] }, points), [0, 0, 0.6, 0.6]);
  close(nearFound({ ...pool, candidates, feedback: [] }, points), [0, 0, 0, 0]);
});

test('a sentence model votes by the nearest passage, and not where it has none', () => {
  const signal = { cosine: (slot: number) => [0.1, null, 0.7][slot] ?? null };
  close(
    bySentences(
      poolOf([[0, 2], [1, 0], [1]]),
      signal as unknown as Parameters<typeof bySentences>[1],
    ).subarray(0, 2),
    [0.7, 0.1],
  );
  expect(
    bySentences(poolOf([[1]]), signal as unknown as Parameters<typeof bySentences>[1])[0],
  ).toBeNaN();
});

/** Signals over texts: each is a passage, and the first one of its document. */
function signalsOf(
  corpus: Corpus,
  passages: readonly ({ crumb: string; text: string } | null)[],
): Signals {
  return {
    corpus,
    documents: { rows: { firstSlot: (row: number) => row } },
    passage: (slot: number) => passages[slot] ?? null,
    languageOf: () => 'en',
  } as unknown as Signals;
}

test('the lead is BM25 of the headings and the first line with words, of what the question asks', () => {
  const corpus = corpusOf('zebra', 'zebra lion', 'tiger', 'ape');
  const number = (word: string): number => corpus.termNumber(word) ?? -1;
  const query = new Map([
    [number('zebra'), 2],
    [number('tiger'), 1],
  ]);
  const leads = [
    { crumb: 'zebra › lion', text: '---\ntitle: tiger\n---\n\n***\nzebra lion\ntiger' },
    { crumb: 'ape', text: 'tiger unknown' },
    null,
    { crumb: 'ape', text: `${'lion '.repeat(32)}zebra` },
  ];
  // The last line is cut after 160 characters: 32 lions.
  const lengths = [4, 3, 0, 33];
  const average = lengths.reduce((sum, each) => sum + each, 0) / 4;
  close(byLead(poolOf([[0], [1], [2], [3]], { query }), signalsOf(corpus, leads), new Stemmer()), [
    2 * idf(4, 2) * term(2, 4, average),
    idf(4, 1) * term(1, 3, average),
    0,
    0,
  ]);
  expect([...byLead(poolOf([]), signalsOf(corpus, []), new Stemmer())]).toEqual([]);
});

test('pairs are neighbours in the question that are neighbours in the text', () => {
  const corpus = corpusOf('red green', 'red blue', 'green blue', 'red green blue', 'ape');
  const pool = (...passages: number[][]): Pool =>
    poolOf(passages, { terms: ['red', 'green', 'blue', 'unknown', 'red', 'green'] });
  const texts = [
    'red green',
    'red, blue; red green',
    'green blue',
    'red green blue red green',
    'ape',
  ];
  const signals = signalsOf(
    corpus,
    texts.map((text) => ({ crumb: '', text })),
  );
  // Of red, green and of green, blue; the unknown one is in none.
  const worth = [(idf(5, 3) + idf(5, 3)) / 2, (idf(5, 3) + idf(5, 3)) / 2];
  const often = (count: number): number => (2.2 * count) / (count + 1.2);
  close(byPairs(pool([0], [1], [2], [3], [4], [0, 3]), signals, new Stemmer()), [
    (worth[0] ?? 0) * often(1),
    0, // It has no pair whose words are both in its bag.
    (worth[1] ?? 0) * often(1),
    (worth[0] ?? 0) * often(2) + (worth[1] ?? 0) * often(1),
    0,
    (worth[0] ?? 0) * often(3) + (worth[1] ?? 0) * often(1),
  ]);
});

test('of a document the best three passages are read for pairs', () => {
  const corpus = corpusOf(...Array.from({ length: 5 }, () => 'red green'), 'ape');
  const signals = signalsOf(
    corpus,
    Array.from({ length: 5 }, () => ({ crumb: '', text: 'red green' })),
  );
  const pool = poolOf([[5, 0, 1, 2, 3]], { terms: ['red', 'green'] });
  close(byPairs(pool, signals, new Stemmer()), [idf(6, 5) * ((2.2 * 3) / (3 + 1.2))]);
});

test('pieces of four letters are counted as terms are', () => {
  const corpus = corpusOf('connect', 'connections sun', 'sun sun', 'ape');
  // Of `connects`: conn, onne, nnec, nect, ects; of `sun` the whole.
  const pool = poolOf([[0], [1], [2], [3], [0, 2]], { terms: ['connects', 'sun', 'sun'] });
  const lengths = [4, 8 + 1, 2, 1, 4 + 2];
  const average = lengths.reduce((sum, each) => sum + each, 0) / 5;
  const of = (counts: readonly number[], length: number): number => {
    // conn … nect are in two chunks, ects in none, sun in two.
    const worth = [1, 1, 1, 1, 0, 2].map((said, at) => (at === 4 ? 0 : said * idf(4, 2)));
    return counts.reduce(
      (sum, often, at) => sum + (worth[at] ?? 0) * (often === 0 ? 0 : term(often, length, average)),
      0,
    );
  };
  close(byPieces(pool, corpus), [
    of([1, 1, 1, 1, 0, 0], 4),
    of([1, 1, 1, 1, 0, 1], 9),
    of([0, 0, 0, 0, 0, 2], 2),
    0,
    of([1, 1, 1, 1, 0, 2], 6),
  ]);
  expect([...byPieces(poolOf([]), corpus)]).toEqual([]);
});

/** A table of rows of two. */
function tableOf(words: Readonly<Record<string, readonly [number, number]>>): WordTable {
  const names = Object.keys(words);
  return {
    dimensions: 2,
    rows: Int8Array.from(Object.values(words).flat()),
    rowOf: (word: string) => names.indexOf(word),
    unit: (word: string) => {
      const row = words[word];
      return row === undefined
        ? null
        : Float32Array.from(row, (value) => value / Math.hypot(...row));
    },
  } as unknown as WordTable;
}

test('kindred is the share of the question that a passage says with a word like it', () => {
  const table = tableOf({
    car: [100, 0],
    auto: [80, 60],
    boat: [40, 92],
    sea: [0, 100],
    nil: [0, 0],
  });
  const corpus = corpusOf('auto', 'car auto', 'boat', 'nil other', 'auto sea');
  const pool = poolOf([[0], [1], [2], [3], [4, 0]], {
    telling: new Map([
      ['car', 3],
      ['unknown', 1],
    ]),
  });
  const share = (0.8 - 0.45) / 0.55;
  close(kindred(pool, corpus, table), [(3 * share) / 4, 0, 0, 0, (3 * share) / 4]);
  close(kindred(poolOf([[0]]), corpus, table), [0]);
});

test('of a long question the sixteen most telling words are looked for', () => {
  const table = tableOf({ car: [100, 0], auto: [80, 60] });
  const corpus = corpusOf('auto');
  const others = (telling: number, count: number): [string, number][] =>
    Array.from({ length: count }, (_, at) => [`w${at}`, telling]);
  const asked = (count: number): number =>
    kindred(
      poolOf([[0]], { telling: new Map([...others(2, count), ['car', 1]]) }),
      corpus,
      table,
    )[0] ?? -1;
  expect(asked(15)).toBeCloseTo((0.8 - 0.45) / 0.55 / 31, 5);
  expect(asked(16)).toBe(0);
});

describe('coverage', () => {
  const corpus = corpusOf('red green', 'red', 'blue', 'ape');
  const all = Uint8Array.from([1, 1, 1, 1]);
  const asked = (terms: string[], identifiers: string[][] = [], allowed = all): Coverage =>
    new Coverage(corpus, { terms, identifiers }, allowed);
  /** Of so many chunks, and 25 besides. */
  const telling = (spread: number): number => Math.log(1 + (29 - spread + 0.5) / (spread + 0.5));
  const nowhere = Math.log(2 * 29 + 2);

  test('is the share of what the question tells', () => {
    const coverage = asked(['red', 'green', 'red', 'none']);
    const total = telling(2) + telling(1) + nowhere;
    expect(coverage.known).toBeCloseTo((telling(2) + telling(1)) / total);
    expect(coverage.said).toBeCloseTo(2 / 3);
    close(
      [0, 1, 2].map((slot) => coverage.of(slot)),
      [(telling(2) + telling(1)) / total, telling(2) / total, 0],
    );
  });

  test('is of what is searched alone', () => {
    const coverage = asked(['red', 'green'], [], Uint8Array.from([0, 1, 1, 1]));
    expect([coverage.said, coverage.known]).toEqual([
      0.5,
      expect.closeTo(telling(2) / (telling(2) + telling(1))),
    ]);
    const nothing = asked([]);
    expect([nothing.said, nothing.known, nothing.of(0)]).toEqual([0, 0, 0]);
  });

  test('of half an identifier is a quarter of it', () => {
    const coverage = asked(['green', 'blue'], [['green', 'blue', 'gone']]);
    close([coverage.of(0), coverage.of(2), coverage.of(3)], [0.25, 0.25, 0]);
    const whole = asked(['red', 'green'], [['red', 'green', 'red']]);
    expect(whole.of(0)).toBeCloseTo(1);
  });

  test('of everyday words is how many there are', () => {
    const everyday = new Set(['red', 'green', 'none', 'ape']);
    expect(breadthOf(corpus, everyday, all)).toBe(0.75);
    expect(breadthOf(corpus, everyday, Uint8Array.from([0, 1, 0, 0]))).toBe(0.25);
  });
});
