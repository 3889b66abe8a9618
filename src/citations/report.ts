/** What came of an answer, in words. */
import { isVisibleLine } from '../visible.ts';
import { withoutCertificate } from './answer.ts';
import { certificateBlock, certifiedLine } from './certificate.ts';
import type { CheckedCitation, Verification } from './verify.ts';

/** How many citations came out how. */
export interface Counts {
  holds: number;
  false: number;
  unchecked: number;
}

export function countsOf({ citations }: Verification): Counts {
  const counts = { holds: 0, false: 0, unchecked: 0 };
  for (const { verdict } of citations) counts[verdict]++;
  return counts;
}

/** The exit status: 0 where all hold, 1 where some do not, 2 where some could not be checked, or there are none. */
export function statusOf(verification: Verification): 0 | 1 | 2 {
  const counts = countsOf(verification);
  if (counts.false > 0) return 1;
  return counts.unchecked > 0 || counts.holds === 0 ? 2 : 0;
}

/** `/mnt/docs/a.md:12` */
export const nameOf = ({ path, place }: CheckedCitation): string =>
  place === '' ? path : `${path}:${place}`;

/** Characters of a quotation that are shown. */
const SHOWN = 60;

const shortened = (text: string): string => {
  const line = text.trim().replace(/\s+/g, ' ');
  return line.length > SHOWN ? `${line.slice(0, SHOWN - 1)}…` : line;
};

/** A line for each citation, with its line of the answer, its fault below, and at the end the sum. Holds text of documents. */
export function reportLines(verification: Verification): string[] {
  const rows = verification.citations.flatMap((each) => {
    const quotes = each.quotes.map((quote) => ` "${shortened(quote)}"`).join('');
    const state = each.state === undefined ? '' : ` (${each.state})`;
    const row = `${each.verdict.padEnd(9)} ${each.line}: ${nameOf(each)}${quotes}${state}`;
    const below = [...(each.fault === undefined ? [] : [each.fault]), ...each.notes];
    const stands = each.verdict === 'holds' || !each.stands ? [] : [each.stands];
    return [
      row,
      ...below.map((text) => `          ${text}`),
      ...stands.map((text) => `          what stands there: ${text}`),
    ];
  });
  return [...rows, ...verification.notes, sumOf(verification)];
}

/** `4 citations: 3 hold, 1 is false; 2 of 7 sentences have no citation (lines 3, 9)` */
function sumOf(verification: Verification): string {
  const { citations, sentences, uncited } = verification;
  const { holds, false: wrong, unchecked } = countsOf(verification);
  const parts = [
    `${holds} ${holds === 1 ? 'holds' : 'hold'}`,
    ...(wrong > 0 ? [`${wrong} ${wrong === 1 ? 'is' : 'are'} false`] : []),
    ...(unchecked > 0 ? [`${unchecked} could not be checked`] : []),
  ];
  const all =
    citations.length === 0
      ? 'no citation was found; one is written [path:line "quoted words"]'
      : `${citations.length} ${citations.length === 1 ? 'citation' : 'citations'}: ${parts.join(', ')}`;
  const lines = [...new Set(uncited.map(({ line }) => line))].join(', ');
  const where = uncited.length === 0 ? '' : ` (line${lines.includes(',') ? 's' : ''} ${lines})`;
  const has = uncited.length === 1 ? 'has' : 'have';
  return `${all}; ${uncited.length} of ${sentences} ${sentences === 1 ? 'sentence' : 'sentences'} ${has} no citation${where}`;
}

/**
 * The answer with a certificate at its end, instead of the one that it had.
 * What does not hold is named in it, without text of the documents.
 */
export function certifiedAnswer(answer: string, verification: Verification, now: Date): string {
  const lines = verification.citations.flatMap((each) => {
    const { certified, verdict, fault = '' } = each;
    if (certified !== undefined) return [certifiedLine(certified)];
    return [`${verdict} ${nameOf(each)} ${fault}`];
  });
  // A path with a line end in it would pass for a line of its own.
  const kept = [...new Set(lines)].filter((line) => isVisibleLine(line) && !line.includes('```'));
  const head = `checked ${now.toISOString()}: ${sumOf(verification)}`;
  return `${withoutCertificate(answer)}\n${certificateBlock([head, ...kept])}`;
}
