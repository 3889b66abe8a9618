/** What counts as the same words, and what does not. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifyAnswer } from '../../src/citations/verify.ts';
import { worldOf } from './library.ts';

/** Does a line of a file have these words? */
async function has(line: string, quote: string, path = '/mnt/library/a.md'): Promise<boolean> {
  const world = worldOf([{ path, lines: ['first', line, 'last'], pages: null }]);
  const { citations } = await verifyAnswer(`> ${quote}\n— ${path}:2`, world);
  expect(citations).toHaveLength(1);
  return citations[0]?.verdict === 'holds';
}

describe('the same words', () => {
  test.each([
    ['The fee is “due”, at once', "The fee is 'due', at once"],
    ['a state–of‑the‑art  pump', 'a state-of-the-art pump'],
    ['the **fee** is `due` [here](x.md)', 'the fee is due here'],
    ['| fee | 250 crowns |', 'fee 250 crowns'],
    ['see the ﬁrst ﬂoor', 'the first floor'],
    ['it must be renewed', 'It must be renewed.'],
    ['It must be renewed', 'it must be renewed,'],
    ['one two three four five six', 'one two … five six'],
    ['one two three four five six', '… two three [...] six'],
    ['the re\u00adnewal is due', 'renewal is due'],
    ['a long line that was cut somewhere', '…ng line that was cut some…'],
    ['定期的に更新する必要がある', '更新する必要'],
    ['is 5 %, not more', 'is 5 %'],
  ])('%j has %j', async (line, quote) => expect(await has(line, quote)).toBe(true));
});

describe('not the same words', () => {
  test.each([
    ['it is irreversible', 'reversible'],
    ['it is non-free', 'free'],
    ['it can’t be done', 'it can'],
    ['it takes 2.5 ms', '5 ms'],
    ['it takes 2.5 ms', '… 5 ms'],
    ['between 10-20 ms', '20 ms'],
    ['it is -5 degrees', '5 degrees'],
    ['on 2026-03-01', '03-01'],
    ['costs 1,000 crowns', 'costs 1'],
    ['grew by 10%', 'grew by 10'],
    ['it may not be sold', 'it may … be sold'],
    ['it may not ever be sold', 'it may … be sold'],
    ['it may be sold', 'it may not be sold'],
    ['it is x² large', 'it is x2 large'],
    ['Inès pays', 'Ines pays'],
    ['use getUserById', 'use getUserByID'],
    ['the fee is due', 'the fee was due'],
    ['the renewal is due', 're\u200bnewal is due'],
    ['the fee', '…'],
  ])('%j has not %j', async (line, quote) => expect(await has(line, quote)).toBe(false));

  test('but a word that goes on in the next line is whole, with its hyphen or without', async () => {
    const path = '/mnt/library/a.md';
    const world = worldOf([
      { path, lines: ['the renew-', '  al is due', 'a state-', 'run fund', 'pays'], pages: null },
    ]);
    const verdict = async (quote: string, lines: string) =>
      (await verifyAnswer(`> ${quote}\n— ${path}:${lines}`, world)).citations[0]?.verdict;
    expect(await verdict('the renewal is due', '1-2')).toBe('holds');
    expect(await verdict('a state-run fund', '3-4')).toBe('holds');
    for (const [quote, lines] of [
      ['the renewa l is due', '1-2'],
      ['a state fund', '3-4'],
      ['a fundpays', '4-5'],
    ] as const)
      expect(await verdict(quote, lines)).not.toBe('holds');
  });

  test('signs of Markdown count where a file is none', async () => {
    expect(await has('int *p = *q;', 'int p = q;', '/mnt/library/a.c')).toBe(false);
    expect(await has('int *p = *q;', 'int *p = *q;', '/mnt/library/a.c')).toBe(true);
  });
});

const word = fc.stringMatching(/^[a-z]{2,8}$/);

test('whole words of a line, one after the other, are its words; with one of them replaced they are not', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(word, { minLength: 6, maxLength: 20 }),
      fc.nat(),
      fc.nat(),
      word,
      async (words, a, b, other) => {
        const from = a % (words.length - 3);
        const quote = words.slice(from, from + 3);
        expect(await has(words.join(' '), quote.join(' '))).toBe(true);
        fc.pre(!words.includes(other));
        const changed = quote.with(b % 3, other).join(' ');
        expect(await has(words.join(' '), changed)).toBe(words.join(' ').includes(` ${changed} `));
      },
    ),
    { numRuns: 150 },
  );
});

test('a number is never taken for another one', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(99_999), fc.nat(99_999), async (there, said) => {
      fc.pre(there !== said);
      for (const line of [
        `it is ${there} long`,
        `it is ${there}.${said} long`,
        `it is ${there},${said}0 long`,
      ])
        expect([line, await has(line, `is ${said} long`)]).toEqual([line, false]);
    }),
    { numRuns: 150 },
  );
});
