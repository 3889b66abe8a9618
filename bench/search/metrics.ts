/** How good a ranking is. */

/** Discounted gain of the first ten, 1 for a perfect order; every relevant document counts alike. */
export function ndcg10(ranked: readonly string[], relevant: ReadonlySet<string>): number {
  const gain = (index: number): number => 1 / Math.log2(index + 2);
  let found = 0;
  for (const [index, id] of ranked.slice(0, 10).entries())
    if (relevant.has(id)) found += gain(index);
  let ideal = 0;
  for (let index = 0; index < Math.min(10, relevant.size); index++) ideal += gain(index);
  return found / ideal;
}

/** Share of the relevant documents that are among the first hundred. */
export function recall100(ranked: readonly string[], relevant: ReadonlySet<string>): number {
  return ranked.slice(0, 100).filter((id) => relevant.has(id)).length / relevant.size;
}

/** 1 where a relevant document is among the first so many, else 0. */
export function success(
  ranked: readonly string[],
  relevant: ReadonlySet<string>,
  first: number,
): number {
  return ranked.slice(0, first).some((id) => relevant.has(id)) ? 1 : 0;
}

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const RESAMPLES = 2_000;

/** Between what 95 % of resamplings of the questions have the ratio of two means; from a fixed seed. */
export function intervalOfRatio(
  own: readonly number[],
  other: readonly number[],
): [number, number] {
  let state = 42;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 4294967296) * own.length);
  };
  const ratios = Array.from({ length: RESAMPLES }, () => {
    let [above, below] = [0, 0];
    for (let drawn = 0; drawn < own.length; drawn++) {
      const at = random();
      above += own[at] ?? 0;
      below += other[at] ?? 0;
    }
    return above / below;
  }).sort((a, b) => a - b);
  const at = (share: number): number => ratios[Math.floor(share * RESAMPLES)] ?? 0;
  return [at(0.025), at(0.975)];
}
