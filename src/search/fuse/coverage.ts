/**
 * How much of one question what is searched, and a chunk, have in it, as evidence that
 * there is an answer. Unlike what the ranking goes by it can be compared between
 * questions, and between corpora.
 */
import type { Corpus } from '../lexical/corpus.ts';

/** The terms of a question, and which of them make one identifier. */
export interface QuestionTerms {
  /** In their order, as often as they are said. */
  terms: readonly string[];
  identifiers: readonly (readonly string[])[];
}

/**
 * Chunks that a corpus is taken to have besides, which have none of the words: in
 * a corpus of a few chunks every word is in a large share of them, and tells hardly
 * anything by itself.
 */
const BESIDES = 25;

/** A word of the question. */
interface Asked {
  term: string;
  /** In the corpus; -1 where no chunk that is searched has it. */
  number: number;
  telling: number;
}

export class Coverage {
  /** Share of the question's telling that is in words which are searched at all, 0 to 1. */
  readonly known: number;
  /** Share of its words that are. */
  readonly said: number;
  readonly #corpus: Corpus;
  readonly #asked: readonly Asked[];
  /** Where in `#asked` the words of each identifier are. */
  readonly #identifiers: readonly (readonly number[])[];
  readonly #total: number;

  /** @param allowed has a 1 for each chunk that is searched */
  constructor(corpus: Corpus, { terms, identifiers }: QuestionTerms, allowed: Uint8Array) {
    this.#corpus = corpus;
    const size = corpus.living + BESIDES;
    const asked = [...new Set(terms)].map((term): Asked => {
      const number = corpus.termNumber(term) ?? -1;
      const spread = number < 0 ? 0 : corpus.spread(number);
      const there = spread > 0 && corpus.occurs(number, allowed);
      const telling =
        spread > 0 ? Math.log(1 + (size - spread + 0.5) / (spread + 0.5)) : Math.log(2 * size + 2);
      return { term, number: there ? number : -1, telling };
    });
    this.#asked = asked;
    this.#identifiers = identifiers.map((words) => {
      const places = words.map((word) => asked.findIndex(({ term }) => term === word));
      return [...new Set(places)].filter((place) => place >= 0);
    });
    const known = asked.filter(({ number }) => number >= 0);
    this.#total = sumOf(asked) || 1;
    this.known = sumOf(known) / this.#total;
    this.said = asked.length === 0 ? 0 : known.length / asked.length;
  }

  /**
   * Share of the question's telling that a chunk has in it, 0 to 1. The words of an
   * identifier count together: half of them are a quarter of it.
   */
  of(slot: number): number {
    const there = new Set<number>();
    for (const entry of this.#corpus.bag(slot)) there.add(entry >>> 8);
    let sum = sumOf(this.#asked.filter(({ number }) => there.has(number)));
    for (const places of this.#identifiers) {
      const words = places.flatMap((place) => this.#asked[place] ?? []);
      const held = sumOf(words.filter(({ number }) => there.has(number)));
      sum -= held * (1 - held / (sumOf(words) || 1));
    }
    return Math.max(0, sum / this.#total);
  }
}

function sumOf(asked: readonly Asked[]): number {
  return asked.reduce((sum, { telling }) => sum + telling, 0);
}

/**
 * How much of everyday life there are words for, 0 to 1. Where there are words for
 * everything, it tells little that there are those of a question.
 * @param everyday terms of everyday questions
 * @param allowed has a 1 for each chunk that is searched
 */
export function breadthOf(
  corpus: Corpus,
  everyday: ReadonlySet<string>,
  allowed: Uint8Array,
): number {
  let known = 0;
  for (const term of everyday) {
    const number = corpus.termNumber(term);
    if (number !== undefined && corpus.occurs(number, allowed)) known += 1;
  }
  return known / everyday.size;
}
