import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HeldDocuments } from '../index/documents.ts';
import { queryTerms } from './bm25.ts';
import { Corpus } from './corpus.ts';
import { WholeDocuments } from './whole.ts';

const word = fc.constantFrom('apple', 'pear', 'plum', 'quince', 'fig');
const passage = fc.array(word, { minLength: 1, maxLength: 6 });
const documents = fc.array(fc.array(passage, { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 12,
});

const counted = (words: readonly string[]): Map<string, number> =>
  new Map([...new Set(words)].map((each) => [each, words.filter((one) => one === each).length]));

it('a document is scored by all its passages together, as the formula has it, whatever was removed', () => {
  const removed = fc.array(fc.nat(11), { maxLength: 4 });
  fc.assert(
    fc.property(documents, removed, fc.array(word, { minLength: 1 }), (all, gone, question) => {
      const corpus = new Corpus();
      const held = new HeldDocuments();
      const whole = new WholeDocuments(corpus, held);
      for (const [row, passages] of all.entries()) {
        const facts = { path: `/${row}`, updated: '', kind: 'file', language: 'en' } as const;
        held.add({ ...facts, id: row + 1 });
        for (const words of passages) held.addChunk(corpus.add(corpus.pack(counted(words))));
        // What is asked in between must not change what comes after.
        if (row === 3) whole.bm25(queryTerms(corpus, question));
      }
      for (const row of gone) for (const slot of held.remove(row + 1)) corpus.remove(slot);
      const texts = all.map((passages) => passages.flat());
      const living = texts.filter((_, row) => !gone.includes(row));
      const average = living.reduce((sum, text) => sum + text.length, 0) / living.length;
      const scores = whole.bm25(queryTerms(corpus, question));
      for (const [row, text] of texts.entries()) {
        if (gone.includes(row)) continue;
        let score = 0;
        for (const asked of question) {
          const spread = living.filter((each) => each.includes(asked)).length;
          const idf = Math.log(1 + (living.length - spread + 0.5) / (spread + 0.5));
          const count = text.filter((each) => each === asked).length;
          score += (idf * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * text.length) / average));
        }
        expect(scores[row]).toBeCloseTo(score, 4);
      }
    }),
  );
});
