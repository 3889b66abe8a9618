/** Which line of a chunk is shown for a question. */
import { describe, expect, test } from 'vitest';
import { Corpus } from '../lexical/corpus.ts';
import type { WordTable } from '../static/table.ts';
import { Stemmer } from '../words/words.ts';
import { type Line, type LineJudge, tellingLine } from './telling-line.ts';

const stemmer = new Stemmer();

/** Of these each is in one chunk of four, and tells the same. */
const corpus = new Corpus();
for (const text of ['renew token', 'rotat kei', 'state titl assigne', 'other'])
  corpus.add(corpus.pack(new Map(text.split(' ').map((term) => [term, 1]))));

function shown(
  question: string,
  text: string,
  judge: Partial<LineJudge> = {},
  firstLine = 1,
): Line {
  const lines = text.split('\n');
  return tellingLine(
    { firstLine, lastLine: firstLine + lines.length - 1, crumb: '', text },
    {
      text: question,
      phrases: [],
      ...(question.includes('"') ? { phrases: [question.replaceAll('"', '').toLowerCase()] } : {}),
    },
    { identifiers: [], corpus, stemmer, table: null, ...judge },
  );
}

test('it is the one with most of the question, the first of equals', () => {
  const text = 'nothing here\nrenew it\nrenew the token\ntoken the renew';
  expect(shown('renew token', text)).toMatchObject({ line: 3, text: 'renew the token', from: 0 });
  expect(shown('renew token', text, {}, 11).line).toBe(13);
  expect(shown('renew token', 'renew it\nrenew on').line).toBe(1);
});

test('its score is the share of the question that it has, and a little for what it says', () => {
  const score = (text: string, question = 'renew token'): number => shown(question, text).score;
  expect(score('renew')).toBeCloseTo(0.5 + (0.1 * 5) / 80);
  expect(score('renew renew token')).toBeCloseTo(1 + (0.1 * 17) / 80);
  expect(score(`   token${' x'.repeat(50)}`)).toBeCloseTo(0.6);
  expect(score('renew', 'renew unknown')).toBeCloseTo(1 + (0.1 * 5) / 80);
  expect(score('renew', 'unknown')).toBeCloseTo((0.1 * 5) / 80);
});

test('a line without a word is none, unless there is no other', () => {
  expect(shown('renew', '---\n\n***\n{ }\nx').line).toBe(5);
  expect(shown('renew', '---\n===')).toEqual({ line: 1, text: '---', from: 0, score: 0 });
});

test('identifiers and phrases are worth most', () => {
  const text = 'renew the token\nsee a_b here';
  expect(shown('renew token', text, { identifiers: ['a_b'] }).line).toBe(1);
  expect(shown('a_b', text, { identifiers: ['a_b'] })).toMatchObject({
    line: 2,
    score: expect.closeTo(1 + (0.1 * 12) / 80),
  });
  expect(shown('"HERE"', 'here\nit is')).toMatchObject({
    score: expect.closeTo(2 + 0.1 * (4 / 80)),
  });
  expect(shown('"see a_b"', text).line).toBe(2);
});

describe('of front matter', () => {
  const record = (...fields: string[]): string =>
    ['---', ...fields, '---', 'a line of text'].join('\n');

  test('a field counts less than a line, and costs where it has no word', () => {
    expect(shown('token', 'renew a token\n---').score).toBeCloseTo(1 + (0.1 * 13) / 80);
    expect(shown('token', record('token: x', 'other: y')).score).toBeCloseTo(0.6 + (0.1 * 8) / 80);
    expect(shown('renew', record('other: y'))).toMatchObject({ line: 4, text: 'a line of text' });
    // Where there is nothing else, it costs.
    expect(shown('renew', '---\nother: y').score).toBeCloseTo(-0.3 + (0.1 * 8) / 80);
  });

  test('a title speaks as a line does', () => {
    for (const name of ['title', 'name', 'description', 'summary'])
      expect(shown('token', record(`${name}: token`)).score).toBeCloseTo(
        1 + (0.1 * (name.length + 7)) / 80,
      );
  });

  test('a field that is asked for comes first', () => {
    const text = record('title: the state of the token', 'state: open');
    expect(shown('what is the state', text)).toMatchObject({
      line: 3,
      score: expect.closeTo(2 + (0.1 * 11) / 80),
    });
    expect(shown('state token', text).line).toBe(2);
  });

  test('what looks like one elsewhere is a line', () => {
    expect(shown('token', 'token: x').score).toBeCloseTo(1 + (0.1 * 8) / 80);
    expect(shown('token', '---\ntoken: x\n---\n', {}, 5).score).toBeCloseTo(1 + (0.1 * 8) / 80);
  });
});

describe('a heading', () => {
  test.each([
    ['# renew token\nx\nrenew on\n# other\nrenew token y', 3],
    ['**renew token**\nx', 2],
    ['__renew token__:\nx', 2],
    ['   ###### renew token\nx', 2],
    ['    # renew token\nx', 1],
    ['#renew token\nx', 1],
    ['**renew** token\nx', 1],
    // Where nothing stands below it, it is the best of what is no heading.
    ['x\nrenew it\n# renew token\n# other', 2],
    ['# renew token', 1],
    ['# renew token\n## renew', 1],
  ])('%j: line %d', (text, line) => {
    expect(shown('renew token', text).line).toBe(line);
  });

  test('has the score of what it says, and the line that is shown its own text', () => {
    expect(shown('renew token', '# renew token\nx')).toMatchObject({
      text: 'x',
      score: expect.closeTo(1 + (0.1 * 13) / 80),
    });
  });
});

describe('of a long line', () => {
  const filler = 'Nothing of it is here, and it goes on for a while. ';

  test('the sentence is told that says most', () => {
    const before = filler.repeat(6);
    for (const [end, sentence] of [
      ['', 'Renew the token. '],
      ['! ', 'Renew the token; '],
      [' x | ', 'renew token | '],
    ] as const) {
      const text = `${before.trim()}${end === '' ? ' ' : end}${sentence}${filler}`;
      expect(shown('renew token', text).from).toBe(text.search(/renew/i));
    }
    expect(shown('renew token', `Renew the token. ${before}`).from).toBe(0);
  });

  test('and of a shorter one it is shown whole', () => {
    const line = (length: number): string => `${'x'.repeat(length - 17)}. renew the token`;
    expect([shown('renew', line(250)).from, shown('renew', line(251)).from]).toEqual([0, 236]);
  });
});

test('a line that is near by the word table counts half of how near that is', () => {
  const points: Record<string, number[]> = { car: [1, 0], auto: [0.6, 0.8], boat: [0, 1] };
  const table = {
    point: (counts: Iterable<readonly [string, number]>) => {
      const sum = [0, 0];
      for (const [term] of counts)
        for (const k of [0, 1]) sum[k] = (sum[k] ?? 0) + (points[term]?.[k] ?? 0);
      const length = Math.hypot(...sum) || 1;
      return Float32Array.from(sum, (value) => value / length);
    },
  } as unknown as WordTable;
  expect(shown('car', 'auto', { table }).score).toBeCloseTo(0.3 + (0.1 * 4) / 80);
  expect(shown('car', 'boat\nauto', { table }).line).toBe(2);
  expect(shown('car', '---\nx: auto', { table }).score).toBeCloseTo(-0.3 + (0.1 * 7) / 80);
});
