/** What summarises a conversation: an agent of the harness, like any other. */
import { estimateTextTokens } from '../session/tokens.ts';
import type { Budget } from './budget.ts';
import type { Compaction, CompactorOptions } from './compaction.ts';
import type { HarnessView, Instructions } from './harness-view.ts';
import { type Metered, meteredModel, windowOf } from './metered.ts';
import type { AgentTool } from './tool.ts';
import type { Transcript } from './transcript.ts';
import type { WorldAccess } from './world-access.ts';

/** The name of the agent that summarises. */
export const COMPACT_AGENT = 'compact';

/** What a conversation is summarised with. */
export interface Compacting extends Metered {
  transcript: Transcript;
  mounts: readonly string[];
  /** Summarises in the place of the house; null where the house does. */
  compaction?: Compaction | null;
  now?: () => Date;
}

/** A conversation that may grow too long for its model. */
export interface Growing {
  access: WorldAccess;
  instructions: readonly Instructions[];
  modelId: string;
  system: string;
  tools: readonly AgentTool[];
  budget: Budget;
}

/** @returns null where the harness has no agent that summarises */
export async function compactorOf(
  options: Compacting,
  harness: HarnessView,
  { access, instructions, modelId, system, tools, budget }: Growing,
): Promise<CompactorOptions | null> {
  const agent = harness.agents.get(COMPACT_AGENT);
  if (agent === undefined) return null;
  const { transcript, mounts, now = () => new Date() } = options;
  const declared = tools.map(({ description, inputSchema }) => [description, inputSchema]);
  return {
    transcript,
    access,
    model: await meteredModel(options, agent.model === 'auto' ? modelId : agent.model, budget),
    system: agent.prompt,
    instructions,
    part: options.compaction ?? null,
    window: {
      contextWindow: await windowOf(options, modelId),
      overhead: estimateTextTokens(system + JSON.stringify(declared)),
    },
    memory: mounts.includes('/memory'),
    now,
  };
}
