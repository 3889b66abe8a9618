import fc from 'fast-check';
import { expect, it } from 'vitest';
import { trustInTerms } from '../fuse/trust.ts';
import { bm25, queryTerms } from './bm25.ts';
import { Corpus } from './corpus.ts';

const word = fc.constantFrom('apple', 'pear', 'plum', 'quince', 'fig');
const texts = fc.array(fc.array(word, { minLength: 1, maxLength: 8 }), {
  minLength: 1,
  maxLength: 30,
});

const counted = (words: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const each of words) counts.set(each, (counts.get(each) ?? 0) + 1);
  return counts;
};

it('scores what is there as the formula does, whatever was removed, kept and put back', () => {
  const removed = fc.array(fc.nat(29), { maxLength: 10 });
  fc.assert(
    fc.property(texts, removed, fc.array(word, { minLength: 1 }), (all, gone, question) => {
      const corpus = new Corpus();
      for (const text of all) corpus.add(corpus.pack(counted(text)));
      for (const slot of gone) if (slot < all.length) corpus.remove(slot);
      const again = new Corpus();
      again.restore(
        new Map([...corpus.parts()].map(([name, bytes]) => [name, Uint8Array.from(bytes)])),
      );
      const living = all.filter((_, slot) => !gone.includes(slot));
      const average = living.reduce((sum, text) => sum + text.length, 0) / living.length;
      const expected = all.map((text) => {
        let score = 0;
        for (const asked of question) {
          const spread = living.filter((each) => each.includes(asked)).length;
          const idf = Math.log(1 + (living.length - spread + 0.5) / (spread + 0.5));
          const count = text.filter((each) => each === asked).length;
          const norm = 1.2 * (0.25 + (0.75 * text.length) / average);
          score += (idf * count * 2.2) / (count + norm);
        }
        return score;
      });
      for (const one of [corpus, again]) {
        const scores = bm25(one, queryTerms(one, question));
        for (let slot = 0; slot < all.length; slot++) {
          if (!gone.includes(slot)) expect(scores[slot]).toBeCloseTo(expected[slot] ?? 0, 4);
        }
      }
    }),
  );
});

it('terms are trusted the more, the more of the question is shared, and beyond chance', () => {
  const best = { score: 5, covered: 6, total: 20, living: 1_000 };
  const trust = trustInTerms(best);
  expect(trustInTerms({ ...best, score: 10 })).toBeGreaterThan(trust);
  // Of so few, some chunk shares so much by chance.
  expect(trustInTerms({ ...best, covered: 0 })).toBe(trust);
  expect(trustInTerms({ ...best, covered: 12 })).toBeGreaterThan(trust);
  expect(trustInTerms({ ...best, score: 1_000 })).toBe(1);
});
