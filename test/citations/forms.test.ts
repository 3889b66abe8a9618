/** The forms in which a citation is understood, and what is none. */
import { describe, expect, test } from 'vitest';
import { parseAnswer } from '../../src/citations/answer.ts';
import { citationName } from '../../src/citations/citation.ts';

/** The citations of an answer: name and quotations. */
const found = (answer: string): string[] =>
  parseAnswer(answer).citations.map(({ path, place, quotes }) =>
    [citationName(path, place), ...quotes.map((quote) => JSON.stringify(quote))].join(' '),
  );

describe('a citation is found', () => {
  test.each([
    ['[/mnt/a.md:12 "some words"]', ['/mnt/a.md:12 "some words"']],
    ['[/mnt/a.md:12-15 "some words"]', ['/mnt/a.md:12-15 "some words"']],
    ['[/mnt/a.md:12, “some words”, "and more"]', ['/mnt/a.md:12 "some words" "and more"']],
    ['[/mnt/a.md:12 "he said "no" to it"]', ['/mnt/a.md:12 "he said \\"no\\" to it"']],
    ['[/mnt/a.md:12 "a \\"b\\" c"]', ['/mnt/a.md:12 "a \\"b\\" c"']],
    ['[/mnt/a.md "some words"]', ['/mnt/a.md "some words"']],
    ['[/mnt/a.md:12]', ['/mnt/a.md:12']],
    ['[/mnt/My Notes (1).md:3 "x"]', ['/mnt/My Notes (1).md:3 "x"']],
    ['[/mnt/notes [draft].md:3 "x"]', ['/mnt/notes [draft].md:3 "x"']],
    ['[/mnt/a.md:1 "x"][/mnt/b.md:2 "y"]', ['/mnt/a.md:1 "x"', '/mnt/b.md:2 "y"']],
    ['[/mnt/a.md:1; /mnt/b.md:2]', ['/mnt/a.md:1', '/mnt/b.md:2']],
    ['[/mnt/r.pdf:p12 "x"] and [/mnt/t.xlsx:sheet2]', ['/mnt/r.pdf:p12 "x"', '/mnt/t.xlsx:sheet2']],
    ['[the page](/mnt/a.md:12)', ['/mnt/a.md:12']],
    ['[“some words”](/mnt/a.md#L12-L14)', ['/mnt/a.md:12-14 "some words"']],
    ['[the page](/mnt/a%20b.md:12 "some words")', ['/mnt/a b.md:12 "some words"']],
    ['/mnt/a.md:12:a line as grep prints it', ['/mnt/a.md:12 "a line as grep prints it"']],
    ['- `docs/a.md:12:  indented`', ['docs/a.md:12 "  indented"']],
    ['```\n/mnt/a.md:12: - an item\n```', ['/mnt/a.md:12 " - an item"']],
    ['It is "so" (/mnt/a.md:12).', ['/mnt/a.md:12 "so"']],
    ['It is „so“, siehe /mnt/a.md:12.', ['/mnt/a.md:12 "so"']],
    ['*"so"* — `/mnt/a.md:12`', ['/mnt/a.md:12 "so"']],
    ['/mnt/a.md:12 says: "so it is"', ['/mnt/a.md:12 "so it is"']],
    ['(/mnt/a.md:1) "so" (/mnt/b.md:2)', ['/mnt/a.md:1', '/mnt/b.md:2 "so"']],
    [
      'He writes "that it is so at all times" in a note, /mnt/a.md:12.',
      ['/mnt/a.md:12 "that it is so at all times"'],
    ],
    [
      'In /mnt/a.md:1 he writes, we know, "that it is so at all times" in a note, /mnt/b.md:2.',
      ['/mnt/a.md:1', '/mnt/b.md:2 "that it is so at all times"'],
    ],
    [
      'In /mnt/a.md:1 and on he writes "that it is so at all times".',
      ['/mnt/a.md:1 "that it is so at all times"'],
    ],
    [
      'See /mnt/a.md:1 for that. He writes "that it is so at all times". Then look at /mnt/b.md:2.',
      ['/mnt/a.md:1', '/mnt/b.md:2'],
    ],
    ['> some words\n> of it\n— /mnt/a.md:3-4', ['/mnt/a.md:3-4 "some words\\nof it"']],
    [
      '> some words, and report.pdf:p12 [b.md:1 "x"]\n— /mnt/a.md:3',
      ['/mnt/a.md:3 "some words, and report.pdf:p12 [b.md:1 \\"x\\"]"'],
    ],
    ['> some words (/mnt/a.md:3)', ['/mnt/a.md:3 "some words"']],
    ['`/mnt/a.md:3`:\n\n> some words', ['/mnt/a.md:3 "some words"']],
    ['It is so.[^1]\n\n[^1]: /mnt/a.md:3 "so"', ['/mnt/a.md:3 "so"']],
    ['see "/mnt/My Notes.md:3"', ['/mnt/My Notes.md:3']],
    ['in src/a.ts:12:5 and ../b.c:7', ['src/a.ts:12', '../b.c:7']],
  ])('%j', (answer, citations) => expect(found(answer)).toEqual(citations));
});

describe('no citation is seen in', () => {
  test.each([
    'at 12:30, in the ratio 3:4, on 2026-01-02 10:11:12',
    'http://example.com:80/a.md:12 and https://a.b/c.html#L12',
    'node:fs, key:12, image node:18, python:3.12',
    '127.0.0.1:8080',
    '```js\nconst a = b.c:12;\n```',
    '```\nsrc/a.c:12:5: error: expected ;\n```',
    '[x] done, [1], [^2], [a link](https://a.b/c:12)',
    '',
  ])('%j', (answer) => expect(found(answer)).toEqual([]));

  test('what looks like a host and a port, unless there is such a file', () => {
    const { citations } = parseAnswer('db.internal:5432 and and/or:3');
    expect(citations.map(({ doubtful }) => doubtful)).toEqual([true, true]);
  });
});

test('sentences are counted with and without citations: a citation behind the full stop belongs before it', () => {
  const answer = [
    '# A heading is no sentence',
    'The first one has one. [/mnt/a.md:1 "x"] The second has none. The third has one (/mnt/a.md:2).',
    '',
    'Does a question claim anything? What leads in:',
    '- an item with a footnote[^1]',
    '- an item without',
    '',
    '[^1]: /mnt/a.md:3',
  ].join('\n');
  const { sentences } = parseAnswer(answer);
  expect(sentences.map(({ text, cited }) => [text.replace(/\W+$/, ''), cited])).toEqual([
    ['The first one has one', true],
    ['The second has none', false],
    ['The third has one', true],
    ['an item with a footnote', true],
    ['an item without', false],
  ]);
});

test('an answer made to be slow is taken apart all the same', () => {
  const n = 20_000;
  for (const part of [
    '[',
    '/a',
    '"',
    '“',
    '> ',
    '`',
    '/a.md:1 ',
    '[/a',
    '*_',
    '/a.md:1:x\n',
    '(',
    '/.',
  ])
    parseAnswer(part.repeat(n / part.length));
});
