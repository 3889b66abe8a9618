/** The harness of a deployment: agents, skills, tools, prompts, AGENTS.md, policy.yaml. */
export { type Harness, type HarnessOptions, openHarness } from './harness.ts';
