/** What is known of a model: how much it reads and writes, what it can do, and what that costs. */
import { z } from 'zod';

export const ABILITIES = ['tools', 'images', 'documents', 'reasoning'] as const;
/** What a model can do beside reading and writing text. */
export type Ability = (typeof ABILITIES)[number];

const tokens = z.int().min(1);
/** USD for a million tokens. */
const price = z.number().min(0);

export const factsSchema = z.strictObject({
  window: tokens.optional(),
  output: tokens.optional(),
  abilities: z.array(z.enum(ABILITIES)).optional(),
  prices: z.strictObject({ input: price, output: price, cached: price.optional() }).optional(),
});

/** What is known of a model; what is absent is not known. */
export interface ModelFacts {
  /** Tokens that it can read. */
  window?: number | undefined;
  /** Tokens that one answer can have at most. */
  output?: number | undefined;
  /** All that it can do; without `tools` it is told of none. */
  abilities?: Ability[] | undefined;
  /** USD for a million tokens; `cached`: of input that its server had in its cache. */
  prices?: { input: number; output: number; cached?: number | undefined } | undefined;
}

/** A catalogue of models in the place of the built-in table: the part `models`. */
export interface ModelCatalogue {
  /**
   * What is known of a model.
   * @param id as the config and the command line name it, such as `openai/gpt-5.1`
   * @returns null for a model that it does not know
   */
  model(
    id: string,
    options: { signal: AbortSignal },
  ): ModelFacts | null | Promise<ModelFacts | null>;
}

/** What tokens cost; null where the price is not known. USD. */
export function costOf(
  prices: ModelFacts['prices'],
  spent: {
    inputTokens?: number | undefined;
    outputTokens?: number | undefined;
    cachedInputTokens?: number | undefined;
  },
): number | null {
  if (prices === undefined) return null;
  const { inputTokens = 0, outputTokens = 0, cachedInputTokens = 0 } = spent;
  const cached = Math.min(cachedInputTokens, inputTokens);
  const { input, output, cached: reduced = input } = prices;
  return ((inputTokens - cached) * input + cached * reduced + outputTokens * output) / 1e6;
}
