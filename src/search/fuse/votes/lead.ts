/** A vote by how a document begins: its title, or else its first line. */
import { K1, lengthNorm } from '../../lexical/bm25.ts';
import type { Corpus } from '../../lexical/corpus.ts';
import type { Stemmer } from '../../words/words.ts';
import type { Pool, Signals } from '../pool.ts';

/** Of the first line so much is read. Characters. */
const LONGEST_LEAD = 160;

/** BM25 over what the candidates begin with. */
export function byLead(
  { candidates, query }: Pool,
  { corpus, documents: { rows }, passage, languageOf }: Signals,
  stemmer: Stemmer,
): Float32Array {
  const leads = candidates.map(({ row }) => {
    const slot = rows.firstSlot(row);
    const first = passage(slot);
    return first === null ? [] : stemmer.terms(leadOf(first), languageOf(slot));
  });
  const average = leads.reduce((sum, { length }) => sum + length, 0) / Math.max(1, leads.length);
  const { base, slope } = lengthNorm(average || 1);
  return Float32Array.from(leads, (terms) => {
    const counts = countsOf(terms, query, corpus);
    const norm = base + slope * terms.length;
    let score = 0;
    for (const [term, count] of counts) {
      score += ((query.get(term) ?? 0) * corpus.idf(term) * (K1 + 1) * count) / (count + norm);
    }
    return score;
  });
}

function countsOf(
  terms: readonly string[],
  query: Pool['query'],
  corpus: Corpus,
): Map<number, number> {
  const counts = new Map<number, number>();
  for (const term of terms) {
    const number = corpus.termNumber(term);
    if (number === undefined || !query.has(number)) continue;
    counts.set(number, (counts.get(number) ?? 0) + 1);
  }
  return counts;
}

/** The headings above a document's first passage, and its first line with words in it. */
function leadOf({ crumb, text }: { crumb: string; text: string }): string {
  const line = /^(?!---$|\w+:).*\p{L}.*$/mu.exec(text)?.[0] ?? '';
  return `${crumb}\n${line.slice(0, LONGEST_LEAD)}`;
}
