/** What of a question is meant letter for letter, and where a text has it. */
import { describe, expect, test } from 'vitest';
import type { HeldDocument } from '../index/documents.ts';
import { askedField, fieldsEnd, isAskedFor, isTitle, keyOf, rootOf } from './front-matter.ts';
import { type LookUp, RANKS, type Sighting } from './look-up.ts';
import { lookUpQuestion } from './question.ts';
import { isKey, lookedUpAs, matcherOf, type TokenKind, tokensOf } from './token.ts';

test.each<[TokenKind, string[]]>([
  [
    'certain',
    [
      'ada@example.com',
      'https://a.b/c',
      '2024-06-03',
      '2024/6',
      '2024-06-03T10:00:00Z',
      '3.6.2024',
      '3/6/2024',
      '123e4567-e89b-12d3-a456-426614174000',
      'a1b2c3',
      'sha256:abc12345',
      '1.2.3',
      'v1.2',
      '10.0.0.1:8080',
      'PLT-12',
      'PLT_12',
      'E404',
      'ABC-123',
      '#12',
      '/etc/hosts',
      '~/x',
      './x',
      '../x',
      'a/b/c',
      'src/a.ts',
      'src/a.ts:12:5',
    ],
  ],
  ['number', ['12', '-5', '3.5', '1,000', '5%', '12:30', '10_000', '1.2']],
  [
    'symbol',
    [
      'writeBoolean',
      'snake_case',
      'a-b',
      'a.b',
      'std::map',
      'C++',
      'C#',
      '.env',
      '$x',
      '_x',
      '@x',
      '--flag',
      'x1',
      '1x',
      'API',
      'a@b',
      'a/b',
    ],
  ],
  ['word', ['hello', 'Hello', 'größe', 'I', 'A', 'decade', '→', 'facade']],
])('%s: %j', (kind, texts) => {
  for (const text of texts) expect(tokensOf(text)).toEqual([{ text, kind }]);
});

test('tokens are what stands between blanks, without the punctuation around them', () => {
  expect(tokensOf('  “Is (PLT-12)” *done*, or\t[v1.2]? …  ').map(({ text }) => text)).toEqual([
    'Is',
    'PLT-12',
    'done',
    'or',
    'v1.2',
  ]);
  expect(tokensOf('ＰＬＴ-１２')).toEqual([{ text: 'PLT-12', kind: 'certain' }]);
  expect(tokensOf(' ?! ')).toEqual([]);
});

test('a key is one of a record', () => {
  const isOf = (text: string): boolean => isKey({ text, kind: 'certain' });
  expect(['PLT-12', 'A1_7', 'plt-12', 'P-12', 'E404', 'PLT-12a'].map(isOf)).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test.each([
  ['src/a.ts:12', 'src/a.ts', 12],
  ['src/a.ts:12:5', 'src/a.ts', 12],
  ['v1.2', '1.2', null],
  ['V1.2', '1.2', null],
  ['v12', 'v12', null],
  ['a.b', 'a.b', null],
  ['10.0.0.1:80', '10.0.0.1', 80],
])('%s is looked up as %s, line %s', (token, text, line) => {
  expect(lookedUpAs(token)).toEqual({ text, line });
});

describe('a text', () => {
  const has = (
    name: 'sameCase' | 'whole' | 'loose' | 'part' | 'inPath',
    token: string,
    text: string,
  ): boolean => text.search(matcherOf(token)[name]) !== -1;

  test.each([
    ['PLT-12', 'see PLT-12.', true],
    ['PLT-12', 'see PLT-123', false],
    ['PLT-12', 'see XPLT-12', false],
    ['PLT-12', 'see a-PLT-12', false],
    ['PLT-12', 'see PLT-12-b', false],
    ['PLT-12', '(PLT-12)', true],
    ['1.2.3', 'v1.2.3', true],
    ['1.2.3', '1.2.3.4', false],
    ['1.2.3', '01.2.3', false],
    ['2024-06-03', '2024-06-03T10:00', true],
    ['2024-06-03', '2024-06-03-1', false],
    ['2024-06-03', '2024-06-031', false],
    ['a b', 'a   b', true],
    ['a.b', 'axb', false],
    ['→', 'a→b', true],
    ['#12', '#12', true],
    ['#12', '#123', false],
  ])('has %s as a whole: %j %s', (token, text, is) => {
    expect([has('sameCase', token, text), has('whole', token, text)]).toEqual([is, is]);
  });

  test('has it in other letters, with other signs, or within others', () => {
    expect([has('sameCase', 'Api', 'API'), has('whole', 'Api', 'API')]).toEqual([false, true]);
    expect(
      ['SHA256', 'sha 256', 'sha_256', 'sha--256', 'sha256x'].map((text) =>
        has('loose', 'sha-256', text),
      ),
    ).toEqual([true, true, true, false, false]);
    expect([has('loose', 'sha', 's ha'), has('loose', 'sha', 'SHA')]).toEqual([false, true]);
    expect([
      has('part', 'oken', 'tokens'),
      has('part', '12', 'a12b'),
      has('part', '12', '123'),
      has('part', '12', '512'),
    ]).toEqual([true, true, false, false]);
    // The beginning of a hash may be followed by more of it.
    expect([has('part', 'a1b2', 'a1b2c3'), has('part', 'a1b2', '9a1b2c3')]).toEqual([true, true]);
    expect([
      has('inPath', '#12', '/issues/12.md'),
      has('inPath', 'a.b', '/axb'),
      has('inPath', 'AB', '/xabx'),
    ]).toEqual([true, false, true]);
    expect([matcherOf('Größe').plain, matcherOf('#12').plain]).toEqual(['grosse', '#12']);
  });
});

describe('front matter', () => {
  const chunk = (firstLine: number) => ({ firstLine, lastLine: 9, crumb: '', text: '' });

  test('is from the first line of a document up to its end', () => {
    expect(fieldsEnd(chunk(1), ['---', 'a: b', '---', 'x'])).toBe(2);
    expect(fieldsEnd(chunk(1), ['---', 'a: b'])).toBe(2);
    expect(fieldsEnd(chunk(2), ['---', 'a: b', '---'])).toBe(0);
    expect(fieldsEnd(chunk(1), ['a: b', '---'])).toBe(0);
  });

  test.each([
    ['state: open', { name: 'state', value: 'open' }],
    ['due-date:  "a: b" ', { name: 'due-date', value: 'a: b' }],
    ["a: 'b'", { name: 'a', value: 'b' }],
    ['a: "b\'', { name: 'a', value: '"b\'' }],
    ['a:', { name: 'a', value: '' }],
    ['a:b', null],
    ['a b: c', null],
    ['  a: b', null],
  ])('has the field %j', (line, field) => {
    expect(keyOf(line)).toEqual(field);
  });

  test('has titles, as texts have', () => {
    expect(['# A', 'title: A', 'title:A', '#A', '## A', '# ', 'title:'].map(isTitle)).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  test.each([
    ['assignee', 'assign'],
    ['assigned', 'assign'],
    ['owners', 'own'],
    ['labels', 'label'],
    ['closing', 'clos'],
    ['state', 'stat'],
    ['ed', 'ed'],
    ['used', 'used'],
    ['uses', 'uses'],
  ])('knows %s by %s', (word, root) => {
    expect(rootOf(word)).toBe(root);
  });

  test.each([
    ['state: open', 'what is the state of PLT-12', true],
    ['state: open', 'state of the art', true],
    ['state: open', 'state: what', true],
    ['state: open', 'state machine', false],
    ['state: open', 'open state', true],
    ['state: open', 'PLT-12 state', true],
    ['state: open', 'what is open', false],
    ['assignee: ada', 'who is assigned', true],
    ['assignee: ada', 'who broke it', true],
    ['assignee: ada', 'when was it broken', false],
    ['created_at: x', 'when was it made', true],
    ['created_at: x', 'who made it', false],
    ['created_at: x', 'what was created', true],
    ['due: x', 'When is it due', true],
    ['id: 7', 'what is the id', false],
    ['labels: x', 'which label', true],
    ['priority_level: x', 'which priority', false],
    ['priority_level: x', 'which level of priority', true],
  ])('%s is asked for by %j: %s', (line, question, is) => {
    const field = keyOf(line);
    expect(field !== null && isAskedFor(field, question)).toBe(is);
    expect(askedField(['---', 'other: x', line, '---'], 4, question)).toBe(is ? 2 : -1);
  });

  test('is not asked for a field without a value, or behind its end', () => {
    expect(askedField(['---', 'state:', '---'], 3, 'what state')).toBe(-1);
    expect(askedField(['---', 'state: x'], 1, 'what state')).toBe(-1);
  });
});

describe('a question', () => {
  const rank = (name: (typeof RANKS)[number]): number => RANKS.indexOf(name);

  const sighting = (
    id: number,
    ranked: number,
    isWhole = true,
    lines: readonly number[] = [],
  ): Sighting =>
    ({
      document: { id, path: `/${id}` } as HeldDocument,
      rank: ranked,
      isWhole,
      asked: null,
      lines: lines.map((line) => ({ line })),
      first: 0,
      end: 0,
    }) as unknown as Sighting;

  const asked: [string, boolean | undefined][] = [];
  const look = (query: string, found: Readonly<Record<string, Sighting[]>>, isRanked = true) => {
    asked.length = 0;
    const lookUp = {
      find: (token: string, _: unknown, inTexts?: boolean) => {
        asked.push([token, inTexts]);
        return found[token] ?? [];
      },
    } as unknown as LookUp;
    const { first, last, ...rest } = lookUpQuestion(query, lookUp, () => 0, isRanked);
    const ids = (each: readonly Sighting[]): number[] => each.map(({ document }) => document.id);
    return { first: ids(first), last: ids(last), ...rest };
  };
  const nothing = { first: [], last: [], decides: false, missing: [], there: [] };

  test('that is an id or a number is decided by what has it', () => {
    for (const token of ['PLT-12', '42']) {
      const found = { [token]: [sighting(1, 0), sighting(2, 8, false)] };
      expect(look(token, found)).toEqual({
        ...nothing,
        first: [1, 2],
        decides: true,
        there: [token],
      });
      expect(look(token, {})).toEqual({ ...nothing, decides: true, missing: [token] });
    }
  });

  test('that is a symbol has first what has it whole', () => {
    const found = { writeFile: [sighting(1, 3), sighting(2, 8, false)] };
    expect(look('writeFile', found)).toEqual({
      ...nothing,
      first: [1],
      last: [2],
      there: ['writeFile'],
    });
    expect(look('writeFile', {})).toEqual({ ...nothing, missing: ['writeFile'] });
  });

  test('that is a word has first what is called so', () => {
    const found = { billing: [sighting(1, 0), sighting(2, 1), sighting(3, 3)] };
    expect(look('billing', found)).toEqual({
      ...nothing,
      first: [1],
      last: [2, 3],
      there: ['billing'],
    });
    expect(asked).toEqual([['billing', false]]);
    expect(look('billing', {})).toEqual(nothing);
    look('billing', found, false);
    expect(asked).toEqual([['billing', true]]);
    expect(look('the', { the: [sighting(1, 0), sighting(2, 3)] })).toEqual({
      ...nothing,
      first: [1],
      there: ['the'],
    });
  });

  test('without a word is looked for as it is', () => {
    expect(look(' → ', { '→': [sighting(1, 3)] })).toMatchObject({ last: [1], there: ['→'] });
    expect(look('→', {})).toMatchObject({ missing: ['→'] });
    expect(look(' ?! ', { '?!': [sighting(1, 3)] })).toEqual({
      ...nothing,
      first: [1],
      decides: true,
    });
    expect(look('?!', {})).toEqual({ ...nothing, decides: true, missing: ['?!'] });
    expect(look('  ', {})).toEqual({ ...nothing, decides: true });
  });

  test('of several tokens has first what is named by one, and of keys nothing else', () => {
    const found = {
      'PLT-12': [sighting(1, 0), sighting(2, rank('its title')), sighting(3, rank('its text'))],
    };
    expect(look('why did PLT-12 break', found)).toEqual({
      ...nothing,
      first: [1, 2],
      there: ['PLT-12'],
    });
    expect(look('why is PLT-12', found)).toMatchObject({ first: [1, 2], decides: true });
    expect(look('PLT-12 PLT-99', found)).toMatchObject({
      decides: true,
      missing: ['PLT-99'],
      there: ['PLT-12'],
    });
  });

  test('has a symbol’s documents first where they are called so, and dates in texts', () => {
    expect(
      look('what is writeFile', { writeFile: [sighting(1, 0), sighting(2, 1)] }),
    ).toMatchObject({
      first: [1],
      decides: false,
    });
    const texts = (count: number) => ({
      '2024-06-03': Array.from({ length: count }, (_, id) => sighting(id, rank('its text'))),
    });
    expect(look('what on 2024-06-03', texts(20)).first).toHaveLength(20);
    expect(look('what on 2024-06-03', texts(21)).first).toEqual([]);
    expect(look('why PLT-12', { 'PLT-12': texts(2)['2024-06-03'] }).first).toEqual([]);
  });

  test('has no first where a name is that of many', () => {
    const named = (count: number) => ({
      'PLT-12': Array.from({ length: count }, (_, id) => sighting(id, 1)),
    });
    expect(look('why PLT-12', named(3)).first).toHaveLength(3);
    expect(look('why PLT-12', named(4)).first).toEqual([]);
  });

  test('with more than six tokens was pasted', () => {
    const tokens = (count: number): string =>
      Array.from({ length: count }, (_, at) => `PLT-${at + 1}`).join(' ');
    look(tokens(6), {});
    expect(asked).toHaveLength(6);
    expect(look(tokens(7), {})).toEqual(nothing);
    expect(asked).toHaveLength(0);
  });

  test('has each document once, with the lines of all', () => {
    const both = lookUpQuestion(
      'AB-1 CD-2',
      {
        find: (token: string) => [sighting(1, 0, true, token === 'AB-1' ? [1, 2] : [2, 3])],
      } as unknown as LookUp,
      () => 0,
      true,
    ).first;
    expect(both.map(({ lines }) => lines.map(({ line }) => line))).toEqual([[1, 2, 3]]);
  });
});
