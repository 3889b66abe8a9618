/** Agents of a harness in memory, whose models answer by a script. */
import type { EntryDraft } from '../session/entry.ts';
import { type AgentOptions, type RunRequest, runAgent, type TurnContext } from './agent.ts';
import type { AgentView, CommandView, HarnessView } from './harness-view.ts';
import { Ledger } from './ledger.ts';
import {
  type MemoryTranscript,
  memoryAccess,
  memoryTranscript,
  type ScriptedReply,
  scriptedModel,
} from './testing.ts';

export function agentNamed(name: string, more: Partial<AgentView> = {}): AgentView {
  return {
    name,
    description: `the agent ${name}`,
    model: 'auto',
    prompt: `You are ${name}.`,
    allowsTool: () => true,
    filesystem: 'read-write',
    skills: null,
    ...more,
  };
}

/** By their names. */
export const byName = <T extends { name: string }>(...all: T[]): Map<string, T> =>
  new Map(all.map((each) => [each.name, each]));

export function harnessOf(more: Partial<HarnessView> = {}): HarnessView {
  return {
    agents: byName(agentNamed('assistant'), agentNamed('helper', { model: 'openai/helper' })),
    skills: new Map(),
    commands: new Map(),
    instructions: [],
    rules: [],
    tools: [],
    enforce: async () => undefined,
    ...more,
  };
}

export function commandNamed(name: string, more: Partial<CommandView> = {}): CommandView {
  const none = { agent: null, model: null, tools: {} };
  return { name, description: `the command ${name}`, arguments: '', parts: [], ...none, ...more };
}

/** Agents whose models all answer by one script. */
export function scriptedAgent(
  replies: readonly ScriptedReply[] = [],
  more: Partial<AgentOptions> & { view?: Partial<HarnessView>; log?: readonly EntryDraft[] } = {},
) {
  const { view, log, ...rest } = more;
  const transcript = memoryTranscript(log);
  const model = scriptedModel(replies);
  const access = memoryAccess();
  const models: string[] = [];
  const accesses: { agent: AgentView; turn: TurnContext }[] = [];
  const delegated: { agent: string; call: string; transcript: MemoryTranscript }[] = [];
  const ended: string[] = [];
  const options: AgentOptions = {
    transcript,
    harness: async () => harnessOf(view),
    accessFor: (agent, turn) => {
      accesses.push({ agent, turn });
      return access;
    },
    transcriptFor: (agent, call) => {
      const transcript = memoryTranscript();
      delegated.push({ agent: agent.name, call, transcript });
      return transcript;
    },
    model: async (id) => {
      models.push(id);
      return model;
    },
    defaultModel: 'openai/default',
    mounts: ['/mnt/docs'],
    scheduled: async () => [],
    facts: async () => ({}),
    budget: { limits: {}, ledger: new Ledger(':memory:'), requests: () => 0 },
    endShell: (name) => void ended.push(name),
    now: () => new Date('2026-03-04T12:00:00Z'),
    maxRetries: 0,
    ...rest,
  };
  const run = (request: Partial<RunRequest> = {}) =>
    runAgent(options, { prompt: 'hello', ...request });
  const toolsOf = (call: number) =>
    (model.doStreamCalls[call]?.tools ?? []).map(({ name }) => name);
  return { transcript, model, access, models, accesses, delegated, ended, options, run, toolsOf };
}
