/** What the words of one question tell in one corpus, and how much of that a chunk has in it. */
import type { Corpus } from '../lexical/corpus.ts';

/** A word of the question. */
interface Asked {
  term: string;
  /** In the corpus; -1 where it has no such term. */
  number: number;
  /** How rare it is, as BM25 counts: a term that the corpus does not have is the rarest. */
  telling: number;
}

export class Telling {
  readonly #corpus: Corpus;
  readonly #asked: Asked[];
  /** What all words tell together; above 0. */
  readonly total: number;

  /** @param terms those of the question, each once */
  constructor(corpus: Corpus, terms: Iterable<string>) {
    this.#corpus = corpus;
    this.#asked = Array.from(terms, (term) => {
      const number = corpus.termNumber(term) ?? -1;
      const known = number >= 0 && corpus.spread(number) > 0;
      const telling = known ? corpus.idf(number) : Math.log(2 * corpus.living + 2);
      return { term, number: known ? number : -1, telling };
    });
    this.total = this.#asked.reduce((sum, { telling }) => sum + telling, 0) || 1;
  }

  /** Each word and what it tells. */
  *words(): Iterable<readonly [string, number]> {
    for (const { term, telling } of this.#asked) yield [term, telling];
  }

  /** What those words tell that a chunk has. */
  covered(slot: number): number {
    let sum = 0;
    for (const entry of this.#corpus.bag(slot)) {
      const asked = this.#asked.find(({ number }) => number === entry >>> 8);
      sum += asked?.telling ?? 0;
    }
    return sum;
  }
}
