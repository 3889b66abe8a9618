/** Models as turns have them: each request on an account, by what is known of the model. */
import type { LanguageModel } from 'ai';
import type { Author } from '../policy/author.ts';
import { USER } from '../policy/context.ts';
import { Budget, type BudgetSources } from './budget.ts';
import { budgetedModel } from './budgeted-model.ts';
import type { ModelFacts } from './catalogue/facts.ts';
import { type ConversationHooks, hookedModel, TurnHooks } from './conversation-hooks.ts';
import { BUILTIN_EXTRACT } from './extract/model.ts';
import { type Derive, modelDerivation, quotation } from './memory/derive.ts';
import type { Transcript } from './transcript.ts';

/** What models are, and what they may cost. */
export interface Metered {
  /** @throws ConfigError for an id that is not known */
  model(id: string): Promise<LanguageModel>;
  /** What is known of a model. @throws ConfigError */
  facts(modelId: string): Promise<ModelFacts>;
  /** Tokens that every model can read, whatever is known of it. */
  contextWindow?: number | undefined;
  /** What is counted by, and what may be spent. */
  budget: Omit<BudgetSources, 'facts'>;
  /** Who asks for the turns; the person in charge, if absent. */
  principal?: string;
  transcript: Pick<Transcript, 'id' | 'append'>;
  /** The deployment's own code between a conversation and its models. */
  conversation?: ConversationHooks | null;
}

/** What is assumed of a model of which nothing is said. Tokens. */
const CONTEXT_WINDOW = 128_000;

/** What a turn may spend: on the account of its agent, and of whoever asked for it. */
export function budgetOf(
  { budget, facts, transcript, principal = USER }: Metered,
  agent: string,
  turn: string,
  author?: Author,
): Budget {
  // Not on that of the agent which wrote the prompt: whoever asked it to would spend without a limit.
  const asked = author?.people?.[0] ?? principal;
  const account = { agent, principal: asked, session: transcript.id, turn };
  return new Budget({ ...budget, facts }, account);
}

/** What the deployment's own code has to say of a turn; null without. */
export const hooksOf = (
  { conversation = null, transcript }: Pick<Metered, 'conversation' | 'transcript'>,
  agent: string,
  model: string,
): TurnHooks | null =>
  conversation === null
    ? null
    : new TurnHooks(conversation, { agent, session: transcript.id, model }, transcript);

/** A model whose requests go by the hooks, and are counted; the extractive one costs nothing. @throws ConfigError */
export async function meteredModel(
  options: Pick<Metered, 'model' | 'conversation' | 'transcript'>,
  id: string,
  budget: Budget,
): Promise<LanguageModel> {
  const model = await options.model(id);
  if (typeof model === 'string') return model;
  const counted = id === BUILTIN_EXTRACT ? model : budgetedModel(model, id, budget);
  const hooks = hooksOf(options, budget.account.agent, id);
  return hooks === null ? counted : hookedModel(counted, hooks);
}

/** Facts are stated by the model; the extractive one quotes. @throws ConfigError */
export async function deriveWith(
  options: Pick<Metered, 'model' | 'conversation' | 'transcript'>,
  modelId: string,
  budget: Budget,
): Promise<Derive> {
  if (modelId === BUILTIN_EXTRACT) return quotation;
  return modelDerivation(await meteredModel(options, modelId, budget));
}

/** Tokens that a model can read: as the config says, else as the catalogue does. */
export async function windowOf(
  { contextWindow, facts }: Metered,
  modelId: string,
): Promise<number> {
  if (contextWindow !== undefined) return contextWindow;
  if (modelId === BUILTIN_EXTRACT) return Number.POSITIVE_INFINITY;
  return (await facts(modelId)).window ?? CONTEXT_WINDOW;
}
