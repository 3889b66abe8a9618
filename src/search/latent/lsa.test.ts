import { expect, it } from 'vitest';
import { Corpus } from '../lexical/corpus.ts';
import { fitLatentSpace, foldIn } from './lsa.ts';

/** Two subjects that share no word; car and automobile never stand together, but keep the same company. */
function twoSubjects(): Corpus {
  const corpus = new Corpus();
  const subjects = [
    ['engine', 'wheel', 'road', 'brake'],
    ['flour', 'oven', 'sugar', 'dough'],
  ];
  for (let n = 0; n < 80; n++) {
    const words = [...(subjects[n % 2] ?? [])];
    words.splice(
      Math.floor(n / 4) % 4,
      1,
      n % 2 === 1 ? 'cake' : n % 4 === 0 ? 'car' : 'automobile',
    );
    corpus.add(corpus.pack(new Map(words.map((word) => [word, 1]))));
  }
  return corpus;
}

it('puts words that keep the same company near each other, and two fits agree', () => {
  const corpus = twoSubjects();
  const space = fitLatentSpace(corpus, 2);
  const again = fitLatentSpace(corpus, 2);
  if (space === null || again === null) throw new Error('nothing was fitted');
  const point = (word: string) => foldIn(space, [[word, 1]]);
  const cosine = (a: Float32Array, b: Float32Array) =>
    a.reduce((sum, value, k) => sum + value * (b[k] ?? 0), 0);
  expect(cosine(point('car'), point('automobile'))).toBeGreaterThan(0.8);
  expect(cosine(point('car'), point('cake'))).toBeLessThan(0.2);
  expect(foldIn(again, [['car', 1]])).toEqual(point('car'));
});

it('fits nothing to a handful of texts', () => {
  const corpus = new Corpus();
  corpus.add(corpus.pack(new Map([['alone', 1]])));
  expect(fitLatentSpace(corpus)).toBeNull();
});
