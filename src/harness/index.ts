/** The harness of a deployment: agents, skills, tools, prompts, AGENTS.md, policy.yaml. */
export type { AgentFile, PromptFile, SkillFile, ToolFile } from './files.ts';
export { type Harness, type HarnessOptions, type HarnessSnapshot, openHarness } from './harness.ts';
export type { HostTool, HostToolModule } from './host-tool.ts';
export { errorsText, type HarnessError, inspectHarness } from './load.ts';
export { expandTemplate, slashCommand, splitArguments } from './templates.ts';
