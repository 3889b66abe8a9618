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

export const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
