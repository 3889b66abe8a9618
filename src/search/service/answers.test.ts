/** What is shown of what was found, and of what was looked up; and of what is not indexed yet. */
import { describe, expect, test } from 'vitest';
import type { HeldDocument } from '../index/documents.ts';
import type { RankedChunk } from '../index/search-index.ts';
import type { StoredChunk } from '../index/store.ts';
import { RANKS, type SightedLine, type Sighting } from '../lookup/look-up.ts';
import { type Answer, rankedAnswers, type SightedView, sightedAnswers } from './answers.ts';
import { literalAnswers } from './literal-answers.ts';
import { placesOf } from './places.ts';
import type { Pending } from './source.ts';
import type { Line } from './telling-line.ts';

const rank = (name: (typeof RANKS)[number]): number => RANKS.indexOf(name);

/** A chunk whose lines begin at a number. */
const chunk = (text: string, firstLine = 1): StoredChunk =>
  ({
    firstLine,
    lastLine: firstLine + text.split('\n').length - 1,
    crumb: 'crumb',
    text,
  }) as StoredChunk;

/** The line of a chunk is its first one; it tells as much as it says: `0.5 words`. */
const lineOf = ({ firstLine, text }: StoredChunk): Line => ({
  line: firstLine,
  text: text.split('\n')[0] ?? '',
  from: 0,
  score: Number.parseFloat(text) || 0,
});

const document = (path: string): HeldDocument => ({ id: 1, path }) as HeldDocument;

const found = (path: string, text: string | null, score = 1): RankedChunk =>
  ({
    document: document(path),
    chunk: text === null ? null : chunk(text),
    score,
    parts: { bm25: score },
    evidence: { covered: score },
  }) as unknown as RankedChunk;

describe('of what was found', () => {
  const paths = (all: readonly RankedChunk[], limit = 10): string[] =>
    placesOf(all, limit, lineOf).map((place) => `${place.found.document.path} ${place.line.text}`);

  test('each thread has a line, a comment being of what it was said of', () => {
    expect(
      paths(
        [found('/i/1.md', '1 a'), found('/i/1/comments/2.md', '1 b'), found('/i/2.md', '1 c')],
        2,
      ),
    ).toEqual(['/i/1.md 1 a', '/i/2.md 1 c']);
  });

  test('further lines of a thread follow where there is room, three at most, in the order of all', () => {
    const chunks = ['1 a', '1 b', '1 c', '1 d'].map((text) => found('/a.md', text));
    expect(paths([...chunks, found('/b.md', '1 e')])).toEqual([
      '/a.md 1 a',
      '/a.md 1 b',
      '/a.md 1 c',
      '/b.md 1 e',
    ]);
    expect(paths([...chunks, found('/b.md', '1 e')], 3)).toEqual([
      '/a.md 1 a',
      '/a.md 1 b',
      '/b.md 1 e',
    ]);
    expect(paths(chunks, 1)).toEqual(['/a.md 1 a']);
  });

  test('a further line tells half of what the first does, and says something else', () => {
    const of = (text: string): string[] => paths([found('/a.md', '1 a'), found('/a.md', text)]);
    expect(of('0.5 b')).toHaveLength(2);
    expect(of('0.49 b')).toHaveLength(1);
    expect(of('1 a')).toHaveLength(1);
  });

  test('what is gone is passed over', () => {
    expect(
      paths([
        found('/a.md', null),
        found('/a.md', '1 b'),
        found('/b.md', '1 c'),
        found('/b.md', null),
      ]),
    ).toEqual(['/a.md 1 b', '/b.md 1 c']);
  });

  test('code leaves room for prose', () => {
    const code = Array.from({ length: 9 }, (_, at) => found(`/${at}.ts`, '1 x'));
    const prose = Array.from({ length: 9 }, (_, at) => found(`/${at}.md`, '1 y'));
    expect(paths([...code, ...prose]).map((each) => each.slice(2, 5))).toEqual([
      ...Array<string>(3).fill('.ts'),
      ...Array<string>(7).fill('.md'),
    ]);
  });

  test('answers have the passage, where it is, and why', () => {
    const [answer] = rankedAnswers([found('/a.md', '1 a\nmore', 0.7)], 10, {
      lineOf,
      fieldOf: () => null,
    });
    expect(answer).toEqual({
      path: '/a.md',
      line: 1,
      text: '1 a',
      from: 0,
      score: 0.7,
      crumb: 'crumb',
      passage: '1 a\nmore',
      passageLine: 1,
      parts: { bm25: 0.7 },
      evidence: { covered: 0.7 },
    });
  });

  test('a field that is asked for is the first line of its document; what is shown already is not shown again', () => {
    const field: SightedLine = {
      chunk: chunk('---\nstate: open'),
      line: 2,
      text: 'state: open',
      rank: 0,
    };
    const fieldOf = ({ path }: HeldDocument): SightedLine | null =>
      path === '/a.md' ? field : null;
    const all = [found('/a.md', '1 a'), found('/a.md', '1 b'), found('/b.md', '1 c')];
    expect(
      rankedAnswers(all, 10, { lineOf, fieldOf }).map(({ text, line, score }) => [
        text,
        line,
        score,
      ]),
    ).toEqual([
      ['state: open', 2, 1],
      ['1 b', 1, 1],
      ['1 c', 1, 1],
    ]);
    const shown = [{ path: '/a.md' }] as Answer[];
    expect(rankedAnswers(all, 10, { lineOf, fieldOf }, shown).map(({ path }) => path)).toEqual([
      '/b.md',
    ]);
  });
});

describe('of what was looked up', () => {
  const line = (text: string, at: number, ranked = rank('its text')): SightedLine => ({
    chunk: chunk(text, at),
    line: at,
    text,
    rank: ranked,
  });
  const sighting = (more: Partial<Sighting> = {}): Sighting => ({
    document: document('/a.md'),
    rank: rank('its text'),
    isWhole: true,
    asked: null,
    lines: [],
    first: 0,
    end: 1,
    ...more,
  });
  const view = (more: Partial<SightedView> = {}, ...chunks: StoredChunk[]): SightedView => ({
    chunks: () => chunks,
    lineOf,
    elseOf: null,
    isAll: true,
    fieldOf: () => null,
    ...more,
  });
  const texts = (sightings: readonly Sighting[], limit: number, given: SightedView): string[] =>
    sightedAnswers(sightings, limit, given).map(({ text }) => text);

  test('up to three lines are shown of each where there is room, the better ones first', () => {
    const lines = ['one', 'two', 'three', 'four'].map((text, at) => line(text, at + 1));
    const one = sighting({ lines });
    expect(texts([one], 10, view())).toEqual(['one', 'two', 'three']);
    expect(texts([one], 2, view())).toEqual(['one', 'two']);
    expect(texts([one, one, one], 7, view())).toEqual(['one', 'two', 'one', 'two', 'one', 'two']);
    expect(texts([one, one, one], 2, view())).toEqual(['one', 'one']);
    expect(texts([], 2, view())).toEqual([]);
    const [answer] = sightedAnswers([one], 1, view());
    expect(answer).toEqual({
      path: '/a.md',
      line: 1,
      text: 'one',
      from: 0,
      score: 2 - 3 / RANKS.length,
      crumb: 'crumb',
      passage: 'one',
      passageLine: 1,
    });
  });

  test('where it is whole, parts of other words are not shown', () => {
    const lines = [line('whole', 1), line('part', 2, rank('part of its text'))];
    expect(texts([sighting({ lines })], 10, view())).toEqual(['whole']);
    expect(texts([sighting({ lines, isWhole: false })], 10, view())).toEqual(['whole', 'part']);
  });

  test('what is called so is shown by its title, then by its other lines', () => {
    const named = sighting({
      rank: 0,
      lines: [line('id: PLT-12', 2, 0), line('see PLT-12 for it', 9), line('## PLT-12', 11)],
    });
    const text = '---\nid: PLT-12\n---\n\n# The title of it\n\nmore';
    expect(texts([named], 10, view({}, chunk(text)))).toEqual([
      '# The title of it',
      'see PLT-12 for it',
    ]);
    expect(
      texts(
        [sighting({ rank: 1, lines: [line('# About it all', 5, 1)] })],
        10,
        view({}, chunk(text)),
      ),
    ).toEqual(['# About it all']);
  });

  test('a title of one word says no more than the name: the first line does that says something', () => {
    const by = (text: string): string[] =>
      texts([sighting({ rank: 0 })], 10, view({}, chunk(text)));
    expect(by('# Billing\n\n---\n\nWhat is paid.')).toEqual(['What is paid.']);
    expect(by('---\ntitle: Billing\n---\n## Part\nWhat is paid.')).toEqual(['What is paid.']);
    expect(by('---\ntitle: How billing works\n---\nx')).toEqual(['title: How billing works']);
    expect(by('***\n')).toEqual(['']);
    expect(sightedAnswers([sighting({ rank: 0 })], 10, view({}, chunk('***\nx', 7)))[0]?.line).toBe(
      8,
    );
    expect(texts([sighting({ rank: 0 })], 10, view())).toEqual([]);
  });

  test('a line that was named is shown', () => {
    const chunks = [chunk('a\nb', 1), chunk('c\nd', 3)];
    const asked = (at: number): (string | number)[] =>
      sightedAnswers([sighting({ rank: 0, asked: at })], 1, view({}, ...chunks)).flatMap(
        ({ line: shown, text }) => [shown, text],
      );
    expect([asked(2), asked(4), asked(9)]).toEqual([
      [2, 'b'],
      [4, 'd'],
      [1, 'a'],
    ]);
  });

  test('a field that is asked for is shown, and nothing else unless that is all', () => {
    const fieldOf = () => line('state: open', 2, 0);
    const lines = [line('state: open', 2, 3), line('see it', 9)];
    expect(texts([sighting({ lines })], 10, view({ fieldOf }))).toEqual(['state: open', 'see it']);
    expect(texts([sighting({ lines })], 10, view({ fieldOf, isAll: false }))).toEqual([
      'state: open',
    ]);
  });

  test('where more is asked, the passage is shown that tells most of that', () => {
    const chunks = [chunk('0.1 a'), chunk('0.9 b'), chunk('0.9 c')];
    const elseOf = (each: StoredChunk): Line => ({ ...lineOf(each), text: `else ${each.text}` });
    expect(texts([sighting({ rank: 0 })], 10, view({ elseOf, isAll: false }, ...chunks))).toEqual([
      'else 0.9 b',
    ]);
    // Of a text that has it, the passages are those that have it.
    const lines = [line('0.2 x', 1), line('0.4 y', 5)];
    expect(texts([sighting({ lines })], 10, view({ elseOf, isAll: false }, ...chunks))).toEqual([
      '0.4 y',
    ]);
    expect(texts([sighting({ rank: 0 })], 10, view({ elseOf, isAll: false }))).toEqual([]);
  });
});

describe('of what is not indexed yet', () => {
  const pending = (path: string, text: string | null): Pending => ({
    path,
    text: () => text,
    context: () => '',
  });
  const search = (
    query: string,
    texts: Readonly<Record<string, string | null>>,
    more: object = {},
  ) =>
    literalAnswers(
      Object.entries(texts).map(([path, text]) => pending(path, text)),
      { query, limit: 10, ...more },
    );
  const lines = (
    query: string,
    texts: Readonly<Record<string, string | null>>,
    more: object = {},
  ) => search(query, texts, more).answers.map(({ path, line, text }) => `${path}:${line}:${text}`);

  test('the line of each document is shown that has most of the words, the best document first', () => {
    const texts = {
      '/a.md': 'nothing\nthe token expires\nrenew an expired token soon',
      '/b.md': 'renewing Tokens that expired\r\nx',
      '/c.md': 'a token',
      '/d.md': null,
    };
    expect(lines('how do I renew expired tokens', texts)).toEqual([
      '/a.md:3:renew an expired token soon',
      '/b.md:1:renewing Tokens that expired',
    ]);
    expect(search('renew', texts)).toMatchObject({
      searched: 3,
      unsearched: [],
      answers: [{ share: 1 }, { share: 1 }],
    });
    expect(lines('renew', texts, { limit: 1 })).toEqual(['/a.md:3:renew an expired token soon']);
  });

  test('of more than three words half do, of fewer all', () => {
    const texts = { '/a.md': 'red green', '/b.md': 'red\nred green blue' };
    expect(lines('red green blue', texts)).toEqual(['/b.md:2:red green blue']);
    expect(lines('red green blue black', texts)).toEqual([
      '/b.md:2:red green blue',
      '/a.md:1:red green',
    ]);
    expect(lines('red green blue black white', texts)).toEqual(['/b.md:2:red green blue']);
  });

  test('phrases must occur, and a question without a telling word has no answer', () => {
    const texts = { '/a.md': 'error 502 refund', '/b.md': '502 error refund' };
    expect(lines('"error 502" refund', texts)).toEqual(['/a.md:1:error 502 refund']);
    expect(search('the of', texts)).toEqual({ answers: [], searched: 2, unsearched: [] });
  });

  test('words are found without their accents, and in other forms', () => {
    expect(lines('Ines', { '/a.md': 'x\nInès' })).toEqual(['/a.md:2:Inès']);
    expect(lines('tokens', { '/a.md': 'x\ny\n\ntoken' })).toEqual(['/a.md:4:token']);
  });

  test('a question that is narrowed to a kind or a time is', () => {
    const texts = { '/a.md': '---\nupdated: 2024\n---\nred', '/b.ts': 'red' };
    expect(lines('red', texts, { kind: 'file' })).toEqual(['/b.ts:1:red']);
    expect(search('red', texts, { since: '2023' })).toMatchObject({
      searched: 1,
      answers: [{ path: '/a.md', line: 4 }],
    });
  });

  test('five thousand are looked through, and the others told of', () => {
    const texts = Object.fromEntries(
      Array.from({ length: 5_002 }, (_, at) => [`/${at}.md`, at === 5_000 ? 'red' : 'blue']),
    );
    const { answers, searched, unsearched } = search('red', texts);
    expect([answers.length, searched]).toEqual([0, 5_000]);
    expect(unsearched).toMatchObject([{ count: 2, example: '/5000.md', fails: true }]);
  });
});
