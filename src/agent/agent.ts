/** An agent at work in a world: from a prompt to a turn, with the harness that is in force. */
import { randomUUID } from 'node:crypto';
import { ConfigError } from '../errors.ts';
import type { Author } from '../policy/author.ts';
import type { PathsOfRule } from '../policy/context.ts';
import type { PlanScope } from '../policy/plan.ts';
import type { Span, Telemetry } from '../telemetry/span.ts';
import { onBehalfOf, within } from './bounds.ts';
import type { Budget } from './budget.ts';
import { asCalled, expandRequest } from './called.ts';
import { CITING, objectionTo, verifyWith } from './citing.ts';
import { compactContext, fitContext } from './compaction.ts';
import { COMPACT_AGENT, type Compacting, compactorOf } from './compactor.ts';
import type { Delivery, Steered } from './delivery.ts';
import { BUILTIN_EXTRACT } from './extract/model.ts';
import { type AgentView, agentOf, type HarnessView, skillsOf } from './harness-view.ts';
import { namedDirectory, nearestInstructions } from './instructions.ts';
import { keepMemory, mayRemember } from './memory/keep.ts';
import type { Readings } from './memory/readings.ts';
import { budgetOf, deriveWith, hooksOf, meteredModel } from './metered.ts';
import { PLANNING, PlanMode } from './plan-mode.ts';
import { systemPrompt } from './prompt.ts';
import { promisesReminder, reminderNote } from './reminder.ts';
import { pathsOf, RuleBook } from './rules.ts';
import type { AgentTool } from './tool.ts';
import { askTool } from './tools/ask.ts';
import { bashTool } from './tools/bash.ts';
import { delegateTool } from './tools/delegate.ts';
import { editTool, readTool, writeTool } from './tools/files.ts';
import { planTool } from './tools/plan.ts';
import { skillTool } from './tools/skill.ts';
import { verifyTool } from './tools/verify.ts';
import { beginTurn, endTurn } from './trace.ts';
import type { Transcript } from './transcript.ts';
import { runTurn, type Turn } from './turn.ts';
import type { TurnResult } from './turn-result.ts';
import { untrustedOf } from './untrusted.ts';
import type { Passage, WorldAccess } from './world-access.ts';

/** Delegates may delegate so deep. */
const MAX_DEPTH = 3;

/** What an agent is made with. */
export interface AgentOptions extends Compacting {
  /** Asked at the beginning of each turn: what has changed is in force from then on. */
  harness(): Promise<HarnessView>;
  /** Shell and files with the rights of an agent, for one turn. */
  accessFor(agent: AgentView, turn: TurnContext): WorldAccess;
  /** A transcript for a sub-agent. */
  transcriptFor(agent: AgentView, callId: string): Transcript;
  /** The model of an agent that says `auto`. */
  defaultModel: string;
  /** A turn begins, with the harness that holds from now on and its plan. @returns told when it ends */
  onTurn?(harness: HarnessView, plan: PlanMode | undefined): () => void;
  /** Nothing more is run in the shell of a turn that had one of its own. */
  endShell?(name: string): void;
  /** Names of the files in the schedule, now. */
  scheduled(): Promise<readonly string[]>;
  maxSteps?: number;
  maxRetries?: number;
  /** What turns have read, until there is a memory of it; none begins without. */
  readings?: Readings;
  /** Where turns are traced; null where they are not. */
  telemetry?: Telemetry | null;
}

/** A turn, as the gate knows it; that of a sub-agent is its parent's. */
export interface TurnContext {
  id: string;
  /** Text of a service is in the model's view from before. */
  untrustedRead: boolean;
  /** The services. */
  untrustedFrom: readonly string[];
  /** Files that it has read, those of its sub-agents among them: what is worth remembering. */
  filesRead: Set<string>;
  /** Rules of the deployment for paths. */
  rules: readonly PathsOfRule[];
  /** The door that it was asked for through. */
  through?: Passage;
  /** It begins with a plan, which bounds it and all that it delegates. */
  plan?: PlanMode;
  /** The name of its shell; that of the world, if absent. */
  shell?: string;
}

/** What one turn is asked. */
export interface RunRequest {
  prompt: string;
  /** By name; `assistant` if absent. */
  agent?: string;
  /** Instead of what the agent's file says. */
  model?: string;
  signal?: AbortSignal;
  /** A system prompt of the caller's own, used verbatim. */
  system?: string;
  /** Services whose text is in the prompt: a turn begins as if it had read it. */
  untrusted?: readonly string[];
  /** It changes nothing before a person has approved its plan, and then what that names; of a turn that is gone on with: the plan that was approved. */
  plan?: boolean | PlanScope;
  /** Who wrote the prompt, where it was not the person who runs it: their rights bound the turn. */
  author?: Author;
  /** The answer carries citations: they are checked, and what is false goes back to the model once. */
  cite?: boolean;
  /** The door that the prompt came through; the shell and the tools are the turn's own, if absent. */
  through?: Passage;
  /** The message of a queue that the prompt is; it stands in the log, where the turn begins and ends. */
  delivery?: Delivery;
  /** A turn that was parked is gone on with: the prompt is the runtime's own, and is taken as it is. */
  resumed?: boolean;
  /** Of a turn that is gone on with: the prompt that it began with, which may have been a command. */
  begunWith?: string;
  /** Looks at the answer, once: what it objects goes to the model, which answers again. */
  review?(text: string): Promise<string | null>;
  /** Gives what was said to the turn since it was asked last. */
  steered?(): readonly Steered[];
}

/**
 * Runs one turn.
 * @throws ConfigError for an agent or a model that is not known
 */
export async function runAgent(options: AgentOptions, asked: RunRequest): Promise<TurnResult> {
  const harness = await options.harness();
  await harness.enforce();
  const named = agentOf(harness, asked.agent);
  const bound = asked.author === undefined ? named : onBehalfOf(named, asked.author);
  const { agent, caller, request } = asCalled(harness, bound, asked);
  const untrustedFrom = [
    ...untrustedOf(options.transcript.context()),
    ...(request.untrusted ?? []),
  ];
  const plan = planOf(request);
  const turn: TurnContext = {
    id: randomUUID(),
    untrustedRead: untrustedFrom.length > 0,
    untrustedFrom,
    filesRead: new Set(),
    rules: pathsOf(harness.rules),
    ...(request.through === undefined ? {} : { through: request.through }),
    ...(plan === undefined ? {} : { plan }),
    // Whom a command names has fewer rights than who is asked here next, and may leave a function.
    ...(caller === bound ? {} : { shell: randomUUID() }),
  };
  const parent = options.telemetry ?? null;
  const budget = budgetOf(options, agent.name, turn.id, request.author);
  const work = async (span: Span | null): Promise<TurnResult> => {
    const at = { turn, depth: 0, span, caller, budget };
    const result = await runAs(options, harness, agent, request, at);
    if (result.status === 'done') {
      const id = modelIdOf(options, agent, request);
      const access = options.accessFor(agent, turn);
      const derive = await deriveWith(options, id, budget);
      // What no plan names is not written.
      if (plan === undefined && mayRemember(agent))
        await keepMemory(options, access, derive, turn, request.signal);
      if (request.cite === true) return certified(options, access, result);
    }
    return plan?.isApproved === true ? { ...result, planApproved: true } : result;
  };
  const ended = options.onTurn?.(harness, plan);
  try {
    return await tracedTurn(options, parent, agent, request, work);
  } finally {
    ended?.();
    if (turn.shell !== undefined) options.endShell?.(turn.shell);
  }
}

/** The plan mode of a turn; undefined where it has none. */
const planOf = ({ plan = false }: RunRequest): PlanMode | undefined =>
  plan === false ? undefined : new PlanMode(plan === true ? null : plan);

const readBy = (turn: TurnContext, origins: readonly string[]) =>
  origins.length === 0
    ? {}
    : { untrustedRead: true, untrustedFrom: [...turn.untrustedFrom, ...origins] };

/** A turn with what came of the citations of its answer. */
async function certified(
  { transcript, mounts }: AgentOptions,
  access: WorldAccess,
  result: TurnResult,
): Promise<TurnResult> {
  const citations = await verifyWith(access, mounts, result.text);
  const { uncited, ...verdicts } = citations;
  // The log says what was checked and found: the documents' own words are not in it.
  const found = verdicts.citations.map(({ stands: _, ...each }) => each);
  const data = { ...verdicts, citations: found, uncited: uncited.length };
  transcript.append({ type: 'custom', name: 'turn/citations', data });
  transcript.sign();
  return { ...result, citations };
}

/** Runs a turn, or a sub-agent's, as a span of its own. */
async function tracedTurn(
  options: AgentOptions,
  parent: Span | Telemetry | null,
  agent: AgentView,
  request: RunRequest,
  work: (span: Span | null) => Promise<TurnResult>,
): Promise<TurnResult> {
  const modelId = modelIdOf(options, agent, request);
  const span = beginTurn(parent, { agent: agent.name, session: options.transcript.id, modelId });
  if (span === null) return work(null);
  try {
    const result = await span.within(() => work(span));
    endTurn(span, result);
    return result;
  } catch (error) {
    span.end(error instanceof Error ? error.message : String(error));
    throw error;
  }
}

const modelIdOf = (options: AgentOptions, agent: AgentView, request: RunRequest): string =>
  request.model ?? (agent.model === 'auto' ? options.defaultModel : agent.model);

/** The tools that every world has. */
export const worldTools: readonly AgentTool[] = [
  bashTool,
  readTool,
  writeTool,
  editTool,
  verifyTool,
];

/** Where a turn stands among those that delegated to it. */
interface Place {
  turn: TurnContext;
  depth: number;
  span: Span | null;
  budget: Budget;
  /** The agent that runs the lines of a command. */
  caller: AgentView;
}

async function runAs(
  options: AgentOptions,
  harness: HarnessView,
  agent: AgentView,
  request: RunRequest,
  at: Place,
): Promise<TurnResult> {
  const { transcript } = options;
  const skills = skillsOf(agent, harness);
  const caller = options.accessFor(at.caller, at.turn);
  const { text, untrusted, rules } = await expandRequest(request, harness, at.caller, caller);
  const book = new RuleBook(harness.rules, transcript);
  // What its lines have read, the turn has read.
  const access = options.accessFor(agent, { ...at.turn, ...readBy(at.turn, untrusted) });
  const instructions = [...(await nearestInstructions(access)), ...harness.instructions];
  const modelId = modelIdOf(options, agent, request);
  const model = await meteredModel(options, modelId, at.budget);
  const hooks = hooksOf(options, agent.name, modelId);
  const facts = await options.facts(modelId);
  // Some servers refuse a request for a model that cannot call any.
  const isToolless = facts.abilities !== undefined && !facts.abilities.includes('tools');
  const tools = isToolless ? [] : toolsOf(options, harness, agent, request, at);
  const cite = request.cite === true && at.depth === 0;
  const prompt =
    request.system ??
    systemPrompt({
      base: agent.prompt,
      tools,
      instructions,
      skills,
      environment: {
        agent: agent.name,
        cwd: await namedDirectory(access),
        mounts: options.mounts,
        session: transcript.id,
        now: options.now?.() ?? new Date(),
      },
    });
  const planning = at.turn.plan?.isApproved === false && at.depth === 0 ? `\n\n${PLANNING}` : '';
  const system = `${prompt}${cite ? `\n\n${CITING}` : ''}${planning}`;
  const signal = request.signal ?? new AbortController().signal;
  const { budget } = at;
  const conversation = { access, instructions, modelId, system, tools, budget };
  const compactor = await compactorOf(options, harness, conversation);
  // What only quotes would take an objection for a question.
  const review = modelId === BUILTIN_EXTRACT ? undefined : reviewOf(options, request, access, cite);
  return runTurn({
    prompt: `${text}${book.tell(rules)}`,
    rules: book,
    filesRead: at.turn.filesRead,
    ...(hooks === null ? {} : { input: (said: string) => hooks.input(said) }),
    untrusted: [...new Set([...(request.untrusted ?? []), ...untrusted])],
    access,
    transcript,
    model,
    modelId,
    system,
    tools,
    budget,
    signal,
    span: at.span,
    ...(compactor === null ? {} : { fit: (stop) => fitContext(compactor, stop) }),
    ...(review === undefined ? {} : { review }),
    amend: async (text) =>
      promisesReminder(text) ? reminderNote(text, await options.scheduled()) : null,
    ...(request.delivery === undefined ? {} : { delivery: request.delivery }),
    ...(request.resumed === undefined ? {} : { resumed: request.resumed }),
    ...(request.steered === undefined ? {} : { steered: () => request.steered?.() ?? [] }),
    ...(options.maxSteps === undefined ? {} : { maxSteps: options.maxSteps }),
    ...(options.maxRetries === undefined ? {} : { maxRetries: options.maxRetries }),
  });
}

/** Who looks at an answer before it is given. */
function reviewOf(
  { mounts }: AgentOptions,
  { review }: RunRequest,
  access: WorldAccess,
  cite: boolean,
): Turn['review'] {
  if (!cite) return review;
  return async (text) => objectionTo(await verifyWith(access, mounts, text));
}

/**
 * Summarises the conversation now.
 * @returns false where there is nothing to summarise
 * @throws ConfigError for an agent or a model that is not known, or a model that cannot summarise
 */
export async function compactNow(
  options: AgentOptions,
  request: Pick<RunRequest, 'agent' | 'model' | 'signal'>,
): Promise<boolean> {
  const harness = await options.harness();
  await harness.enforce();
  const agent = agentOf(harness, request.agent);
  const modelId = modelIdOf(options, agent, { prompt: '', ...request });
  if (modelId === BUILTIN_EXTRACT)
    throw new ConfigError('model', `${BUILTIN_EXTRACT} summarises nothing; name another model`);
  const untrustedFrom = untrustedOf(options.transcript.context());
  const untrustedRead = untrustedFrom.length > 0;
  const turn = {
    id: randomUUID(),
    untrustedRead,
    untrustedFrom,
    filesRead: new Set<string>(),
    rules: [],
  };
  const access = options.accessFor(agent, turn);
  const instructions = [...(await nearestInstructions(access)), ...harness.instructions];
  const budget = budgetOf(options, agent.name, turn.id);
  const conversation = { access, instructions, modelId, system: '', tools: [], budget };
  const compactor = await compactorOf(options, harness, conversation);
  if (compactor === null)
    throw new ConfigError('agent', `the harness has no agent "${COMPACT_AGENT}", which summarises`);
  return compactContext(compactor, request.signal ?? new AbortController().signal);
}

/** The tools that an agent may call: the world's, then the deployment's own. */
function toolsOf(
  options: AgentOptions,
  harness: HarnessView,
  agent: AgentView,
  request: RunRequest,
  { turn, depth, budget }: Place,
): AgentTool[] {
  const skills = skillsOf(agent, harness);
  const others = new Map(
    [...harness.agents].filter(([name]) => name !== agent.name && name !== COMPACT_AGENT),
  );
  const delegate = delegateTool(others, async (other, task, callId, signal, call, review) => {
    const transcript = options.transcriptFor(other, callId);
    const inner: AgentOptions = { ...options, transcript };
    // No tool that the parent lacks: its rights are an intersection.
    const model = request.model === undefined ? {} : { model: request.model };
    const called = asCalled(harness, within(other, agent), {
      prompt: task,
      signal,
      ...model,
      ...(review === undefined ? {} : { review }),
    });
    const { caller } = called;
    // What it leaves in a shell would be run by whoever has more rights than it.
    const shell = randomUUID();
    const place = {
      turn: { ...turn, shell },
      depth: depth + 1,
      caller,
      budget: budget.of(other.name),
    };
    try {
      const result = await tracedTurn(inner, call ?? null, called.agent, called.request, (span) =>
        runAs(inner, harness, called.agent, called.request, { ...place, span }),
      );
      return { ...result, untrusted: untrustedOf(transcript.context()) };
    } finally {
      options.endShell?.(shell);
    }
  });
  return [
    ...worldTools,
    askTool,
    ...(turn.plan !== undefined && depth === 0 ? [planTool(turn.plan)] : []),
    ...(skills.length > 0 ? [skillTool(skills)] : []),
    ...(others.size > 0 && depth < MAX_DEPTH ? [delegate] : []),
    ...harness.tools,
  ].filter(({ name }) => agent.allowsTool(name));
}
