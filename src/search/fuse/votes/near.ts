/** Votes by nearness in the two spaces, the one fitted on the corpus and the one of the word table. */
import type { Points } from '../../latent/points.ts';
import type { Pool } from '../pool.ts';

/** Of each candidate the cosine of the passage that is nearest to the question. */
export function nearest({ candidates }: Pool, cosines: Float32Array): Float32Array {
  return Float32Array.from(candidates, ({ passages }) =>
    Math.max(0, ...passages.map((slot) => cosines[slot] as number)),
  );
}

/**
 * How near each candidate is to what BM25 finds first: the mean of its cosines with
 * the best passages of those, each as far as its score says, its own left out.
 */
export function nearFound({ candidates, feedback }: Pool, points: Points): Float32Array {
  const believed = feedback.map((index) => {
    const { whole, passages } = candidates[index] as (typeof candidates)[number];
    return { index, score: whole, point: points.at(passages[0] as number) };
  });
  const sum = new Float32Array(points.dimensions);
  let total = 0;
  for (const { score, point } of believed) {
    total += score;
    for (let k = 0; k < sum.length; k++) sum[k] = (sum[k] as number) + score * (point[k] as number);
  }
  return Float32Array.from(candidates, ({ passages }, index) => {
    const own = believed.find((each) => each.index === index);
    const rest = total - (own?.score ?? 0);
    if (rest <= 0) return 0;
    let most = 0;
    for (const slot of passages) {
      let cosine = points.dot(slot, sum);
      if (own !== undefined) cosine -= own.score * points.dot(slot, own.point);
      most = Math.max(most, cosine / rest);
    }
    return most;
  });
}
