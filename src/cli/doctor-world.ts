/** What the doctor asks a world: its mounts, what waits in its journal, its harness, and its model. */
import { openModels } from '../agent/catalogue/catalogue.ts';
import type { ModelCatalogue } from '../agent/catalogue/facts.ts';
import { BUILTIN_EXTRACT } from '../agent/extract/model.ts';
import { chooseModel } from '../agent/models.ts';
import { probeModel } from '../agent/probe-model.ts';
import { variable } from '../agent/providers.ts';
import { errorsText, inspectHarness } from '../harness/load.ts';
import { planParts } from '../parts/config.ts';
import { loadPart } from '../parts/load.ts';
import type { AgentConfig, CheckedConfig } from '../world/config.ts';
import { hostToolModules, modelsFile, tokenVariable } from '../world/plan.ts';
import type { ProbedMount } from '../world/probe.ts';
import type { World } from '../world/world.ts';
import type { Check, DoctorContext } from './doctor-check.ts';
import { suggested } from './place.ts';

/** Below this part of its limit a service may soon refuse. */
const LOW = 0.1;

export async function* checkWorld(
  world: World,
  config: CheckedConfig,
  context: DoctorContext,
): AsyncGenerator<Check> {
  yield* checkServices(world, config, context);
  yield* checkJournal(world, context);
  const errors = inspectHarness(world.harness, new Set(hostToolModules(config, context.host)));
  if (errors.length === 0) yield { what: 'harness', state: 'ok', text: 'nothing is wrong' };
  else {
    const advice = `"${suggested(context.options.given, 'harness check')}" says so again`;
    yield { what: 'harness', state: 'warn', text: errorsText(errors).trimEnd(), advice };
  }
}

/** A line for each mount of the config. */
export async function* checkServices(
  world: World,
  config: CheckedConfig,
  context: DoctorContext,
): AsyncGenerator<Check> {
  const probed = await world.probe(context.timeoutMs);
  for (const { point, kind, service } of world.mounts) {
    // What every world has is no news.
    if (!config.mounts.has(point)) continue;
    const probe = probed.find((each) => each.point === point);
    if (probe !== undefined) yield serviceCheck(probe, config, context);
    else yield { what: point, state: 'ok', text: service ? `${kind}, cannot be asked` : kind };
  }
}

function serviceCheck(
  { point, kind, account, limit, error, held }: ProbedMount,
  config: CheckedConfig,
  { host }: DoctorContext,
): Check {
  const mount = config.mounts.get(point);
  const name = mount === undefined ? null : tokenVariable(mount);
  const missing = name !== null && variable(host.env, name) === undefined;
  const set = `set ${name} where dirigent is started`;
  const copy = held === null ? '' : `; ${held.records} records held, confirmed ${held.confirmedAt}`;
  if (error !== undefined) {
    const advice = missing ? set : `look at the token in ${name}, and at the network`;
    const known = { what: point, state: 'fail', text: `${kind}: ${error}${copy}` } as const;
    return name === null ? known : { ...known, advice };
  }
  const who = typeof account === 'string' ? ` as ${account}` : '';
  const left =
    limit === null || limit === undefined
      ? ''
      : `, ${limit.remaining} of ${limit.of} requests left until ${limit.resetAt}`;
  const text = `${kind}${who}${left}${copy}`;
  if (missing) return { what: point, state: 'warn', text: `${text}; no token`, advice: set };
  const low = limit !== null && limit !== undefined && limit.remaining < limit.of * LOW;
  return { what: point, state: low ? 'warn' : 'ok', text };
}

async function* checkJournal(
  { changes, approvals }: World,
  { options: { given } }: DoctorContext,
): AsyncGenerator<Check> {
  const all = await changes.list();
  const unknown = all.filter(({ state }) => state === 'unknown').length;
  const pending = all.filter(({ state }) => state === 'pending').length;
  const asked = (await approvals.list('pending')).length;
  const text = `${pending} changes and ${asked} approvals wait, ${unknown} changes are unknown`;
  if (unknown > 0) {
    const advice = `"${suggested(given, 'changes settle --all')}" asks what came of them`;
    yield { what: 'journal', state: 'warn', text, advice };
  } else yield { what: 'journal', state: 'ok', text };
}

export async function* checkModel(
  agent: AgentConfig,
  { host, timeoutMs }: DoctorContext,
): AsyncGenerator<Check> {
  const id = agent.model ?? (await chooseModel({ env: host.env }));
  const probe = await probeModel(id, host.env, agent.providers ?? {}, timeoutMs);
  const by = agent.model === undefined ? '' : ', as the config says';
  const at = probe.host === null ? '' : ` at ${probe.host}`;
  const key = probe.key === null ? '' : `, with the key in ${probe.key}`;
  const text = `${id}${by}${at}${key}`;
  if (probe.error !== null) yield { what: 'model', state: 'fail', text, advice: probe.error };
  else if (id === 'builtin/extract') {
    const advice =
      'it searches and quotes, and concludes nothing: set ANTHROPIC_API_KEY, OPENAI_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY or OPENROUTER_API_KEY, or start Ollama';
    yield { what: 'model', state: 'ok', text, advice };
  } else yield { what: 'model', state: 'ok', text };
}

/** What is known of the model: how much it reads, what it costs. @throws ConfigError */
export async function checkModelFacts(
  { agent = {}, parts }: Pick<CheckedConfig, 'agent' | 'parts'>,
  { host }: DoctorContext,
): Promise<Check> {
  const what = 'model facts';
  const id = agent.model ?? (await chooseModel({ env: host.env }));
  const { models } = planParts(parts, host.deployment ?? host.cwd, host.env);
  const part = models === undefined ? null : await loadPart<ModelCatalogue>(models);
  const facts = await openModels(modelsFile(host), part).facts(id);
  const window = agent.contextWindow ?? facts.window;
  const reads = window === undefined ? [] : [`reads ${window} tokens`];
  const costs =
    facts.prices === undefined
      ? []
      : [`a million tokens cost $${facts.prices.input} in, $${facts.prices.output} out`];
  const text = [...reads, ...costs].join('; ');
  if (costs.length > 0 || id === BUILTIN_EXTRACT)
    return { what, state: 'ok', text: text || 'free' };
  const limited = Object.keys(agent.budget ?? {}).some((name) => name.startsWith('money'));
  const advice = `give the prices of ${id} in models.yaml of the deployment`;
  const known = text === '' ? 'nothing is known of it' : `${text}; its prices are not known`;
  return { what, state: limited ? 'warn' : 'ok', text: known, ...(limited ? { advice } : {}) };
}
