/** What a terminal acts on, or does not show, is written out; what people write stays as it is. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
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

/** Independent of the tables in use: code points that no terminal may get, by number. */
const ACTED_ON =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0001}-\u{e0fff}]|\p{Cs}/u;

const HOSTILE: readonly [what: string, text: string, shown: string][] = [
  ['colour', '\x1b[31mred', '\\u001b[31mred'],
  ['clears the screen', '\x1b[2J\x1b[H', '\\u001b[2J\\u001b[H'],
  ['clipboard, OSC 52', '\x1b]52;c;cm0=\x07', '\\u001b]52;c;cm0=\\u0007'],
  ['title, ended by ST', '\x1b]0;root\x1b\\', '\\u001b]0;root\\u001b\\'],
  ['link, OSC 8', '\x1b]8;;http://x\x1b\\y', '\\u001b]8;;http://x\\u001b\\y'],
  ['device control', '\x1bPq\x1b\\', '\\u001bPq\\u001b\\'],
  ['C1 CSI', '\x9b31m', '\\u009b31m'],
  ['C1 OSC', '\x9d52;c;x\x9c', '\\u009d52;c;x\\u009c'],
  ['back to the line start', 'ok\revil', 'ok\\revil'],
  ['backspaces', 'good\b\b\b\bevil', 'good\\u0008\\u0008\\u0008\\u0008evil'],
  ['delete', 'a\x7fb', 'a\\u007fb'],
  ['bell', '\x07', '\\u0007'],
  ['null', 'a\0b', 'a\\u0000b'],
  ['other alphabet', '\x0e', '\\u000e'],
  ['vertical tab and form feed', '\v\f', '\\u000b\\u000c'],
  ['next line', 'a\x85b', 'a\\u0085b'],
  ['override to the left', '\u202egpj.exe', '\\u202egpj.exe'],
  ['isolates', '\u2066a\u2069', '\\u2066a\\u2069'],
  ['marks of direction', '\u200e\u200f\u061c', '\\u200e\\u200f\\u061c'],
  ['line and paragraph separators', 'a\u2028b\u2029c', 'a\\u2028b\\u2029c'],
  ['zero width space', 'a\u200bb', 'a\\u200bb'],
  ['joiners among Latin', 'a\u200cb\u200dc', 'a\\u200cb\\u200dc'],
  ['byte order mark', '\ufeffa', '\\ufeffa'],
  ['soft hyphen', 'a\u00adb', 'a\\u00adb'],
  ['word joiner and invisible plus', '\u2060\u2064', '\\u2060\\u2064'],
  ['Hangul filler', '\u3164\u115f\uffa0', '\\u3164\\u115f\\uffa0'],
  ['grapheme joiner', 'a\u034fb', 'a\\u034fb'],
  ['Mongolian vowel separator', '\u180e', '\\u180e'],
  ['tag characters', 'a\u{e0068}\u{e0069}', 'a\\u{e0068}\\u{e0069}'],
  ['variation selector on a letter', 'a\ufe0f', 'a\\ufe0f'],
  ['variation selectors that carry data', '😀\u{e0100}\u{e0101}', '😀\\u{e0100}\\u{e0101}'],
  ['annotation', '\ufff9a\ufffa', '\\ufff9a\\ufffa'],
  ['half a pair', 'a\ud800b', 'a\\ud800b'],
  ['the other half', '\udc00', '\\udc00'],
  ['noncharacters', '\ufdd0\uffff', '\\ufdd0\\uffff'],
  ['marks in a heap', `a${'\u0301'.repeat(10)}`, `a${'\u0301'.repeat(8)}\\u0301\\u0301`],
];

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

test('a megabyte of anything takes time in proportion', () => {
  const text = ['\u200d', '\u0301', '❤', '🇩', '🏴\u{e0061}', 'ब\u200d', 'a\x1b[2m'];
  for (const unit of text) {
    const time = (bytes: number): number => {
      const long = unit.repeat(bytes / unit.length);
      const start = performance.now();
      escapeText(long);
      escapeName(long);
      return performance.now() - start;
    };
    time(1e4);
    // Linear is 8; quadratic would be 64.
    expect(time(4e5) / Math.max(time(5e4), 1)).toBeLessThan(32);
  }
});
