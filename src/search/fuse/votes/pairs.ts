/** A vote for words of the question that stand side by side in a text as they do in it. */
import { K1 } from '../../lexical/bm25.ts';
import type { Corpus } from '../../lexical/corpus.ts';
import type { Stemmer } from '../../words/words.ts';
import type { Pool, Signals } from '../pool.ts';

/** Neighbouring words of the question, stop words left out. */
interface Pair {
  words: readonly [string, string];
  /** Their numbers in the corpus. */
  terms: readonly [number, number];
  worth: number;
}

/** Of a document so many passages at most are read. */
const READ = 3;

/** What the pairs are worth that each candidate has, and how often. */
export function byPairs(
  { candidates, terms }: Pool,
  { corpus, passage, languageOf }: Signals,
  stemmer: Stemmer,
): Float32Array {
  const pairs = pairsOf(terms, corpus);
  const byFirst = Map.groupBy(pairs.entries(), ([, { words }]) => words[0]);
  return Float32Array.from(candidates, ({ passages }) => {
    const counts = new Float32Array(pairs.length);
    const mayHave = (slot: number): boolean =>
      pairs.some(({ terms: [one, other] }) => corpus.has(slot, one) && corpus.has(slot, other));
    for (const slot of passages.filter(mayHave).slice(0, READ)) {
      const said = stemmer.terms(passage(slot)?.text ?? '', languageOf(slot));
      for (const [place, word] of said.entries()) {
        for (const [at, { words }] of byFirst.get(word) ?? []) {
          if (said[place + 1] === words[1]) counts[at] = (counts[at] as number) + 1;
        }
      }
    }
    return pairs.reduce((sum, { worth }, at) => {
      const often = counts[at] as number;
      return sum + (worth * (K1 + 1) * often) / (often + K1);
    }, 0);
  });
}

function pairsOf(terms: readonly string[], corpus: Corpus): Pair[] {
  const pairs = new Map<string, Pair>();
  for (const [at, second] of terms.slice(1).entries()) {
    const first = terms[at] as string;
    const one = corpus.termNumber(first);
    const other = corpus.termNumber(second);
    if (one === undefined || other === undefined) continue;
    const worth = (corpus.idf(one) + corpus.idf(other)) / 2;
    pairs.set(`${one} ${other}`, { words: [first, second], terms: [one, other], worth });
  }
  return [...pairs.values()];
}
