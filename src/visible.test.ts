/** What a terminal acts on, or does not show, is written out; what people write stays as it is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ACTED_ON, HOSTILE } from '../test/hostile-text.ts';
import { growth } from '../test/support/cpu-time.ts';
import {
  bold,
  cellsOf,
  control,
  dim,
  escapeLine,
  escapeName,
  escapeText,
  isVisibleLine,
  joined,
  shellWord,
  styled,
  VisibleStream,
  visible,
  visibleJson,
  visibleLines,
  visibleMessage,
  visibleName,
} from './visible.ts';

test.each(HOSTILE)('%s is written out', (_, text, shown) => {
  expect(escapeText(text)).toBe(shown);
  for (const each of [escapeText(text), escapeLine(text), escapeName(text), shellWord(text)])
    expect(each).not.toMatch(ACTED_ON);
});

test.each([
  'plain words, punctuation: {}[]<>|~`',
  'Grüße, naïve, Ελληνικά, русский, עברית, العربية',
  'हिन्दी தமிழ் 한국어 日本語 ไทย tiếng Việt',
  'می‌خواهم क्‍ष',
  '👩‍👩‍👧‍👦 ❤️ 1️⃣ 🏳️‍🌈 🇩🇪 👍🏽 🏴󠁧󠁢󠁥󠁮󠁧󠁿',
  '→ ─ ░ ✓ € ∑',
])('%s stays as it is', (text) => {
  expect(escapeText(`${text}\n\t${text}`)).toBe(`${text}\n\t${text}`);
  expect(escapeLine(text)).toBe(text);
});

test('a line stays one line, and a name has quotes where its ends would blur', () => {
  expect(escapeLine('a\nallow? y')).toBe('"a\\nallow? y"');
  expect(escapeLine('say "x"\r\n')).toBe('"say \\"x\\"\\r\\n"');
  expect(['a/b.md', 'é', 'a b', 'a"b', '', '\u00a0', '\u2800'].map(escapeName)).toEqual([
    'a/b.md',
    'é',
    '"a b"',
    '"a\\"b"',
    '""',
    '"\u00a0"',
    '"\u2800"',
  ]);
  expect(String(visible`no ${'x\ndirigent: allowed'}: ${visible`${1}`}\n`)).toBe(
    'no "x\\ndirigent: allowed": 1\n',
  );
  expect(String(visibleMessage('one\ntwo\n'))).toBe('one\n  two');
});

test('whatever is written in whatever pieces, nothing is left that a terminal acts on, and only once', () => {
  const unit = fc.constantFrom(
    ...HOSTILE.flatMap(([, text]) => text.split('')),
    ...'a 1#\n\t❤️👩‍👧🇩🇪'.split(''),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 30 }), (units) => {
      const text = units.join('');
      const stream = new VisibleStream();
      const pieces = [...units.map((each) => stream.push(each)), stream.end()].join('');
      const whole = escapeText(text);
      expect(whole.replace(/\p{RGI_Emoji}/gv, '')).not.toMatch(ACTED_ON);
      expect(pieces.replace(/\p{RGI_Emoji}/gv, '')).not.toMatch(ACTED_ON);
      expect(escapeText(whole)).toBe(whole);
      expect(JSON.parse(String(visibleJson({ [text]: [text] })))).toEqual({ [text]: [text] });
      expect(String(visibleJson(text, 2))).not.toMatch(ACTED_ON);
    }),
    { numRuns: 300 },
  );
});

test('an emoji and a pair that arrive in halves are shown whole', () => {
  const stream = new VisibleStream();
  const units = '👩‍👧 and 🇩🇪'.split('');
  expect([...units.map((each) => stream.push(each)), stream.end()].join('')).toBe(units.join(''));
});

test('a long line is broken before the terminal would, keeps its sign, and says what is left out', () => {
  const layout = { prefix: '  ', columns: 20, rows: 2, patch: true };
  expect(String(visibleLines(`+${'x'.repeat(100)}\n-y\n`, layout))).toBe(
    `  +${'x'.repeat(16)}\n  +↪${'x'.repeat(16)}\n  +↪… 68 more characters\n  -y\n`,
  );
  // Wide characters take two cells, and a forged row cannot begin in the first column.
  const rows = String(visibleLines(`${'漢'.repeat(12)}allow?`, { columns: 20 })).split('\n');
  expect(rows).toEqual([`${'漢'.repeat(9)}`, '↪漢漢漢allow?']);
});

test('no line is made of no text, and none is ended that was not', () => {
  const shown = (text: string) => String(visibleLines(text, { prefix: '  ', columns: 20 }));
  expect([shown(''), shown('a'), shown('a\n'), shown('\n')]).toEqual(['', '  a', '  a\n', '  \n']);
});

test('what is said in words is broken between them; a link stays whole, and nothing else runs out of sight', () => {
  const said = (text: string): string[] =>
    String(visibleLines(text, { columns: 20, words: true })).split('\n');
  expect(said('shall I open the door of the house?')).toEqual([
    'shall I open the ',
    '↪door of the house?',
  ]);
  const link = `https://example.com/${'a'.repeat(40)}`;
  expect(said(`open ${link} now`)).toEqual(['open ', `↪${link}`, '↪ now']);
  for (const gap of [' ', '_', '\u3000', '漢'])
    for (const row of said(`yes?${gap.repeat(60)}and remove all`))
      expect(row.trimEnd().length, row).toBeLessThanOrEqual(20);
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(' ', 'a', '漢', '🇩', '.', '/') }), (text) => {
      expect(said(text).join('').replaceAll('↪', '')).toBe(text);
    }),
  );
});

test('a megabyte of anything takes time in proportion', () => {
  const text = ['\u200d', '\u0301', '❤', '🇩', '🏴\u{e0061}', 'ब\u200d', 'a\x1b[2m'];
  for (const unit of text) {
    const work = (bytes: number) => {
      const long = unit.repeat(bytes / unit.length);
      return () => {
        escapeText(long);
        escapeName(long);
      };
    };
    // Linear is 8; quadratic would be 64.
    const most = 32;
    expect(growth(work, { small: 5e4, large: 4e5, enough: most })).toBeLessThan(most);
  }
});

test('lines are set off by a prefix, and what ends without a newline gets none', () => {
  const lines = (text: string, layout?: Parameters<typeof visibleLines>[1]): string =>
    String(visibleLines(text, layout));
  expect(lines('a\x1b\nb')).toBe('a\\u001b\nb');
  expect(lines('a\nb\n', { prefix: '| ' })).toBe('| a\n| b\n');
  expect(lines('a\n\nb', { prefix: '| ' })).toBe('| a\n| \n| b');
  expect([lines('', { prefix: '| ' }), lines('\n', { prefix: '| ' })]).toEqual(['', '| \n']);
  expect(lines('x\n', { columns: 20 })).toBe('x\n');
});

test('a row has as many cells as there are columns, prefix and sign included, and eight at least', () => {
  const rows = (text: string, layout: Parameters<typeof visibleLines>[1]): string[] =>
    String(visibleLines(text, layout)).split('\n');
  const full = 'x'.repeat(19);
  expect(rows(full, { columns: 20 })).toEqual([full]);
  expect(rows(`${full}y`, { columns: 20 })).toEqual([full, '↪y']);
  expect(rows('x'.repeat(9), { columns: 1 })).toEqual(['xxxxxxxx', '↪x']);
  expect(rows('x'.repeat(17), { columns: 20, prefix: '| ' })).toEqual([`| ${'x'.repeat(17)}`]);
  for (const sign of ['+', '-', ' '])
    expect(rows(`${sign}${full}`, { columns: 20, patch: true })).toEqual([
      `${sign}${'x'.repeat(18)}`,
      `${sign}↪x`,
    ]);
  // What is no patch has no sign.
  expect(rows(`+${full}`, { columns: 20 })).toEqual([`+${'x'.repeat(18)}`, '↪x']);
  expect(rows(`@${full}`, { columns: 20, patch: true })).toEqual([`@${'x'.repeat(18)}`, '↪x']);
});

test('of a line that is cut it is said how much is left out, of one that just fits nothing', () => {
  const cut = (length: number): string =>
    String(visibleLines('x'.repeat(length), { columns: 20, rows: 2 }));
  const two = `${'x'.repeat(19)}\n↪${'x'.repeat(19)}`;
  expect(cut(38)).toBe(two);
  expect(cut(39)).toBe(`${two}\n↪… 1 more characters`);
  expect(cut(2_038)).toBe(`${two}\n↪… 2,000 more characters`);
});

test('a character takes as many cells as a terminal gives it at most', () => {
  const cells = {
    a: 1,
    '~': 1,
    é: 1,
    '\t': 8,
    '\u0301': 0,
    漢: 2,
    ㄱ: 2,
    한: 2,
    Ａ: 2,
    '🚀': 2,
    '\u{20000}': 2,
  };
  for (const [character, count] of Object.entries(cells))
    expect(cellsOf(character), character).toBe(count);
  expect(['ᄀ', 'ᅟ', '⺀', '꓏', '가', '힣', '豈', '︰', '￠'].map(cellsOf)).toEqual(
    Array(9).fill(2),
  );
});

test('words hang at the end of a row by one blank', () => {
  const said = (text: string): string[] =>
    String(visibleLines(text, { columns: 20, words: true })).split('\n');
  const word = 'x'.repeat(19);
  expect(said(`${word} y`)).toEqual([`${word} `, '↪y']);
  expect(said(`${word}  y`)).toEqual([`${word} `, '↪ y']);
  expect(said(`${'x'.repeat(20)} y`)).toEqual([word, '↪x y']);
  expect(said(`a ${word}`)).toEqual(['a ', `↪${word}`]);
});

test('marks upon a letter are spelling up to eight', () => {
  const marked = (count: number): string => `a${'\u0301'.repeat(count)}`;
  expect(escapeText(marked(8))).toBe(marked(8));
  expect(escapeText(marked(9))).toBe(`${marked(8)}\\u0301`);
  expect([escapeName(marked(8)), escapeName(marked(9))]).toEqual([
    marked(8),
    `"${marked(8)}\\u0301"`,
  ]);
});

test('what is written out has a short name, or its number', () => {
  expect(escapeLine('a\tb')).toBe('a\\tb');
  expect(escapeText('\r\u2028\u{e0041}')).toBe('\\r\\u2028\\u{e0041}');
  expect(shellWord("it's \\ \n\u{e0041}")).toBe("$'it\\'s \\\\ \\u000a\\U000e0041'");
  expect([isVisibleLine('a b'), isVisibleLine('a\tb'), isVisibleLine('a\nb')]).toEqual([
    true,
    false,
    false,
  ]);
  // Arabic's signs of number are seen.
  expect(escapeText('\u0600')).toBe('\u0600');
});

test('a value is shown as JSON that is the same value', () => {
  expect(String(visibleJson(undefined))).toBe('null');
  expect(String(visibleJson({ a: ['\u{e0041}'] }))).toBe('{"a":["\\udb40\\udc41"]}');
  expect(String(visibleJson({ a: 1 }, 2))).toBe('{\n  "a": 1\n}');
});

test('our own words have styles and controls, and join', () => {
  const word = visible`x`;
  expect([bold(word), dim(word), styled(word, 1, 31)].map(String)).toEqual([
    '\x1b[1mx\x1b[0m',
    '\x1b[2mx\x1b[0m',
    '\x1b[1;31mx\x1b[0m',
  ]);
  expect(String(joined([word, visibleName('a b')], ', '))).toBe('x, "a b"');
  expect(String(joined([word, word]))).toBe('xx');
  expect(String(control('other screen')) + String(control('line start'))).toBe('\x1b[?1049h\r');
  expect(String(visibleMessage('a\nb', '> '))).toBe('a\n> b');
});

test('of a stream nothing is kept back for long, and nothing twice', () => {
  const stream = new VisibleStream();
  expect(String(stream.push('a'))).toBe('a');
  // No emoji is so long: what is kept is bounded.
  expect(String(stream.push('👍'.repeat(60))).length).toBe(120 - 64);
  expect(String(stream.end()).length).toBe(64);
  expect(String(stream.end())).toBe('');
});
