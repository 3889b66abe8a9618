/** One citation against its document: what holds, and what is said of what does not. */
import { describe, expect, test } from 'vitest';
import { checkCitation, linesWith, placeHash, placesWith } from './check.ts';
import { type Citation, placeOf } from './citation.ts';
import { CitedDocument, isBinary } from './document.ts';
import { fold } from './folded-text.ts';
import { markupOf } from './markup.ts';
import { denialBefore } from './quotation.ts';

const document = (text: string, path = '/mnt/a.md'): CitedDocument =>
  new CitedDocument({ path, bytes: Buffer.from(text), updated: new Date(0) });

const paged = (...texts: string[]): CitedDocument =>
  new CitedDocument({
    path: '/mnt/a.pdf',
    bytes: Buffer.from(''),
    updated: new Date(0),
    pages: texts.map((text, index) => ({ name: `p${index + 1}`, text })),
  });

function cited(place: string | null, ...quotes: string[]): Citation {
  const [first = '', second] = place?.split('-') ?? [];
  return {
    path: '/mnt/a.md',
    place: place === null ? null : placeOf(first, second),
    quotes,
    doubtful: false,
    at: 0,
    end: 0,
  };
}

const FEES = document(
  '# Fees\n\nThe fee is 250 crowns.\nIt may not be waived\nby anybody at all.\n\nThe fee is 250 crowns.\n',
);

const fault = (doc: CitedDocument, place: string | null, ...quotes: string[]): string | null =>
  checkCitation(doc, cited(place, ...quotes), null).fault;

describe('words', () => {
  test.each<[string | null, string, string | null]>([
    ['3', 'The fee is 250 crowns.', null],
    ['3-4', 'It may not be waived', null],
    [null, 'by anybody', null],
    ['4', 'waived by anybody', null],
    ['4', 'The fee', 'line 4 does not have these words; they stand at line 3, 7'],
    ['4-5', 'The fee', 'lines 4-5 does not have these words; they stand at line 3, 7'],
    ['3-4', 'waived by anybody', 'these words run on to 5; cite 3-5'],
    ['4', 'may … waived', 'what it leaves out turns it round: "not"'],
    [
      '3',
      'The fee is 300 crowns',
      'line 3 does not have these words: it has them as far as "The fee is", and not "300" after that',
    ],
    ['3', 'No word of it', 'line 3 does not have these words, nor the first of them'],
    [null, 'No word of it', 'it does not have these words, nor the first of them'],
    [
      '3',
      'The fеe',
      'line 3 does not have these words: it has them as far as "The", and not "fеe" after that; "е" (U+0435) is a letter of another alphabet',
    ],
    ['3', '…', 'it quotes no word'],
    ['8', 'The fee', 'there is no line 8; it has 7 lines; the words: they stand at line 3, 7'],
    ['8', 'Nothing', 'there is no line 8; it has 7 lines'],
    ['3-9', 'Nothing', 'there is no line 9; it has 7 lines'],
    ['5-3', 'The fee', '5-3 ends before it begins; the words: they stand at line 3, 7'],
    ['p1', 'Nothing', 'it has no pages; it is cited by lines'],
  ])('at %s: %j', (place, quote, what) => {
    expect(fault(FEES, place, quote)).toBe(what);
  });

  test('of pages are at their page', () => {
    const doc = paged('The fee is 250 crowns.', 'It is due at once.');
    expect(fault(doc, 'p2', 'due at once')).toBeNull();
    expect(fault(doc, 'p1', 'due at once')).toBe(
      'page p1 does not have these words; they stand at p2',
    );
    expect(fault(doc, 'p1-p2', 'crowns. It is due')).toBeNull();
    expect(fault(doc, '3', 'due')).toBe(
      'it is cited by pages, such as p1; the words: they stand at p2',
    );
    expect(fault(doc, 'p9', 'no such')).toBe('there is no page p9; it has 2 pages');
    expect(fault(paged('x'), 'p9', 'no such')).toBe('there is no page p9; it has 1 page');
    expect(fault(paged(), '3', 'x')).toBe('it is cited by pages, such as p1');
  });

  test('that are several must all be there, and the first that is not is told', () => {
    expect(fault(FEES, '3', 'The fee', '250')).toBeNull();
    expect(fault(FEES, '3', 'The fee', '300')).toContain('nor the first of them');
  });

  test('are told of with what stands there, and where they stand', () => {
    const finding = checkCitation(FEES, cited('4', 'The fee'), null);
    expect(finding).toMatchObject({
      stands: 'It may not be waived',
      elsewhere: ['3', '7'],
      notes: [],
      quotes: ['The fee'],
    });
    const long = checkCitation(document(`${'x'.repeat(201)}\n`), cited('1', 'y'), null);
    expect(long.stands).toBe(`${'x'.repeat(200)}…`);
    expect(checkCitation(document(`${'x'.repeat(200)}\n`), cited('1', 'y'), null).stands).toBe(
      'x'.repeat(200),
    );
    expect(checkCitation(FEES, cited(null, 'y'), null).stands).toBeUndefined();
    const many = document('a fee\n'.repeat(9));
    expect(checkCitation(many, cited('1', 'a fee a', 'b'), null).fault).not.toBeNull();
    expect(placesWith(many, ['fee'])).toEqual(['1', '2', '3']);
  });

  test('that a word before them denies hold, with a note', () => {
    const { fault: none, notes } = checkCitation(FEES, cited('4', 'be waived'), null);
    expect([none, notes]).toEqual([null, ['the word before "be waived" is "not"']]);
    expect(checkCitation(FEES, cited('4', 'It may'), null).notes).toEqual([]);
  });

  test('that may be prose are quoted where they stand there', () => {
    const maybe = (maybeQuote: string) => checkCitation(FEES, { ...cited('3'), maybeQuote }, null);
    expect(maybe(' The fee is 250').quotes).toEqual([' The fee is 250']);
    expect(maybe(' of what it costs')).toMatchObject({
      fault: null,
      quotes: [],
      notes: ['nothing is quoted: only the place was checked'],
    });
  });
});

describe('a place alone', () => {
  const place = (at: string | null, sentence: string | null = null) =>
    checkCitation(FEES, cited(at), sentence);

  test('is there, and has something in it', () => {
    expect(place('3')).toEqual({
      fault: null,
      elsewhere: [],
      quotes: [],
      notes: ['nothing is quoted: only the place was checked'],
      stands: 'The fee is 250 crowns.',
    });
    expect([place('2').fault, place('9').fault]).toEqual([
      'line 2 is empty',
      'there is no line 9; it has 7 lines',
    ]);
    expect(checkCitation(document(' \n'), cited(null), null).fault).toBe('the file is empty');
  });

  test('has the numbers of its sentence', () => {
    const notes = (sentence: string, at: string | null = '3'): string[] =>
      [...place(at, sentence).notes].slice(1);
    expect(notes('It costs 250.')).toEqual([]);
    expect(notes('It costs 300, or 400, 400, 1.5 and 7 in v2 of a_3.')).toEqual([
      'the sentence says 300, 400, 1.5, which line 3 does not',
    ]);
    expect(notes('It costs 300.', '3-4')).toEqual([
      'the sentence says 300, which lines 3-4 does not',
    ]);
    expect(notes('It costs 300.', null)).toEqual([
      'the sentence says 300, which the file does not',
    ]);
  });
});

test('a place is known again by the hash of what stands there', () => {
  const hash = placeHash(FEES, placeOf('3', undefined));
  expect(hash).toMatch(/^[0-9a-f]{16}$/);
  expect([
    linesWith(FEES, hash),
    linesWith(FEES, 'x'),
    placeHash(FEES, placeOf('9', undefined)),
  ]).toEqual([['3', '7'], [], '']);
  expect(placeHash(document(' a \n'), placeOf('1', undefined))).toBe(
    placeHash(document('a'), null),
  );
  expect(linesWith(paged('a'), placeHash(document('a'), null))).toEqual([]);
});

describe('a document', () => {
  test('has lines as grep counts them', () => {
    const spans = (text: string): (string | null)[] => {
      const doc = document(text);
      return Array.from({ length: doc.count + 1 }, (_, at) => doc.line(at + 1)).map((span) =>
        span === null ? null : doc.text.slice(span.from, span.to),
      );
    };
    expect(spans('a\n\nb\n')).toEqual(['a', '', 'b', null]);
    expect(spans('a\nb')).toEqual(['a', 'b', null]);
    expect([spans(''), spans('\n')]).toEqual([[null], ['', null]]);
    expect(document('a').line(0)).toBeNull();
  });

  test('tells where an offset lies', () => {
    const doc = document('ab\n\ncd\n');
    expect([0, 2, 3, 4, 6, 99].map((offset) => doc.placeAt(offset))).toEqual([
      '1',
      '1',
      '2',
      '3',
      '3',
      '3',
    ]);
    const pages = paged('ab', 'cd');
    expect([0, 2, 3, 5, 99].map((offset) => pages.placeAt(offset))).toEqual([
      'p1',
      'p1',
      'p2',
      'p2',
      'p2',
    ]);
    expect([
      pages.count,
      pages.anchors,
      pages.page('p3'),
      pages.line(1),
      pages.paged,
      doc.paged,
    ]).toEqual([2, ['p1', 'p2'], null, null, true, false]);
    expect([doc.anchors, doc.page('p1'), paged().placeAt(0)]).toEqual([[], null, '']);
  });

  test('tells where a paragraph ends', () => {
    const doc = document('a\nb\n \nc');
    expect([0, 1, 2].map((to) => doc.paragraphEnd({ from: 0, to }))).toEqual([3, 3, 3]);
    expect(doc.paragraphEnd({ from: 6, to: 7 })).toBe(7);
  });

  test('is binary where its beginning has a zero', () => {
    const bytes = (at: number): Buffer => Buffer.alloc(9_000, 'x').fill(0, at, at + 1);
    expect([isBinary(bytes(8_191)), isBinary(bytes(8_192)), isBinary(Buffer.from('x'))]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('is folded as Markdown where it is that', () => {
    const foldings = (doc: CitedDocument) =>
      doc.foldings(true).map(({ markup, lineEndHyphen }) => [markup, lineEndHyphen]);
    expect(foldings(document('x', '/a.txt'))).toEqual([[false, undefined]]);
    for (const doc of [document('x', '/a.MD'), document('x', '/a.mdx'), paged('x')])
      expect(foldings(doc)).toEqual([
        [false, undefined],
        [true, undefined],
      ]);
    expect(foldings(document('re-\nnew', '/a.txt'))).toEqual([
      [false, undefined],
      [false, 'kept'],
      [false, 'dropped'],
    ]);
  });
});

describe('folding', () => {
  const folded = (text: string, more: Partial<Parameters<typeof fold>[1]> = {}): string =>
    fold(text, { markup: false, invisible: true, ...more }).text;

  test.each([
    ['a \t\n b', 'a b'],
    ['“a” „b‟ «c» ‹d› ‘e’ 〝f〞', "'a' 'b' 'c' 'd' 'e' 'f'"],
    ['a‐b‑c‒d–e—f―g−h', 'a-b-c-d-e-f-g-h'],
    ['a…ﬀﬁﬂﬃﬄﬅﬆ', 'a...fffiflffifflstst'],
  ])('%j is %j', (text, plain) => {
    expect(folded(text)).toBe(plain);
  });

  test('leaves out what nobody sees, or what breaks a word, where that is wanted', () => {
    expect([folded('a\u00adb\u200bc', { invisible: false }), folded('a\u00adb')]).toEqual([
      'abc',
      'a\u00adb',
    ]);
    expect([
      folded('re-\n  new', { lineEndHyphen: 'kept' }),
      folded('re-\n  new', { lineEndHyphen: 'dropped' }),
      folded('re-\n  new'),
      folded('re- \nnew', { lineEndHyphen: 'dropped' }),
    ]).toEqual(['re-new', 'renew', 're- new', 're- new']);
    expect(folded('**a** [b](c)', { markup: true })).toBe('a b');
  });

  test('tells where each unit came from', () => {
    const { at, text } = fold('a  ﬃ\n\nb', { markup: false, invisible: true });
    expect([text, [...at]]).toEqual(['a ffi b', [0, 1, 3, 3, 3, 4, 6, 7]]);
    const marked = fold('*a* b', { markup: true, invisible: true });
    expect([marked.text, [...marked.at]]).toEqual(['a b', [1, 3, 4, 5]]);
  });
});

test.each([
  ['# Head', 'Head'],
  ['  > > ## Head', 'Head'],
  ['- [x] done', 'done'],
  ['+ [ ] open', 'open'],
  ['* item', 'item'],
  ['a *b* **c** ***d*** _e_ __f__', 'a b c d e f'],
  ['a*b*c snake_case_word 2 * 3 * 4', 'a*b*c snake_case_word 2 * 3 * 4'],
  ['`a*b*` ``cd``', 'a*b* cd'],
  ['\\*a\\* \\_b\\_ \\q *c\\* d*', '*a* _b_ \\q *c* d*'],
  ['[a](b "c") ![d](e) [f][g]', 'a d [f][g]'],
  ['| a | b |', ' a  b '],
  ['a|b', 'a|b'],
  ['```\n# *a*\n```\n# b', '```\n# *a*\n```\nb'],
  ['> ~~~\n*a*\n~~~', '> ~~~\n*a*\n~~~'],
])('of %j a reader sees %j', (source, seen) => {
  let rest = '';
  const hidden = new Set(
    markupOf(source).flatMap(([from, to]) =>
      Array.from({ length: to - from }, (_, index) => from + index),
    ),
  );
  for (let at = 0; at < source.length; at++) if (!hidden.has(at)) rest += source[at];
  expect(rest).toBe(seen);
});

test('a line that is no prose has no signs', () => {
  const line = (length: number): string => `*a*${'x'.repeat(length - 3)}`;
  expect([
    markupOf(`*a* ${line(19_996)}`).length > 0,
    markupOf(`*a* ${line(19_997)}`).length,
  ]).toEqual([true, 0]);
});

test.each([
  ['it may not ', 'not'],
  ['it can’t ', "can't"],
  ['it may not. ', null],
  ['not so: ', null],
  ['ohne ', 'ohne'],
  ['keinerlei ', 'keinerlei'],
  ['knot ', null],
  ['', null],
])('before what follows %j denies it: %s', (before, denial) => {
  expect(denialBefore(`${before}be waived`, before.length)).toBe(denial);
});
