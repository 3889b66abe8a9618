/** What is said of an answer's citations, and the certificate at its end. */
import { describe, expect, test } from 'vitest';
import { parseAnswer, withoutCertificate } from './answer.ts';
import { certificateBlock, certifiedLine } from './certificate.ts';
import { citationName, pathLooks, placeOf, placeText } from './citation.ts';
import { certifiedAnswer, countsOf, nameOf, reportLines, statusOf } from './report.ts';
import type { CheckedCitation, Verification } from './verify.ts';

const checked = (more: Partial<CheckedCitation> = {}): CheckedCitation => ({
  line: 1,
  path: '/mnt/a.md',
  place: '3',
  quotes: [],
  verdict: 'holds',
  elsewhere: [],
  notes: [],
  ...more,
});

const verification = (
  citations: readonly CheckedCitation[],
  more: Partial<Verification> = {},
): Verification => ({
  citations,
  sentences: 3,
  uncited: [],
  certified: false,
  notes: [],
  ...more,
});

const wrong = checked({ verdict: 'false', fault: 'it is not so' });
const unchecked = checked({ verdict: 'unchecked', fault: 'Permission denied' });
const sumOf = (
  citations: readonly CheckedCitation[],
  more: Partial<Verification> = {},
): string | undefined => reportLines(verification(citations, more)).at(-1);

test('citations are counted, and the status tells the worst', () => {
  expect(countsOf(verification([checked(), wrong, wrong, unchecked]))).toEqual({
    holds: 1,
    false: 2,
    unchecked: 1,
  });
  expect(
    [[checked()], [checked(), wrong, unchecked], [checked(), unchecked], [unchecked], []].map(
      (all) => statusOf(verification(all)),
    ),
  ).toEqual([0, 1, 2, 2, 2]);
});

test('each has a line, with what is wrong and what stands there below it', () => {
  expect([nameOf(checked()), nameOf(checked({ place: '' }))]).toEqual(['/mnt/a.md:3', '/mnt/a.md']);
  expect(
    reportLines(
      verification(
        [
          checked({
            quotes: ['so  it\nis', 'x'.repeat(60), 'y'.repeat(61)],
            stands: 'not shown',
            notes: ['a note'],
            state: 'unchanged',
          }),
          { ...wrong, line: 12, stands: 'what is there', notes: ['two'], state: 'moved' },
          { ...unchecked, stands: '' },
        ],
        { notes: ['of all'] },
      ),
    ).slice(0, -1),
  ).toEqual([
    `holds     1: /mnt/a.md:3 "so it is" "${'x'.repeat(60)}" "${'y'.repeat(59)}…" (unchanged)`,
    '          a note',
    'false     12: /mnt/a.md:3 (moved)',
    '          it is not so',
    '          two',
    '          what stands there: what is there',
    'unchecked 1: /mnt/a.md:3',
    '          Permission denied',
    'of all',
  ]);
});

test('the sum says how many hold, and which sentences have none', () => {
  const none = '0 of 3 sentences have no citation';
  expect(sumOf([])).toBe(
    `no citation was found; one is written [path:line "quoted words"]; ${none}`,
  );
  expect(sumOf([checked()])).toBe(`1 citation: 1 holds; ${none}`);
  expect(sumOf([wrong])).toBe(`1 citation: 0 hold, 1 is false; ${none}`);
  expect(sumOf([checked(), checked(), wrong, wrong, unchecked])).toBe(
    `5 citations: 2 hold, 2 are false, 1 could not be checked; ${none}`,
  );
  const uncited = (...lines: number[]) => ({ uncited: lines.map((line) => ({ line, text: 'x' })) });
  expect(sumOf([checked()], uncited(4))).toMatch(/; 1 of 3 sentences has no citation \(line 4\)$/);
  expect(sumOf([checked()], uncited(4, 4))).toMatch(
    /; 2 of 3 sentences have no citation \(line 4\)$/,
  );
  expect(sumOf([checked()], uncited(4, 9))).toMatch(
    /; 2 of 3 sentences have no citation \(lines 4, 9\)$/,
  );
  expect(sumOf([checked()], { sentences: 1 })).toMatch(/; 0 of 1 sentence have no citation$/);
});

describe('a certificate', () => {
  const certified = {
    path: '/mnt/a.md',
    place: placeOf('3', undefined),
    sha256: 'a'.repeat(64),
    text: 'b'.repeat(16),
    updated: '2026-03-01T00:00:00.000Z',
  };
  const now = new Date('2026-03-02T00:00:00Z');

  test('takes the place of the one before, and names what does not hold', () => {
    const all = verification([
      checked({ certified }),
      checked({ certified }),
      wrong,
      unchecked,
      checked({ verdict: 'false', path: '/mnt/a\nb', fault: 'x' }),
      checked({ verdict: 'false', path: '/mnt/```', fault: 'x' }),
    ]);
    const once = certifiedAnswer('It is so.\n\n\n', all, now);
    expect(once).toBe(
      `It is so.\n\n\`\`\`citations\nchecked 2026-03-02T00:00:00.000Z: ${sumOf(all.citations)}\n${certifiedLine(certified)}\nfalse /mnt/a.md:3 it is not so\nunchecked /mnt/a.md:3 Permission denied\n\`\`\`\n`,
    );
    expect(certifiedAnswer(once, all, now)).toBe(once);
    expect(withoutCertificate(once)).toBe('It is so.\n');
    expect(parseAnswer(once).certificate?.citations).toEqual([certified]);
    expect(parseAnswer(once).certificate?.others).toHaveLength(3);
    expect(parseAnswer('It is so.').certificate).toBeNull();
  });

  test('is read back, whatever place it is of', () => {
    for (const place of [null, placeOf('3', '5'), placeOf('p3', undefined), placeOf('p3', 'p4')]) {
      const line = certifiedLine({ ...certified, place });
      expect(parseAnswer(`x\n\n${certificateBlock([line])}`).certificate).toEqual({
        citations: [{ ...certified, place }],
        others: [],
      });
    }
    expect(
      parseAnswer(certificateBlock(['holds /mnt/a.md:3 sha256:x', '', ' y '])).certificate,
    ).toEqual({
      citations: [],
      others: ['holds /mnt/a.md:3 sha256:x', 'y'],
    });
  });

  test('may be in several blocks, and in longer fences', () => {
    const line = certifiedLine(certified);
    const answer = `a\n\`\`\`\`citations\n${line}\n\`\`\`\`\nb\n${certificateBlock([line])}c\n`;
    expect(parseAnswer(answer).certificate?.citations).toHaveLength(2);
    expect(withoutCertificate(answer)).toBe('a\nb\nc\n');
  });
});

test.each([
  ['12', undefined, { unit: 'line', from: 12, to: 12 }, '12'],
  ['L12', 'l15', { unit: 'line', from: 12, to: 15 }, '12-15'],
  ['P3', undefined, { unit: 'page', from: 'p3', to: 'p3' }, 'p3'],
  ['p3', 'P5', { unit: 'page', from: 'p3', to: 'p5' }, 'p3-p5'],
  ['sheet3', '5', { unit: 'page', from: 'sheet3', to: 'sheet5' }, 'sheet3-sheet5'],
  ['12', 'p3', null, ''],
] as const)('the place %s, %s', (first, second, place, text) => {
  expect(placeOf(first, second)).toEqual(place);
  expect(placeText(placeOf(first, second))).toBe(text);
  expect(citationName('/a', placeOf(first, second))).toBe(place === null ? '/a' : `/a:${text}`);
});

test.each([
  ['/a', 'sure'],
  ['./a', 'sure'],
  ['../a', 'sure'],
  ['a.md', 'sure'],
  ['a/b.md', 'sure'],
  ['a.com', 'doubtful'],
  ['a/b', 'doubtful'],
  ['db.internal', 'doubtful'],
  ['a', 'none'],
  ['a/', 'none'],
  ['1.2.3', 'none'],
  ['//a', 'doubtful'],
  ['.md', 'none'],
])('%s looks like a path: %s', (path, looks) => {
  expect(pathLooks(path)).toBe(looks);
});
