/** An answer taken apart: what of it is a citation, what it quotes, and which sentences have none. */
import { describe, expect, test } from 'vitest';
import { parseAnswer, withoutCertificate } from './answer.ts';
import { certificateBlock, certificateOf, certifiedLine } from './certificate.ts';
import { placeText } from './citation.ts';

/** Each citation as `path:place`, with what it quotes. */
const cited = (answer: string): [name: string, ...quotes: string[]][] =>
  parseAnswer(answer).citations.map(({ path, place, quotes }) => [
    place === null ? path : `${path}:${placeText(place)}`,
    ...quotes,
  ]);

describe('a citation', () => {
  test.each<[string, [string, ...string[]][]]>([
    ['[/mnt/a.md:12 "words"]', [['/mnt/a.md:12', 'words']]],
    ['[/mnt/a.md:12-15 "one", "two"]', [['/mnt/a.md:12-15', 'one', 'two']]],
    ['[/mnt/a.md:12]', [['/mnt/a.md:12']]],
    ['[/mnt/a.pdf:p3 "words"]', [['/mnt/a.pdf:p3', 'words']]],
    ['[/mnt/a.md "words"]', [['/mnt/a.md', 'words']]],
    ['[/mnt/a.md#L12-L15 "words"]', [['/mnt/a.md:12-15', 'words']]],
    [
      '[/mnt/a.md:12 “words”] and [b.md:3 „words“]',
      [
        ['/mnt/a.md:12', 'words'],
        ['b.md:3', 'words'],
      ],
    ],
    ['see [the lease](/mnt/a.md:12 "words")', [['/mnt/a.md:12', 'words']]],
    ['see ["words"](/mnt/a.md:12)', [['/mnt/a.md:12', 'words']]],
    ['see [the lease](/mnt/my%20lease.md:12)', [['/mnt/my lease.md:12']]],
    ['see [the site](https://example.com/a.md:12)', []],
    ['as `/mnt/a.md:12` has it', [['/mnt/a.md:12']]],
    ['as /mnt/a.md:12 has it', [['/mnt/a.md:12']]],
    ['"words" (/mnt/a.md:12)', [['/mnt/a.md:12', 'words']]],
    ['/mnt/a.md:12 says "words"', [['/mnt/a.md:12', 'words']]],
    ['/mnt/a.md:12:the line as it stands', [['/mnt/a.md:12', 'the line as it stands']]],
    ['```\n/mnt/a.md:12: indented\n```', [['/mnt/a.md:12', ' indented']]],
    ['> words of it\n\n— /mnt/a.md:12', [['/mnt/a.md:12', 'words of it']]],
    ['> words of it [/mnt/a.md:12]', [['/mnt/a.md:12', 'words of it']]],
    ['/mnt/a.md:12:\n> words of it', [['/mnt/a.md:12', 'words of it']]],
    // What a compiler says is not what stands there.
    ['src/a.c:12:5: error: no such thing', [['src/a.c:12']]],
    ['at 12:30, in 3:2, by 10.0.0.1:80', []],
    ['[^1] and [1] and [x]', []],
    ['no citation', []],
  ])('%j', (answer, expected) => {
    expect(cited(answer)).toEqual(expected);
  });

  test('knows where it stands, in the answer and by its line', () => {
    const answer = 'One.\r\nTwo [/mnt/a.md:1 "x"].\n';
    const { citations, lineAt } = parseAnswer(answer);
    const [{ at = -1, end = -1 } = {}] = citations;
    expect('One.\nTwo [/mnt/a.md:1 "x"].\n'.slice(at, end)).toBe('[/mnt/a.md:1 "x"]');
    expect([lineAt(0), lineAt(at)]).toEqual([1, 2]);
  });

  test('of two, each has the words that stand beside it', () => {
    expect(cited('"one" (/mnt/a.md:1) and "two" (/mnt/a.md:2)')).toEqual([
      ['/mnt/a.md:1', 'one'],
      ['/mnt/a.md:2', 'two'],
    ]);
  });

  test('has the long words of its sentence, and no short ones that may be meant otherwise', () => {
    expect(cited('It says that "four words of it" hold, by /mnt/a.md:1.')).toEqual([
      ['/mnt/a.md:1', 'four words of it'],
    ]);
    expect(cited('It says that "three words only" hold, by /mnt/a.md:1.')).toEqual([
      ['/mnt/a.md:1'],
    ]);
  });
});

describe('the sentences of an answer', () => {
  const sentences = (answer: string): [text: string, cited: boolean][] =>
    parseAnswer(answer).sentences.map(({ text, cited }) => [text, cited]);

  test('are cited where a citation stands in them, or behind their full stop', () => {
    expect(
      sentences('The fee is due [/a.md:1]. It is high. It was raised. [/a.md:2] Nobody knows.'),
    ).toEqual([
      ['The fee is due .', true],
      ['It is high.', false],
      ['It was raised.', true],
      ['Nobody knows.', false],
    ]);
  });

  test('are cited by a footnote that has a citation, and by no other', () => {
    const answer = 'It is due.[^1] It is high.[^2]\n\n[^1]: /mnt/a.md:1\n[^2]: everybody says so\n';
    expect(sentences(answer).map(([, cited]) => cited)).toEqual([true, false]);
  });

  test('are claims: no question, heading, row, quotation or code, nor what leads in to a list', () => {
    const answer = [
      '# What it costs',
      'What does it cost?',
      'There are two fees:',
      '- The first is high.',
      '2. The second is low.',
      '| a | b |',
      '> Quoted words.',
      '---',
      '```',
      'code is no claim.',
      '```',
      '12.',
    ].join('\n\n');
    expect(sentences(answer)).toEqual([
      ['The first is high.', false],
      ['The second is low.', false],
    ]);
  });

  test('run over the ends of lines, but not of items', () => {
    const answer = 'The fee\nis due\n[/a.md:1].\n- One holds\n- Two holds';
    expect(sentences(answer)).toEqual([
      ['The fee is due .', true],
      ['One holds', false],
      ['Two holds', false],
    ]);
  });
});

describe('the certificate of an answer', () => {
  const line = {
    path: '/mnt/a b.md',
    place: { unit: 'line', from: 3, to: 5 },
    sha256: 'a'.repeat(64),
    text: 'b'.repeat(16),
    updated: '2026-01-02T03:04:05.000Z',
  } as const;
  const block = certificateBlock([certifiedLine(line), 'false /mnt/b.md:1']);

  test('is read as it is written, with what of it did not hold', () => {
    const { certificate } = parseAnswer(`It is due [/mnt/a.md:1].\n\n${block}`);
    expect(certificate).toEqual({ citations: [line], others: ['false /mnt/b.md:1'] });
    const whole = { ...line, place: null };
    const page = { ...line, place: { unit: 'page', from: 'p1', to: 'p2' } } as const;
    const read = certificateOf(certificateBlock([whole, page].map(certifiedLine)));
    expect(read).toEqual({ citations: [whole, page], others: [] });
  });

  test('is no part of what is claimed, and can be taken off', () => {
    const answer = `It is due.\n\n${block}`;
    const { citations, sentences } = parseAnswer(answer);
    expect([citations, sentences.map(({ text }) => text)]).toEqual([[], ['It is due.']]);
    expect(withoutCertificate(answer)).toBe('It is due.\n');
    expect(withoutCertificate(`${block}It is due.\n\n${block}`)).toBe('It is due.\n');
    expect(withoutCertificate('It is due.')).toBe('It is due.\n');
  });

  test('is none where there is none, and of several all that they say', () => {
    expect(certificateOf('It is due.')).toBeNull();
    expect(certificateOf('```citations')).toBeNull();
    expect(certificateOf(`${block}\n${block}`)?.citations).toHaveLength(2);
    expect(certificateOf('```citations\n```\n')).toEqual({ citations: [], others: [] });
    for (const spoilt of [
      certifiedLine(line).replace('holds', 'held'),
      certifiedLine({ ...line, sha256: 'a'.repeat(63) }),
      certifiedLine({ ...line, text: 'B'.repeat(16) }),
    ])
      expect(certificateOf(certificateBlock([spoilt]))).toEqual({
        citations: [],
        others: [spoilt],
      });
  });
});
