/** An agent for a world: its models, budget and harness as the deployment's config says. */

import { randomUUID } from 'node:crypto';
import { changesFile } from '../changes/file.ts';
import type { CredentialSource } from '../credentials/credential.ts';
import { ConfigError } from '../errors.ts';
import { openHarness } from '../harness/harness.ts';
import type { PartName } from '../parts/config.ts';
import { loadPart } from '../parts/load.ts';
import type { ActingContext } from '../policy/context.ts';
import { originsOfFiles } from '../policy/host-marks.ts';
import type { FormKind } from '../policy/question.ts';
import { scheduledNames } from '../schedule/journal.ts';
import type { SessionPlace } from '../session/file.ts';
import { createSession } from '../session/open.ts';
import { sessionPlace } from '../session/place.ts';
import type { TraceExporter } from '../telemetry/exporter.ts';
import { openTelemetry } from '../telemetry/open.ts';
import type { Telemetry } from '../telemetry/span.ts';
import { packageVersion } from '../version.ts';
import type { AgentConfig } from '../world/config.ts';
import type { World } from '../world/world.ts';
import { type AgentOptions, compactNow, type RunRequest, runAgent, worldTools } from './agent.ts';
import type { BudgetPart } from './budget.ts';
import { asCalled, expandRequest } from './called.ts';
import { openModels } from './catalogue/catalogue.ts';
import type { ModelCatalogue } from './catalogue/facts.ts';
import type { Compaction } from './compaction.ts';
import type { ConversationHooks } from './conversation-hooks.ts';
import { harnessView } from './harness-source.ts';
import { type AgentView, agentOf, skillsOf } from './harness-view.ts';
import { Ledger } from './ledger.ts';
import { Readings } from './memory/readings.ts';
import { MEMORY, type RefreshedSource, refreshMemory, remembered } from './memory/refresh.ts';
import { budgetOf, deriveWith } from './metered.ts';
import { chooseModel, type ModelSources, resolveModel } from './models.ts';
import type { PlanMode } from './plan-mode.ts';
import { sessionTranscript } from './session-transcript.ts';
import type { AgentTool } from './tool.ts';
import { askTool } from './tools/ask.ts';
import { planTool } from './tools/plan.ts';
import type { Transcript } from './transcript.ts';
import type { TurnResult } from './turn-result.ts';
import { type WorldAccess, worldAccess } from './world-access.ts';

/** So long the changes count that a client with a loop of its own has made. */
const CLIENT_COUNTS_MS = 60 * 60 * 1000;

/** Where an agent finds what is not in its world. */
export interface AgentHost {
  /** The deployment's directory, or the process's own. */
  base: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Told of what is wrong with the harness after an edit; it is watched for that. */
  onHarnessErrors?(text: string): void;
  /** Told of what the person in charge should know, such as that traces cannot be sent. */
  onNotice?(text: string): void;
}

/** An agent that is ready. */
export interface Agent {
  /** The id of the model that a turn has when neither it nor its agent names one. */
  readonly defaultModel: string;
  /** @throws ConfigError for an agent or a model that is not known */
  run(request: RunRequest): Promise<TurnResult>;
  /** What a prompt can call: skills of the agent as `$NAME`, commands and templates as `/NAME`. */
  vocabulary(agent?: string): Promise<Vocabulary>;
  /**
   * What a prompt stands for that calls a skill, a command or a template, for a client that has a
   * loop of its own. Lines of the shell in a command are run on its behalf.
   * @throws ConfigError for a command with lines that its agent may not run
   */
  expand(prompt: string, agent?: string, acting?: Partial<ActingContext>): Promise<string>;
  /** @throws ConfigError for a model that is not known, or whose key or package is missing */
  checkModel(id: string): Promise<void>;
  /**
   * Has the conversation summarised, but its last turns, whether or not it must be.
   * @returns false where there is nothing to summarise
   * @throws ConfigError for an agent or a model that is not known, or a model that cannot summarise
   */
  compact(request?: Pick<RunRequest, 'agent' | 'model' | 'signal'>): Promise<boolean>;
  /**
   * The tools on files and shell with what they act on, for a client that has a loop of its own.
   * @param acting who acts, and through what; the agent, through a file tool or the shell, if absent
   */
  surface(agent?: string, acting?: Partial<ActingContext> & SurfaceOptions): Promise<Surface>;
  /** An agent of the harness, as its file is now. @throws ConfigError for one that is not known */
  view(agent?: string): Promise<AgentView>;
  /**
   * Derives facts again whose sources have changed, on behalf of the person in charge.
   * @throws ConfigError for a mount or a model that is not there
   */
  refreshMemory(request: MemoryRequest): Promise<RefreshedSource[]>;
  /** Stops watching the harness, and sends what traces there are. */
  close(): Promise<void>;
}

/** What can be called by name in a prompt. */
export interface Vocabulary {
  skills: readonly Callable[];
  /** Of the deployment, by their names: templates are among them. */
  commands: readonly Callable[];
}

/** One of them. */
export interface Callable {
  name: string;
  /** Empty where nothing is said of it. */
  description: string;
  /** A hint at what follows the name; empty where nothing is said of it. */
  arguments: string;
}

/** Which facts are looked after. */
export interface MemoryRequest {
  /** A mount point; all that have a file of facts, if absent. */
  mount?: string;
  /** Further files to derive facts from. */
  sources?: readonly string[];
  model?: string;
  signal?: AbortSignal;
}

/** Who is there for a client with a loop of its own. */
export interface SurfaceOptions {
  attended?: boolean;
  /** The kinds of questions that its person can be put: with some it has the tool `ask`. */
  answers?: readonly FormKind[];
  /** It begins with a plan, and has the tool for it where its person can approve one. */
  plan?: PlanMode;
}

/** What a foreign loop is given. */
export interface Surface {
  access: WorldAccess;
  tools: readonly AgentTool[];
  transcript: Transcript;
  telemetry: Telemetry | null;
}

/** Makes the agent of a world. */
export async function openAgent(
  world: World,
  host: AgentHost,
  config: AgentConfig = world.agent,
): Promise<Agent> {
  const sources: ModelSources = {
    env: host.env,
    base: host.base,
    credentials: await partOf<CredentialSource>(world, 'credentials'),
    ...(config.providers === undefined ? {} : { providers: config.providers }),
  };
  const services = world.mounts.filter(({ service }) => service).map(({ point }) => point);
  const { own, defaults, hostTools } = world.harness;
  const { onHarnessErrors } = host;
  const harness = await openHarness({
    own,
    defaults,
    hostTools,
    originsOf: (files) => originsOfFiles(changesFile(world.state), files),
    ...(onHarnessErrors === undefined
      ? {}
      : { onErrors: (_, text) => onHarnessErrors.call(host, text) }),
  });
  const telemetry = await openTelemetry({
    config: config.telemetry,
    env: host.env,
    base: host.base,
    version: packageVersion(),
    exporter: config.telemetry === false ? null : await partOf<TraceExporter>(world, 'telemetry'),
    onProblem: (text) => host.onNotice?.(text),
  });
  const ledger = new Ledger(changesFile(world.state));
  /** Where sub-agents have their sessions; opened with the first. */
  let opened: SessionPlace | null = null;
  const place = (): SessionPlace => {
    opened ??= sessionPlace(world.state, world.parts.sessions);
    return opened;
  };
  const models = openModels(world.models, await partOf<ModelCatalogue>(world, 'models'));
  const remembers = world.mounts.some(({ point }) => point === MEMORY);
  const readings = new Readings(changesFile(world.state), memoryOwner(world));
  const options: AgentOptions = {
    readings,
    transcript: sessionTranscript(world.session),
    harness: () => harnessView(harness, world),
    accessFor: (agent, { id, untrustedRead, untrustedFrom, rules, plan, shell, through = {} }) =>
      worldAccess(world, services, {
        ...actingAs(agent),
        turn: id,
        untrustedRead,
        untrustedFrom,
        ...(rules.length === 0 ? {} : { rules }),
        ...(remembers ? { tellsFiles: true } : {}),
        ...through,
        ...(plan === undefined ? {} : { plan }),
        ...(shell === undefined ? {} : { shell }),
      }),
    transcriptFor: (agent, callId) => {
      const session = createSession(place());
      session.append({
        type: 'custom',
        name: 'turn/delegate',
        data: { agent: agent.name, parentSession: world.session.id, callId },
      });
      return sessionTranscript(session);
    },
    model: (id) => resolveModel(id, sources),
    defaultModel: config.model ?? (await chooseModel(sources)),
    mounts: world.mounts.map(({ point }) => point),
    onTurn: ({ agents }, plan) => {
      const rights = [...agents].map(([name, agent]) => [name, actingAs(agent)] as const);
      world.jobBounds.agentsAre(new Map(rights), true);
      return plan === undefined ? () => undefined : world.jobBounds.during(() => plan.scope);
    },
    endShell: (name) => world.endShell(name),
    scheduled: async () => scheduledNames(world.state),
    contextWindow: config.contextWindow,
    conversation: await partOf<ConversationHooks>(world, 'conversation'),
    compaction: await partOf<Compaction>(world, 'compaction'),
    facts: models.facts,
    budget: {
      limits: config.budget ?? {},
      ledger,
      part: await partOf<BudgetPart>(world, 'budget'),
      requests: () => Object.values(world.usage()).reduce((sum, each) => sum + each.requests, 0),
    },
    telemetry,
    ...(config.maxSteps === undefined ? {} : { maxSteps: config.maxSteps }),
  };
  return {
    defaultModel: options.defaultModel,
    run: (request) => runAgent(options, request),
    close: async () => {
      await harness.close();
      await telemetry?.flush();
      readings.close();
      ledger.close();
      opened?.store.close?.();
    },
    vocabulary: async (name) => {
      const view = await options.harness();
      const skills = skillsOf(agentOf(view, name), view).map(callable);
      const commands = [...view.commands.values()].map(callable);
      return { skills, commands: commands.sort((a, b) => (a.name < b.name ? -1 : 1)) };
    },
    expand: async (prompt, name, acting = {}) => {
      const view = await options.harness();
      await view.enforce();
      const { caller, request } = asCalled(view, agentOf(view, name), { prompt });
      const access = worldAccess(world, services, {
        ...actingAs(caller),
        ...clientTurn(),
        ...acting,
      });
      return (await expandRequest(request, view, caller, access)).text;
    },
    checkModel: async (id) => void (await options.model(id)),
    compact: (request = {}) => compactNow(options, request),
    refreshMemory: (request) => refreshOf(world, options, request),
    view: async (name) => agentOf(await options.harness(), name),
    surface: async (name, acting = {}) => {
      const view = await options.harness();
      await view.enforce();
      const agent = agentOf(view, name);
      const access = worldAccess(world, services, {
        ...actingAs(agent),
        ...clientTurn(),
        ...acting,
      });
      const { answers = [], plan } = acting;
      const asking = answers.length === 0 ? [] : [askTool];
      const planning = plan !== undefined && answers.includes('plan') ? [planTool(plan)] : [];
      const all = [...worldTools, ...asking, ...planning];
      const tools = all.filter((tool) => agent.allowsTool(tool.name));
      return { access, tools, transcript: options.transcript, telemetry };
    },
  };
}

/** What tells the memory of a world from others of its deployment: where it is. */
const memoryOwner = ({ hostDirectories, session }: World): string =>
  hostDirectories.find(({ what }) => what === `mounted at ${MEMORY}`)?.directory ?? session.id;

/** A part of the deployment's own; null where the config names none. @throws ConfigError */
async function partOf<Part extends object>({ parts }: World, name: PartName): Promise<Part | null> {
  const spec = parts[name];
  return spec === undefined ? null : loadPart<Part>(spec);
}
const callable = (it: Pick<Callable, 'name' | 'description'> & Partial<Callable>): Callable => ({
  name: it.name,
  description: it.description,
  arguments: it.arguments ?? '',
});

/** A client does not say when a turn of its model begins: all its calls are one. */
export const clientTurn = (): Pick<ActingContext, 'turn' | 'countedMs'> => ({
  turn: randomUUID(),
  countedMs: CLIENT_COUNTS_MS,
});

/** An agent, as the policy knows it. */
export function actingAs({
  name,
  filesystem,
  tools = [],
  skills,
  onBehalfOf = [],
  people = [],
  plans = [],
}: AgentView) {
  const bound = plans.length === 0 ? {} : { plans };
  const whose = people.length === 0 ? {} : { people };
  return { actor: name, filesystem, tools, skills, onBehalfOf, ...whose, ...bound };
}

async function refreshOf(
  world: World,
  options: AgentOptions,
  request: MemoryRequest,
): Promise<RefreshedSource[]> {
  const { mount, sources = [], signal = new AbortController().signal } = request;
  const points = world.mounts.map(({ point }) => point);
  for (const needed of ['/memory', ...(mount === undefined ? [] : [mount])]) {
    if (points.includes(needed)) continue;
    throw new ConfigError(
      'memory',
      `nothing is mounted at ${needed}; there are: ${points.join(', ')}`,
    );
  }
  // One turn: what is read of a service is known when the facts are written.
  const turn = `memory-${randomUUID()}`;
  const budget = budgetOf(options, 'memory', turn);
  const derive = await deriveWith(options, request.model ?? options.defaultModel, budget);
  const files = world.fsAs({ origin: 'host', turn, attended: false });
  const given = { files, derive, now: () => new Date(), signal };
  const found = mount === undefined ? await remembered(files, points) : [mount];
  const done: RefreshedSource[] = [];
  for (const point of found) done.push(...(await refreshMemory(given, point, sources)));
  return done;
}
