/** What the words of one question tell in one corpus, and how much of that a chunk has in it. */
import type { Corpus } from '../lexical/corpus.ts';
import type { WordTable } from '../static/table.ts';

/** Terms of the table that are less alike than this have nothing to do with each other. Cosine. */
const UNLIKE = 0.3;

/** A word of the question. */
interface Asked {
  term: string;
  /** In the corpus; -1 where it has no such term. */
  number: number;
  /** How rare it is, as BM25 counts: a term that the corpus does not have is the rarest. */
  telling: number;
  /** Of unit length; null where the table does not have it. */
  vector: Float32Array | null;
}

export class Telling {
  readonly #corpus: Corpus;
  readonly #table: WordTable | null;
  readonly #asked: Asked[];
  /** What all words tell together; above 0. */
  readonly total: number;
  /** How alike a term of the corpus is to each word, once it was asked. */
  readonly #alike = new Map<number, Float32Array>();

  /** @param terms those of the question, each once */
  constructor(corpus: Corpus, table: WordTable | null, terms: Iterable<string>) {
    this.#corpus = corpus;
    this.#table = table;
    this.#asked = Array.from(terms, (term) => {
      const number = corpus.termNumber(term) ?? -1;
      const known = number >= 0 && corpus.spread(number) > 0;
      const telling = known ? corpus.idf(number) : Math.log(2 * corpus.living + 2);
      return { term, number, telling, vector: table?.unit(term) ?? null };
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

  /** The same, counting for a word that a chunk does not have the one in it that is most alike. */
  met(slot: number): number {
    const most = new Float32Array(this.#asked.length);
    for (const entry of this.#corpus.bag(slot)) {
      const alike = this.#alikeTo(entry >>> 8);
      for (let at = 0; at < most.length; at++) {
        if ((alike[at] as number) > (most[at] as number)) most[at] = alike[at] as number;
      }
    }
    return this.#asked.reduce((sum, { telling }, at) => sum + telling * (most[at] ?? 0), 0);
  }

  /** 0 to 1 for each word of the question: 1 is the same word. */
  #alikeTo(term: number): Float32Array {
    const known = this.#alike.get(term);
    if (known !== undefined) return known;
    const own = this.#table?.unit(this.#corpus.vocabulary[term] ?? '') ?? null;
    const alike = Float32Array.from(this.#asked, ({ number, vector }) => {
      if (number === term) return 1;
      if (own === null || vector === null) return 0;
      let cosine = 0;
      for (let k = 0; k < own.length; k++) {
        cosine += (own[k] as number) * (vector[k] as number);
      }
      return Math.max(0, (cosine - UNLIKE) / (1 - UNLIKE));
    });
    this.#alike.set(term, alike);
    return alike;
  }
}
