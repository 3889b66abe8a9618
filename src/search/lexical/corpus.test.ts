/** A corpus against the texts that it was made of. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Corpus } from './corpus.ts';

const WORDS = ['ant', 'bee', 'cat', 'dog', 'elk', 'fox', 'gnu', 'hen'];

const texts = fc.array(fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }), { maxLength: 12 });

const countsOf = (words: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
};

/** What it says of each slot and each term is what the texts say. */
function holds(
  corpus: Corpus,
  all: readonly (readonly string[])[],
  gone: ReadonlySet<number>,
): void {
  const there = all.filter((_, slot) => !gone.has(slot));
  const length = there.reduce((sum, words) => sum + words.length, 0);
  expect([corpus.size, corpus.living]).toEqual([all.length, there.length]);
  expect(corpus.averageLength).toBe(there.length === 0 ? 1 : length / there.length);
  for (const [slot, words] of all.entries()) {
    expect([corpus.alive(slot), corpus.length(slot)]).toEqual([!gone.has(slot), words.length]);
    const bag = Array.from(corpus.bag(slot), (entry) => [
      corpus.vocabulary[entry >>> 8],
      entry & 255,
    ]);
    expect(new Map(bag as [string, number][])).toEqual(countsOf(words));
  }
  for (const word of WORDS) {
    const term = corpus.termNumber(word);
    if (term === undefined) {
      expect(all.flat()).not.toContain(word);
      continue;
    }
    const spread = there.filter((words) => words.includes(word)).length;
    expect(corpus.spread(term)).toBe(spread);
    expect(corpus.idf(term)).toBeCloseTo(
      Math.log(1 + (there.length - spread + 0.5) / (spread + 0.5)),
    );
    const visited: [number, number][] = [];
    corpus.each(term, (slot, count) => visited.push([slot, count]));
    const slots = [...all.entries()].flatMap(([slot, words]) =>
      words.includes(word) ? [slot] : [],
    );
    expect(visited).toEqual(slots.map((slot) => [slot, countsOf(all[slot] ?? []).get(word)]));
    for (let slot = 0; slot < all.length; slot++) {
      expect(corpus.has(slot, term)).toBe(all[slot]?.includes(word));
      const allowed = new Uint8Array(all.length);
      allowed[slot] = 1;
      expect(corpus.occurs(term, allowed)).toBe(all[slot]?.includes(word));
    }
    expect(corpus.occurs(term, new Uint8Array(all.length))).toBe(false);
  }
}

test('it holds the words of its chunks, of removed ones too, and so it does when it was kept and put back', () => {
  fc.assert(
    fc.property(texts, fc.array(fc.nat(11)), texts, (all, removed, later) => {
      const corpus = new Corpus();
      for (const [slot, words] of all.entries())
        expect(corpus.add(corpus.pack(countsOf(words)))).toBe(slot);
      const gone = new Set(removed.filter((slot) => slot < all.length));
      for (const slot of [...gone, ...gone]) corpus.remove(slot);
      holds(corpus, all, gone);
      const again = new Corpus();
      again.restore(corpus.parts());
      holds(again, all, gone);
      for (const words of later) again.add(again.pack(countsOf(words)));
      holds(again, [...all, ...later], gone);
    }),
    { numRuns: 25 },
  );
});

test('counts are whole, at least one and at most 255', () => {
  const corpus = new Corpus();
  const counts = [0.2, 1.4, 1.5, 254.6, 300].map((count, at) => [`w${at}`, count] as const);
  corpus.add(corpus.pack(new Map(counts)));
  expect(Array.from(corpus.bag(0), (entry) => entry & 255)).toEqual([1, 1, 2, 255, 255]);
});
