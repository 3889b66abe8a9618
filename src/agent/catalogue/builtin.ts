/**
 * The table that comes with the package. Only models of which the vendors'
 * price lists and several open catalogues say the same; `models.yaml` of a
 * deployment stands over it. A name that ends with * is of all that begin so.
 */
import type { ModelFacts } from './facts.ts';

const GPT: ModelFacts = {
  window: 272_000,
  output: 128_000,
  abilities: ['tools', 'images', 'documents', 'reasoning'],
};
const CLAUDE: ModelFacts = {
  window: 200_000,
  output: 64_000,
  abilities: ['tools', 'images', 'documents', 'reasoning'],
};
const GEMINI: ModelFacts = {
  window: 1_048_576,
  output: 65_536,
  abilities: ['tools', 'images', 'documents', 'reasoning'],
};

export const BUILTIN_MODELS: Readonly<Record<string, ModelFacts>> = {
  'builtin/*': { abilities: ['tools'], prices: { input: 0, output: 0 } },
  'openai/gpt-5.1': { ...GPT, prices: { input: 1.25, output: 10, cached: 0.125 } },
  'openai/gpt-5': { ...GPT, prices: { input: 1.25, output: 10, cached: 0.125 } },
  'openai/gpt-5-mini': { ...GPT, prices: { input: 0.25, output: 2, cached: 0.025 } },
  'openai/gpt-5-nano': { ...GPT, prices: { input: 0.05, output: 0.4, cached: 0.005 } },
  'anthropic/claude-*': CLAUDE,
  'anthropic/claude-haiku-4-5*': { ...CLAUDE, prices: { input: 1, output: 5, cached: 0.1 } },
  'anthropic/claude-sonnet-4-5*': { ...CLAUDE, prices: { input: 3, output: 15, cached: 0.3 } },
  'anthropic/claude-sonnet-4-6*': { ...CLAUDE, prices: { input: 3, output: 15, cached: 0.3 } },
  'google/gemini-*': { ...GEMINI },
  'google/gemini-2.5-flash': { ...GEMINI, prices: { input: 0.3, output: 2.5, cached: 0.03 } },
};
