/** Which documents may answer a question, by what, and in what order their passages come. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SearchIndex } from '../index/search-index.ts';
import type { Points } from '../latent/points.ts';
import { bm25, queryTerms } from '../lexical/bm25.ts';
import type { WordTable } from '../static/table.ts';
import { Stemmer } from '../words/words.ts';
import { gather, type Pool, type Signals } from './pool.ts';
import { rank } from './ranking.ts';
import type { SentenceSignal } from './sentences.ts';
import { trustInTerms } from './trust.ts';
import { votesOn } from './votes.ts';

let index: SearchIndex;
beforeEach(() => {
  index = new SearchIndex(':memory:', null);
});
afterEach(() => index.close());

const add = (texts: Readonly<Record<string, string>>): void =>
  index.update(
    Object.entries(texts).map(([path, text]) => ({ path, text })),
    [],
  );

const selected = (accepts: (path: string) => boolean = () => true): Uint8Array =>
  index.memory.select(({ path }) => accepts(path)).slots;

const gathered = (
  terms: readonly string[],
  more: Partial<Signals> = {},
  allowed = selected(),
): Pool => gather({ ...index.signals(null), ...more }, terms, allowed);

const pathsOf = ({ candidates }: Pool): string[] => {
  const { documents } = index.memory;
  return candidates.map(({ passages: [slot = 0] }) => documents.owner(slot).path);
};

/** Texts that have nothing to do with any question. */
const others = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`/other/x${at}.txt`, `filler${at} words`]),
  );

/** A text of so many chunks, each of some words and a mark of its own. */
const long = (...parts: readonly string[]): string =>
  parts.map((part, at) => `## Part ${at}\n\n${part} ${'lorem '.repeat(200)}`).join('\n\n');

test('candidates are what BM25 finds, best first, and what may be an answer alone', () => {
  add({ '/a.txt': 'zebra', '/b.txt': 'zebra zebra lion', '/c.txt': 'lion', ...others(20) });
  const pool = gathered(['zebra', 'lion', 'zebra']);
  const { corpus, documents } = index.memory;
  const query = queryTerms(corpus, ['zebra', 'lion', 'zebra']);
  expect([...pool.query]).toEqual([...query]);
  const whole = index.signals(null).documents.bm25(query);
  const passages = bm25(corpus, query);
  expect(pathsOf(pool).sort()).toEqual(['/a.txt', '/b.txt', '/c.txt']);
  for (const each of pool.candidates) {
    const [slot = -1] = each.passages;
    expect(each.whole).toBe(whole[each.row]);
    expect(each.passage).toBe(passages[slot]);
    expect(documents.firstSlot(each.row)).toBe(slot);
  }
  const scores = pool.candidates.map((each) => each.whole);
  expect(scores).toEqual([...scores].sort((a, b) => b - a));
  expect(pool.feedback).toEqual([0, 1, 2]);
  expect(
    pathsOf(
      gathered(
        ['zebra'],
        {},
        selected((path) => path !== '/b.txt'),
      ),
    ),
  ).toEqual(['/a.txt']);
  expect(gathered(['nowhere']).candidates).toEqual([]);
});

test('a word tells what it is rare, and most where it is nowhere', () => {
  add({ '/a.txt': 'zebra', '/b.txt': 'lion', '/c.txt': 'lion', ...others(7) });
  index.update([], ['/a.txt']);
  const { telling } = gathered(['zebra', 'lion', 'nowhere']);
  const idf = (spread: number): number => Math.log(1 + (9 - spread + 0.5) / (spread + 0.5));
  expect([telling.get('lion'), telling.get('zebra'), telling.get('nowhere')]).toEqual([
    expect.closeTo(idf(2)),
    expect.closeTo(Math.log(20)),
    expect.closeTo(Math.log(20)),
  ]);
});

test('ten documents at most are believed, two hundred named by BM25', () => {
  add(Object.fromEntries(Array.from({ length: 260 }, (_, at) => [`/z${at}.txt`, `zebra n${at}`])));
  const pool = gathered(['zebra']);
  expect(pool.feedback).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(pool.candidates).toHaveLength(200);
});

test('what shares rare words with what is found is a candidate, too', () => {
  add({ '/a.txt': 'zebra stripes savanna', '/b.txt': 'stripes savanna again', ...others(30) });
  const pool = gathered(['zebra']);
  expect(pathsOf(pool)).toEqual(['/a.txt', '/b.txt']);
  expect(pool.candidates[1]).toMatchObject({ whole: 0, passage: 0 });
});

test('of a document the passages come by what they are worth, sixteen at most', () => {
  add({
    '/long.md': long('nothing', 'zebra', 'zebra zebra zebra', 'nothing'),
    '/longer.md': long(...Array.from({ length: 20 }, () => 'zebra')),
    ...others(10),
  });
  const { candidates } = gathered(['zebra']);
  const { documents, corpus } = index.memory;
  const scores = bm25(corpus, queryTerms(corpus, ['zebra']));
  const most = Math.max(...scores);
  for (const { passages, worth, row } of candidates) {
    const all = Array.from(
      { length: documents.endSlot(row) - documents.firstSlot(row) },
      (_, at) => documents.firstSlot(row) + at,
    );
    const sorted = all.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b).slice(0, 16);
    expect(passages).toEqual(sorted);
    for (const [at, slot] of passages.entries())
      expect(worth[at]).toBeCloseTo((scores[slot] ?? 0) / most);
  }
  expect(candidates.map(({ passages }) => passages.length).sort()).toEqual([16, 4]);
});

test('nearness by a sentence model names documents, and counts in the order of passages', () => {
  add({ '/a.md': long('zebra', 'other'), '/near.txt': 'nothing of it', ...others(5) });
  const { documents } = index.memory;
  const slotOf = (path: string): number =>
    [...documents.all((each) => each === path)][0]?.first ?? -1;
  const second = slotOf('/a.md') + 1;
  const asked: number[] = [];
  const sentences = {
    weight: 0.2,
    nearest: (_: Uint8Array, count: number) => {
      asked.push(count);
      return [slotOf('/near.txt')];
    },
    cosine: (slot: number) => (slot === second ? 4 : null),
  } as unknown as SentenceSignal;
  const { candidates } = gathered(['zebra'], { sentences });
  expect(asked).toEqual([80]);
  expect(candidates.map(({ passages }) => passages)).toEqual([
    [second, slotOf('/a.md')],
    [slotOf('/near.txt')],
  ]);
  expect(candidates[0]?.worth).toEqual([expect.closeTo(1.2), expect.closeTo(1)]);
});

test('terms are trusted as far as the best candidates have them', () => {
  add({ '/a.txt': 'zebra lion', '/b.txt': 'zebra', ...others(30) });
  const pool = gathered(['zebra', 'lion', 'nowhere']);
  const tells = (term: string): number => pool.telling.get(term) ?? 0;
  expect(pool.trust).toBeCloseTo(
    trustInTerms({
      score: Math.max(...pool.candidates.map(({ passage }) => passage)),
      covered: tells('zebra') + tells('lion'),
      total: tells('zebra') + tells('lion') + tells('nowhere'),
      living: 32,
    }),
  );
  expect(gathered(['nowhere']).trust).toBe(0);
});

/** A space in which slots have these cosines with whatever is asked. */
function space(cosines: Readonly<Record<number, number>>) {
  const asked: unknown[] = [];
  const points = {
    dimensions: 1,
    cosines: (query: unknown, size: number, among: Uint8Array) => {
      asked.push([query, size]);
      return Float32Array.from({ length: size }, (_, slot) =>
        among[slot] === 1 ? (cosines[slot] ?? 0) : 0,
      );
    },
    at: () => Float32Array.of(1),
    dot: () => 0.5,
  } as unknown as Points;
  return { points, asked };
}

describe('by the word table', () => {
  const table = {
    dimensions: 1,
    rows: Int8Array.of(),
    rowOf: () => -1,
    unit: () => null,
    direction: (telling: unknown) => telling,
  } as unknown as WordTable;

  test('documents are named that are near, and nearness counts in the order of passages', () => {
    add({ '/a.txt': 'zebra', '/b.txt': 'near', '/c.txt': 'nearer', ...others(3) });
    const { points, asked } = space({ 1: 0.2, 2: 0.5, 3: -0.5 });
    const pool = gathered(['zebra'], { words: { table, points } });
    expect(asked).toEqual([[pool.telling, index.memory.corpus.size]]);
    expect(pathsOf(pool)).toEqual(['/a.txt', '/c.txt', '/b.txt']);
    expect(pool.candidates[1]?.worth[0]).toBeCloseTo(0.15);
    expect(pool.candidates[1]?.passage).toBe(0);
  });

  test('a ranking tells how near all is, and what each part gave', () => {
    add({ '/a.md': long('zebra', 'zebra zebra'), '/b.txt': 'near', ...others(3) });
    const { points } = space({ 0: 0.4, 2: 0.2 });
    const signals = { ...index.signals(null), words: { table, points } };
    const allowed = selected((path) => !path.startsWith('/other/x0'));
    const stemmer = new Stemmer();
    const { ranked, evidence } = rank(
      signals,
      { terms: ['zebra', 'nowhere'], identifiers: [] },
      allowed,
      {
        stemmer,
        everyday: new Set(['zebra', 'absent']),
      },
    );
    const searched = allowed.reduce((sum, each) => sum + each, 0);
    expect(evidence(0)).toMatchObject({
      words: expect.closeTo(0.4),
      latent: 0,
      background: expect.closeTo(0.6 / searched),
      breadth: 0.5,
      said: 0.5,
    });
    expect(evidence(0)).not.toHaveProperty('sentence');
    expect(evidence(0).covered).toBeGreaterThan(0);
    for (const { score, parts } of ranked.slice(0, 1))
      expect(Object.values(parts).reduce((sum, value) => sum + value, 0)).toBeCloseTo(score);
    // A document's further passages have less, by what they are worth less.
    const pool = gather(signals, ['zebra', 'nowhere'], allowed);
    const [first, second] = pool.candidates[0]?.worth ?? [];
    const [one, two] = (pool.candidates[0]?.passages ?? []).map(
      (slot) => ranked.find((each) => each.slot === slot)?.score ?? Number.NaN,
    );
    expect((one ?? 0) - (two ?? 0)).toBeCloseTo((first ?? 0) - (second ?? 0));
    const scores = ranked.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    expect(Object.keys(ranked[0]?.parts ?? {}).sort()).toEqual([
      'bm25',
      'expansion',
      'kindred',
      'lead',
      'pairs',
      'pieces',
      'words',
    ]);
    const sentences = {
      weight: 0.2,
      nearest: () => [],
      cosine: (slot: number) => (slot === 0 ? 0.7 : null),
    } as unknown as SentenceSignal;
    const told = rank({ ...signals, sentences }, { terms: ['zebra'], identifiers: [] }, allowed, {
      stemmer,
      everyday: new Set(['x']),
    });
    expect([told.evidence(0).sentence, told.evidence(1).sentence]).toEqual([0.7, 0]);
    const nothing = rank(
      signals,
      { terms: ['zebra'], identifiers: [] },
      new Uint8Array(allowed.length),
      { stemmer, everyday: new Set(['x']) },
    );
    expect([nothing.ranked, nothing.evidence(0).background]).toEqual([[], 0]);
  });

  test('votes are those whose parts are there', () => {
    add({ '/a.txt': 'zebra', ...others(3) });
    const { points } = space({});
    const names = (signals: Partial<Signals>): string[] => {
      const all = { ...index.signals(null), ...signals };
      return [...votesOn(gather(all, ['zebra'], selected()), all, new Stemmer()).keys()];
    };
    const always = ['expansion', 'lead', 'pairs', 'pieces'];
    expect(names({ latent: null, words: null })).toEqual(always);
    expect(names({ latent: null, words: { table, points } })).toEqual([
      'words',
      'kindred',
      ...always,
    ]);
  });
});
