import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { counted, FUSION, type Poll } from './fusion.ts';
import type { Vote } from './parts.ts';
import { votesOfModel } from './votes/sentences.ts';
import { standardised } from './votes.ts';

const numbers = fc.array(fc.double({ min: -50, max: 50, noNaN: true }), { minLength: 2 });
const floats = (...values: number[]): Float32Array => Float32Array.from(values);

function poll(more: Partial<Poll> = {}): Poll {
  const bm25 = floats(1, 0.9, 0.5);
  return { trust: 1, whole: bm25, passage: bm25, votes: new Map(), model: null, ...more };
}

const totals = (each: Poll): number[] => {
  const parts = [...counted(each, FUSION).values()];
  return [0, 1, 2].map((at) => parts.reduce((sum, values) => sum + (values[at] ?? 0), 0));
};

describe('a vote', () => {
  it('has a mean of 0 and a deviation of 1 over the candidates, whatever its unit', () => {
    fc.assert(
      fc.property(numbers, fc.double({ min: 0.1, max: 1_000, noNaN: true }), (values, unit) => {
        const own = standardised(floats(...values));
        const scaled = standardised(floats(...values.map((value) => value * unit)));
        const mean = own.reduce((sum, value) => sum + value, 0) / own.length;
        expect(mean).toBeCloseTo(0, 2);
        fc.pre(Math.max(...values) - Math.min(...values) > 0.1);
        const square = own.reduce((sum, value) => sum + value * value, 0) / own.length;
        expect(square).toBeCloseTo(1, 2);
        for (const [at, value] of own.entries()) expect(scaled[at]).toBeCloseTo(value, 2);
      }),
    );
  });

  it('says nothing of what it does not know, and nothing where all are alike', () => {
    expect([...standardised(floats(1, Number.NaN, 3))]).toEqual([-1, 0, 1]);
    expect([...standardised(floats(7, 7, 7))]).toEqual([0, 0, 0]);
    expect([...standardised(floats(Number.NaN, Number.NaN))]).toEqual([0, 0]);
  });

  it('alone does not turn what BM25 keeps well apart, and decides what is about equal', () => {
    for (const vote of ['latent', 'found', 'kindred', 'expansion', 'lead', 'pairs', 'pieces']) {
      const votes = new Map([[vote as Vote, standardised(floats(0, 1, 5))]]);
      const [first = 0, second = 0, third = 0] = totals(poll({ votes }));
      expect(first).toBeGreaterThan(third);
      expect(second).toBeGreaterThan(third);
      const about = floats(1, 0.97, 0.5);
      const [one = 0, other = 0] = totals(
        poll({ whole: about, passage: about, votes: new Map([[vote as Vote, floats(-1, 1, 0)]]) }),
      );
      expect(other).toBeGreaterThan(one);
    }
  });

  it('of the word table counts more, the less the terms are believed', () => {
    const votes = new Map([['words' as Vote, standardised(floats(0, 0, 5))]]);
    const wins = (trust: number): boolean => {
      const [first = 0, , third = 0] = totals(poll({ votes, trust }));
      return third > first;
    };
    expect([1, 0.65, 0].map(wins)).toEqual([false, false, true]);
  });

  it('of a sentence model is one vote at its default weight, four at a half', () => {
    expect(votesOfModel(0.2)).toBeCloseTo(1);
    expect(votesOfModel(0.5)).toBeCloseTo(4);
    expect(votesOfModel(0)).toBe(0);
    expect(Number.isFinite(votesOfModel(1))).toBe(true);
  });
});
