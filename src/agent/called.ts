/** A turn that is asked for by a command of the harness: whose it is, and what it is asked. */
import { randomUUID } from 'node:crypto';
import { ConfigError } from '../errors.ts';
import { within, without } from './bounds.ts';
import { runCall } from './call.ts';
import { commandIn, type Expansion, expandPrompt } from './expand.ts';
import { type AgentView, agentOf, type HarnessView, skillsOf } from './harness-view.ts';
import { bashTool } from './tools/bash.ts';
import type { WorldAccess } from './world-access.ts';

/** What of a request a command can say. */
interface Asked {
  prompt: string;
  model?: string;
  signal?: AbortSignal;
  resumed?: boolean;
  begunWith?: string;
}

/** A request as a command has it carried out. */
export interface Called<T extends Asked> {
  agent: AgentView;
  /** The same before the command took tools from it: it runs the command's own lines. */
  caller: AgentView;
  request: T;
}

/**
 * The agent and the model that a command names: no right is gained by calling one.
 * @param asked the agent that the request is for
 * @throws ConfigError for an agent that is not known
 */
export function asCalled<T extends Asked>(
  harness: HarnessView,
  asked: AgentView,
  request: T,
): Called<T> {
  const command = commandIn(request.begunWith ?? request.prompt, harness);
  if (command === null) return { agent: asked, caller: asked, request };
  const { agent: name, model, tools } = command;
  const caller =
    name === null || name === asked.name ? asked : within(agentOf(harness, name), asked);
  return {
    agent: without(caller, tools),
    caller,
    request: model === null || request.model !== undefined ? request : { ...request, model },
  };
}

/**
 * What a request asks, with the output of a command's lines: each is a call of `bash`, as the agent
 * itself makes them.
 * @param access that of the caller
 * @throws ConfigError for a command with lines, where the caller may not call `bash`
 */
export async function expandRequest(
  { prompt, resumed, signal = new AbortController().signal }: Asked,
  harness: HarnessView,
  caller: AgentView,
  access: WorldAccess,
): Promise<Expansion> {
  if (resumed === true) return { text: prompt, untrusted: [], rules: [] };
  const tools = new Map([[bashTool.name, bashTool]]);
  return expandPrompt(prompt, harness, skillsOf(caller, harness), (command) => {
    if (!caller.allowsTool(bashTool.name)) {
      throw new ConfigError(
        `commands/${commandIn(prompt, harness)?.name}.md`,
        `it runs lines of the shell, and the agent "${caller.name}" may not call ${bashTool.name}`,
      );
    }
    const call = { id: randomUUID(), name: bashTool.name, input: { command } };
    return runCall(call, tools, { access, callId: call.id, signal, onOutput: () => undefined });
  });
}
