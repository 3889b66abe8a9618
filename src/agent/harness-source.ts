/** From the files of a harness to what a turn takes of it. */
import type { JSONSchema7 } from 'ai';
import type { AgentFile, CommandFile, PromptFile, ToolFile } from '../harness/files.ts';
import type { Harness, HarnessSnapshot } from '../harness/harness.ts';
import type { HostTool } from '../harness/host-tool.ts';
import { untrustedInputSchema } from '../harness/input-schema.ts';
import { templateParts } from '../harness/templates.ts';
import { allowsTool } from '../policy/tool-switches.ts';
import { quoted } from '../shell/quote.ts';
import type { World } from '../world/world.ts';
import type { AgentView, CommandView, HarnessView } from './harness-view.ts';
import { type AgentTool, defineTool } from './tool.ts';
import { bashTool } from './tools/bash.ts';

/** The harness as it is now, for one turn. */
export async function harnessView(harness: Harness, world: World): Promise<HarnessView> {
  const snapshot = await harness.current();
  const rules = [...snapshot.rules.values()].map(({ location, ...rule }) => ({
    ...rule,
    path: location,
  }));
  return {
    agents: mapped(snapshot.agents, agentView),
    skills: mapped(snapshot.skills, ({ name, description, location, body }) => ({
      name,
      description,
      path: location,
      body,
    })),
    commands: new Map([
      ...mapped(snapshot.prompts, templateView),
      ...mapped(snapshot.commands, commandView),
    ]),
    instructions: [
      ...(snapshot.agentsMd === null
        ? []
        : [{ path: '/harness/AGENTS.md', text: snapshot.agentsMd }]),
      ...rules.filter(({ paths }) => paths === null),
    ],
    rules: rules.filter(({ paths }) => paths !== null),
    tools: toolsOf(snapshot),
    enforce: () => world.usePolicy(snapshot.policy),
  };
}

function mapped<T, U>(files: ReadonlyMap<string, T>, view: (file: T) => U): Map<string, U> {
  return new Map([...files].map(([name, file]) => [name, view(file)]));
}

function agentView(file: AgentFile): AgentView {
  const { name, description, model, prompt, filesystem, skills, tools } = file;
  return {
    name,
    description,
    model,
    prompt,
    filesystem,
    skills,
    tools: [tools],
    allowsTool: (tool) => allowsTool({ tools: [tools] }, tool),
  };
}

const commandView = ({ template, ...command }: CommandFile): CommandView => ({
  ...command,
  parts: templateParts(template),
});

const templateView = ({ name, description, template }: PromptFile): CommandView => ({
  name,
  description,
  arguments: '',
  agent: null,
  model: null,
  tools: {},
  parts: [{ text: template }],
});

function toolsOf({ tools, hostTools }: HarnessSnapshot): AgentTool[] {
  return [...[...hostTools.values()].map(hostTool), ...[...tools.values()].map(scriptTool)];
}

/** The deployer's own code, in the host. */
function hostTool({ name, description, input, readOnly, untrusted, execute }: HostTool): AgentTool {
  return defineTool({
    name,
    description,
    input,
    readOnly,
    host: true,
    run: async (given, { signal }) => {
      const text = textOf(await execute(given, { signal }));
      return untrusted ? { text, untrusted: [`the tool ${name}`] } : text;
    },
  });
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value) ?? '[no output]');

/** A script that runs inside the sandbox, as the shell command `tool` runs it. */
function scriptTool({ name, description, input }: ToolFile): AgentTool {
  const schema = untrustedInputSchema(input);
  const checked = defineTool({ name, description, input: schema, run: async () => '' });
  return {
    ...checked,
    inputSchema: input as JSONSchema7,
    prepare: (given) => {
      const result = checked.prepare(given);
      if ('faults' in result) return result;
      return bashTool.prepare({ command: `tool ${name} ${quoted(JSON.stringify(given))}` });
    },
  };
}
