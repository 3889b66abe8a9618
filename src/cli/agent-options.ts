/** The arguments of the commands that put an agent to work: `run`, `chat`, `mcp`. */
import type { ParseArgsOptionsConfig } from 'node:util';
import { COMMON, parse, UsageError, type WorldArguments } from './arguments.ts';

/** What both `run` and `chat` take. */
interface AgentArguments extends WorldArguments {
  /** The name of an agent of the harness. */
  agent: string | undefined;
  /** Instead of the model that the agent's file names. */
  model: string | undefined;
  /** The id of an earlier session to go on with. */
  session: string | undefined;
}

/** `dirigent run`. Without a prompt it is read from stdin. */
export interface RunArguments extends AgentArguments {
  action: 'run';
  prompt: string | undefined;
}

/** `dirigent chat`. */
export interface ChatArguments extends AgentArguments {
  action: 'chat';
}

/** `dirigent mcp`. */
export interface McpArguments extends WorldArguments {
  action: 'mcp';
  agent: string | undefined;
  session: string | undefined;
  /** Serve streamable HTTP on this port of loopback; stdio if absent. */
  port: number | undefined;
}

/** `dirigent schedule`. */
export interface ScheduleArguments extends WorldArguments {
  action: 'schedule';
  verb: 'list' | 'run';
}

/** `dirigent memory refresh`. */
export interface MemoryArguments extends WorldArguments {
  action: 'memory';
  /** A mount point; all mounts with facts, if absent. */
  mount: string | undefined;
  /** Files to derive facts from, beside those that have been. */
  sources: string[];
  model: string | undefined;
}

export type HelpOf<T extends string> = { action: 'help'; topic: T };

const AGENT_OPTIONS = {
  ...COMMON,
  'dry-run': { type: 'boolean' },
  agent: { type: 'string' },
  model: { type: 'string' },
  session: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

export function parseRun(argv: readonly string[]): RunArguments | HelpOf<'run'> {
  const { values, positionals } = parse('run', argv, AGENT_OPTIONS);
  if (values.help === true) return { action: 'help', topic: 'run' };
  const [prompt, ...more] = positionals;
  if (more.length > 0) {
    throw new UsageError(
      'run',
      `give the prompt as one argument, in quotes (unexpected "${more.join(' ')}")`,
    );
  }
  if (prompt?.trim() === '') throw new UsageError('run', 'the prompt is empty');
  return { action: 'run', ...agentArguments(values), prompt };
}

export function parseChat(argv: readonly string[]): ChatArguments | HelpOf<'chat'> {
  const { values, positionals } = parse('chat', argv, AGENT_OPTIONS);
  if (values.help === true) return { action: 'help', topic: 'chat' };
  if (positionals.length > 0) {
    throw new UsageError('chat', `chat takes no operand; "dirigent run PROMPT" asks once`);
  }
  if (values.json === true) throw new UsageError('chat', '--json is for "dirigent run"');
  return { action: 'chat', ...agentArguments(values) };
}

type AgentValues = {
  [K in keyof typeof AGENT_OPTIONS]?:
    | ((typeof AGENT_OPTIONS)[K] extends { multiple: true }
        ? string[]
        : (typeof AGENT_OPTIONS)[K] extends { type: 'boolean' }
          ? boolean
          : string)
    | undefined;
};

function agentArguments(values: AgentValues): AgentArguments {
  return {
    mounts: values.mount ?? [],
    deployment: values.deployment,
    dryRun: values['dry-run'] ?? false,
    json: values.json ?? false,
    agent: values.agent,
    model: values.model,
    session: values.session,
  };
}

const MCP_OPTIONS = {
  ...COMMON,
  'dry-run': { type: 'boolean' },
  agent: { type: 'string' },
  session: { type: 'string' },
  http: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

const LARGEST_PORT = 65_535;

export function parseMcp(argv: readonly string[]): McpArguments | HelpOf<'mcp'> {
  const { values, positionals } = parse('mcp', argv, MCP_OPTIONS);
  if (values.help === true) return { action: 'help', topic: 'mcp' };
  if (positionals.length > 0) {
    throw new UsageError('mcp', `mcp takes no operand (unexpected "${positionals.join(' ')}")`);
  }
  const { http } = values;
  if (http !== undefined && !(/^\d+$/.test(http) && Number(http) <= LARGEST_PORT)) {
    throw new UsageError(
      'mcp',
      `--http "${http}" is no port; use 0 to ${LARGEST_PORT} (0 takes a free one)`,
    );
  }
  return {
    action: 'mcp',
    mounts: values.mount ?? [],
    deployment: values.deployment,
    dryRun: values['dry-run'] ?? false,
    json: false,
    agent: values.agent,
    session: values.session,
    port: http === undefined ? undefined : Number(http),
  };
}

const SCHEDULE_OPTIONS = {
  ...COMMON,
  'dry-run': { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

export function parseSchedule(argv: readonly string[]): ScheduleArguments | HelpOf<'schedule'> {
  const { values, positionals } = parse('schedule', argv, SCHEDULE_OPTIONS);
  if (values.help === true) return { action: 'help', topic: 'schedule' };
  const [verb = 'list', ...more] = positionals;
  if ((verb !== 'list' && verb !== 'run') || more.length > 0) {
    throw new UsageError('schedule', `"${positionals.join(' ')}" is not allowed; use list or run`);
  }
  return {
    action: 'schedule',
    mounts: values.mount ?? [],
    deployment: values.deployment,
    dryRun: values['dry-run'] ?? false,
    json: values.json ?? false,
    verb,
  };
}

const MEMORY_OPTIONS = {
  ...COMMON,
  model: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

export function parseMemory(argv: readonly string[]): MemoryArguments | HelpOf<'memory'> {
  const { values, positionals } = parse('memory', argv, MEMORY_OPTIONS);
  if (values.help === true) return { action: 'help', topic: 'memory' };
  const [verb, mount, ...sources] = positionals;
  if (verb !== 'refresh') {
    const what = verb === undefined ? 'say what to do' : `"${verb}" is not allowed`;
    throw new UsageError('memory', `${what}; use refresh`);
  }
  const outside = sources.find((path) => !path.startsWith(`${mount}/`));
  if (outside !== undefined) {
    throw new UsageError('memory', `${outside} is not in ${mount}; name files by their whole path`);
  }
  return {
    action: 'memory',
    mounts: values.mount ?? [],
    deployment: values.deployment,
    dryRun: false,
    json: values.json ?? false,
    mount,
    sources,
    model: values.model,
  };
}
