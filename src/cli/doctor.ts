/** `dirigent doctor`: what is there, what can be reached, and what to do where something cannot. */
import type { Worker } from 'node:worker_threads';
import { escapeName, joined, styled, visible, visibleMessage } from '../visible.ts';
import {
  type AgentConfig,
  type CheckedConfig,
  checkConfig,
  type WorldConfig,
} from '../world/config.ts';
import { type Host, stateDirectory } from '../world/plan.ts';
import type { Check, DoctorContext } from './doctor-check.ts';
import { checkIndex, checkPeers, checkProgram, checkState, checkTools } from './doctor-host.ts';
import { checkModel, checkModelFacts, checkWorld } from './doctor-world.ts';
import type { Installation } from './installation.ts';
import { openWorld } from './open-world.ts';
import type { DoctorArguments } from './options.ts';
import type { Output } from './output.ts';
import { configIn, findDeployment, suggested } from './place.ts';
import { setUpWorld } from './setup.ts';

const TIMEOUT_MS = 10_000;
const COLOURS = { ok: 32, warn: 33, fail: 31 } as const;

/** Runs `dirigent doctor`, and gives its exit status: 1 where something fails. */
export async function runDoctor(
  options: DoctorArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): Promise<number> {
  const checks: Check[] = [];
  // Each line is shown as it is known: the last ones wait for services.
  for await (const check of examine(options, output, installation, worker)) {
    checks.push(check);
    if (!options.json) await printCheck(check, output);
  }
  const failed = checks.filter(({ state }) => state === 'fail').length;
  const warned = checks.filter(({ state }) => state === 'warn').length;
  if (options.json) await output.json({ ok: failed === 0, checks }, 2);
  else await output.out(visible`\n${summary(failed, warned)}\n`);
  return failed === 0 ? 0 : 1;
}

function summary(failed: number, warned: number): string {
  if (failed > 0) return `${failed} of these keep something from working`;
  return warned > 0 ? `it works; ${warned} of these are worth a look` : 'all is well';
}

/** Prints one line of a report, and what to do below it. */
export async function printCheck(
  { what, state, text, advice }: Check,
  output: Output,
): Promise<void> {
  const word = visible`${state.padEnd(4)}`;
  const shown = output.outIsTerminal ? styled(word, COLOURS[state]) : word;
  const more = advice === undefined ? visible`` : visible`\n        ${visibleMessage(advice)}`;
  const line = visible`${shown}  ${what}: ${visibleMessage(text, '        ')}`;
  await output.out(joined([line, more, visible`\n`]));
}

async function* examine(
  options: DoctorArguments,
  output: Output,
  installation: Installation,
  worker: Worker,
): AsyncGenerator<Check> {
  const cwd = process.cwd();
  const host: Host = { deployment: options.deployment ?? null, cwd, env: process.env };
  const context: DoctorContext = { options, host, timeoutMs: TIMEOUT_MS };
  yield checkProgram();
  const loaded = await load(options, installation, host);
  yield loaded.check;
  const { config } = loaded;
  let agent: AgentConfig = {};
  let parts: CheckedConfig['parts'];
  if (config !== null) {
    const checked = checkConfig(await installation.sources(), config);
    agent = checked.agent ?? {};
    parts = checked.parts;
    const state = stateDirectory(checked, host);
    yield* checkState(state);
    yield* checkIndex(state, options);
    const world = await failing('world', () => openWorld(options, installation, worker, output));
    if ('state' in world && 'what' in world) yield world;
    else yield* checkWorld(world, checked, context);
  }
  yield* checkModel(agent, context);
  yield await failing('model facts', () => checkModelFacts({ agent, parts }, context));
  yield* checkPeers();
  yield* checkTools();
}

/** The config, and what is to be said of it. */
async function load(
  options: DoctorArguments,
  installation: Installation,
  { cwd, env, deployment }: Host,
): Promise<{ config: WorldConfig | null; check: Check }> {
  const what = 'config';
  if (deployment === null) {
    const text = 'no deployment here: a plain world, with /workspace in memory';
    const advice = `"${suggested(options.given, 'init')}" makes one in this directory`;
    return { config: {}, check: { what, state: 'ok', text, advice } };
  }
  const found = findDeployment(options.given.deployment, cwd, env);
  const by = found?.by === 'search' ? '' : ` (named by ${found?.by})`;
  try {
    const { config } = await setUpWorld(options, installation, cwd);
    checkConfig(await installation.sources(), config);
    const text = `${escapeName(configIn(deployment) ?? deployment)}${by}`;
    return { config, check: { what, state: 'ok', text } };
  } catch (error) {
    return { config: null, check: failed(what, error) };
  }
}

/** What the work gives, or the line that says why it failed. */
async function failing<T extends object>(what: string, work: () => Promise<T>): Promise<T | Check> {
  try {
    return await work();
  } catch (error) {
    return failed(what, error);
  }
}

/** A failure is what the doctor is there to tell: it becomes a line, whatever it is. */
function failed(what: string, error: unknown): Check {
  const reason = error instanceof Error && 'reason' in error ? error.reason : undefined;
  const message = error instanceof Error ? error.message : String(error);
  return { what, state: 'fail', text: typeof reason === 'string' ? reason : message };
}
