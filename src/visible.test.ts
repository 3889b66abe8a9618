/** What a terminal acts on, or does not show, is written out; what people write stays as it is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ACTED_ON, HOSTILE } from '../test/hostile-text.ts';
import { growth } from '../test/support/cpu-time.ts';
import {
  escapeLine,
  escapeName,
  escapeText,
  shellWord,
  VisibleStream,
  visible,
  visibleJson,
  visibleLines,
  visibleMessage,
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
