/** Certificates: what was cited is known again, unchanged, moved, changed or gone. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { certifiedAnswer, statusOf } from '../../src/citations/report.ts';
import { verifyAnswer } from '../../src/citations/verify.ts';
import { worldOf } from './library.ts';

const LINES = ['# Lease', '', 'It must be renewed every 30 days.', 'It must not be sold.', 'End.'];
const at = (lines: string[], path = '/mnt/library/lease.md') =>
  worldOf([{ path, lines, pages: null }], new Date('2026-04-01T00:00:00Z'));
const ANSWER =
  'It is renewed [/mnt/library/lease.md:3 "renewed every 30 days"]. No sale (/mnt/library/lease.md:4).\n';
const NOW = new Date('2026-05-01T10:00:00Z');

async function certified(answer = ANSWER): Promise<string> {
  return certifiedAnswer(answer, await verifyAnswer(answer, at(LINES)), NOW);
}

async function statesAt(lines: string[], path?: string) {
  const verification = await verifyAnswer(await certified(), at(lines, path));
  return [verification.citations.map(({ state }) => state), statusOf(verification)];
}

describe('a certified answer', () => {
  test('holds while nothing has changed, and certifying it again changes nothing but the date', async () => {
    expect(await statesAt(LINES)).toEqual([['unchanged', 'unchanged'], 0]);
    const once = await certified();
    expect(await certified(once)).toBe(once);
    expect(once).toContain('checked 2026-05-01T10:00:00.000Z: 2 citations: 2 hold');
  });

  test('tells that lines have moved, and where to', async () => {
    const moved = ['new', ...LINES];
    expect(await statesAt(moved)).toEqual([['moved', 'moved'], 1]);
    const { citations } = await verifyAnswer(await certified(), at(moved));
    expect(citations[0]?.fault).toMatch(/has moved to line 4$/);
    expect(citations[1]?.fault).toMatch(/has moved to line 5$/);
  });

  test('tells that the document has changed, whether or not what is cited stands in it', async () => {
    expect(await statesAt([...LINES, 'more'])).toEqual([['changed', 'changed'], 1]);
    const { citations } = await verifyAnswer(await certified(), at([...LINES, 'more']));
    expect(citations[0]?.fault).toContain('what is cited still stands there');
    const other = LINES.map((line) => line.replace('30', '40').replace('not ', ''));
    expect(await statesAt(other)).toEqual([['changed', 'changed'], 1]);
  });

  test('tells that a document is gone', async () => {
    expect(await statesAt(LINES, '/mnt/library/other.md')).toEqual([['gone', 'gone'], 1]);
  });

  test('a hash that is none of the document, nor of the text, is found', async () => {
    for (const [name, digits] of [
      ['sha256', 64],
      ['text', 16],
    ] as const) {
      const forged = (await certified()).replace(
        new RegExp(`${name}:[0-9a-f]{${digits}}`),
        `${name}:${'a'.repeat(digits)}`,
      );
      const verification = await verifyAnswer(forged, at(LINES));
      expect(verification.citations.map(({ verdict }) => verdict)).toEqual(['false', 'holds']);
    }
  });

  test('what was added to it since, and what was taken out, is named', async () => {
    const answer = (await certified()).replace(
      'No sale (/mnt/library/lease.md:4)',
      'The end (/mnt/library/lease.md:5)',
    );
    const { notes } = await verifyAnswer(answer, at(LINES));
    expect(notes).toEqual([
      '/mnt/library/lease.md:4 is certified and not cited',
      '/mnt/library/lease.md:5 is not in the certificate',
    ]);
  });

  test('names what does not hold, and cites nothing by that', async () => {
    const wrong = ANSWER.replace('30', '31');
    const text = certifiedAnswer(wrong, await verifyAnswer(wrong, at(LINES)), NOW);
    expect(text).toContain('false /mnt/library/lease.md:3 line 3 does not have these words');
    expect((await verifyAnswer(text, at(LINES))).citations).toHaveLength(2);
  });
});

test('an answer is whole in its certified form, whatever stands in it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), async (text) => {
      fc.pre(!text.includes('```'));
      const answer = `${text.trimEnd()}\n`;
      const whole = certifiedAnswer(answer, await verifyAnswer(answer, at(LINES)), NOW);
      expect(whole.startsWith(answer)).toBe(true);
    }),
    { numRuns: 100 },
  );
});
