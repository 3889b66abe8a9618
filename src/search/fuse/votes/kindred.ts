/** A vote for passages that say a word of the question with a word like it. */
import type { Corpus } from '../../lexical/corpus.ts';
import type { WordTable } from '../../static/table.ts';
import type { Pool } from '../pool.ts';

/** Two words are not alike below this cosine. */
const ALIKE = 0.45;
/** Of a long question the most telling words are looked for. */
const MOST_WORDS = 16;

/** A word of the question that the table knows. */
interface Sought {
  number: number;
  telling: number;
  unit: Float32Array;
}

/**
 * Of each candidate the share of the question's telling that its best passage lacks
 * and has a word like, as far as that is like it; 0 to 1.
 */
export function kindred(
  { candidates, telling }: Pool,
  corpus: Corpus,
  table: WordTable,
): Float32Array {
  const most = [...telling].sort((a, b) => b[1] - a[1]).slice(0, MOST_WORDS);
  const total = most.reduce((sum, [, tells]) => sum + tells, 0) || 1;
  const sought = most.flatMap(([term, tells]): Sought[] => {
    const unit = table.unit(term);
    return unit === null ? [] : [{ number: corpus.termNumber(term) ?? -1, telling: tells, unit }];
  });
  const likeness = new Likeness(corpus, table, sought);
  return Float32Array.from(candidates, ({ passages: [slot = 0] }) => {
    const alike = new Float32Array(sought.length);
    for (const entry of corpus.bag(slot)) {
      for (const { at, share } of likeness.of(entry >>> 8)) {
        alike[at] = Math.max(alike[at] as number, share);
      }
    }
    return (
      sought.reduce((sum, { number, telling: tells }, at) => {
        const share = alike[at] as number;
        return share === 0 || corpus.has(slot, number) ? sum : sum + tells * share;
      }, 0) / total
    );
  });
}

/** A sought word, by its place among them, and how like it a term is: above 0, at most 1. */
interface Alike {
  at: number;
  share: number;
}

const NONE: readonly Alike[] = [];

/** Which sought words each term of the corpus is like, found out once for a question. */
class Likeness {
  readonly #corpus: Corpus;
  readonly #table: WordTable;
  readonly #sought: readonly Sought[];
  /** By the terms' numbers. */
  readonly #known: (readonly Alike[] | undefined)[];

  constructor(corpus: Corpus, table: WordTable, sought: readonly Sought[]) {
    this.#corpus = corpus;
    this.#table = table;
    this.#sought = sought;
    this.#known = new Array(corpus.vocabulary.length);
  }

  of(term: number): readonly Alike[] {
    let known = this.#known[term];
    if (known === undefined) {
      known = this.#find(this.#table.rowOf(this.#corpus.vocabulary[term] ?? ''));
      this.#known[term] = known;
    }
    return known;
  }

  #find(row: number): readonly Alike[] {
    if (row < 0) return NONE;
    const { rows, dimensions } = this.#table;
    const from = row * dimensions;
    let square = 0;
    for (let k = 0; k < dimensions; k++) square += (rows[from + k] as number) ** 2;
    const length = Math.sqrt(square) || 1;
    const found: Alike[] = [];
    for (const [at, { unit }] of this.#sought.entries()) {
      let sum = 0;
      for (let k = 0; k < dimensions; k++) sum += (unit[k] as number) * (rows[from + k] as number);
      const share = (sum / length - ALIKE) / (1 - ALIKE);
      if (share > 0) found.push({ at, share });
    }
    return found.length === 0 ? NONE : found;
  }
}
