/**
 * A catalogue that is asked of a server: the list of models that OpenRouter, and
 * gateways like it, give at `/models`. `options`: `{ url, provider }`, as in
 * `{ url: 'https://openrouter.ai/api/v1', provider: 'openrouter' }`.
 */
import { z } from 'zod';
import type { ModelCatalogue, PartModule } from '../../entry/parts.ts';

const optionsSchema = z.strictObject({ url: z.url(), provider: z.string() });
/** USD for one token, as a text. */
const price = z.coerce.number().transform((each) => each * 1e6);
const listSchema = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      context_length: z.int(),
      top_provider: z.object({ max_completion_tokens: z.int().nullish() }).optional(),
      pricing: z.object({ prompt: price, completion: price, input_cache_read: price.optional() }),
      supported_parameters: z.array(z.string()).optional(),
    }),
  ),
});

const gateway: PartModule<ModelCatalogue> = ({ options }) => {
  const { url, provider } = optionsSchema.parse(options);
  let asked: Promise<z.output<typeof listSchema>> | undefined;
  const ask = async () => {
    const answer = await fetch(`${url.replace(/\/$/, '')}/models`);
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
    return listSchema.parse(await answer.json());
  };
  return {
    model: async (id) => {
      if (!id.startsWith(`${provider}/`)) return null;
      asked ??= ask();
      const { data } = await asked;
      const found = data.find((each) => each.id === id.slice(provider.length + 1));
      if (found === undefined) return null;
      const { context_length, top_provider, pricing, supported_parameters } = found;
      return {
        window: context_length,
        output: top_provider?.max_completion_tokens ?? undefined,
        abilities: supported_parameters?.includes('tools') === false ? [] : ['tools'],
        prices: {
          input: pricing.prompt,
          output: pricing.completion,
          cached: pricing.input_cache_read,
        },
      };
    },
  };
};

export default gateway;
