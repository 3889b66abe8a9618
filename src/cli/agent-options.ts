/** The arguments of the commands that put an agent to work: `run`, `chat`, `mcp`. */
import { shellWord } from '../command-line.ts';
import { parse, UsageError, verbOf, type WorldArguments, worldOf } from './arguments.ts';
import type { VerbOf } from './commands.ts';
import { suggested } from './place.ts';

/** What both `run` and `chat` take. */
interface AgentArguments extends WorldArguments {
  /** The name of an agent of the harness. */
  agent: string | undefined;
  /** Instead of the model that the agent's file names. */
  model: string | undefined;
  /** The id of an earlier session to go on with. */
  session: string | undefined;
  /** Go on with the conversation before this one. */
  latest: boolean;
  /** Turns begin with a plan. */
  plan: boolean;
  /** The address of a server that does it; this process, if absent. */
  server: string | undefined;
}

/** `dirigent run`. Without a prompt it is read from stdin. */
export interface RunArguments extends AgentArguments {
  action: 'run';
  prompt: string | undefined;
  /** The answer carries citations, which are checked. */
  cite: boolean;
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
  /** What clients over HTTP have to send; made if absent. */
  token: string | undefined;
  /** A file that says who has which token, instead. */
  clients: string | undefined;
  /** The authorization server whose tokens are taken. */
  issuer: string | undefined;
  /** Its clients begin with a plan. */
  plan: boolean;
}

/** `dirigent mount`. */
export interface MountArguments extends WorldArguments {
  action: 'mount';
  /** Where on the host. */
  directory: string;
  /** The program that is run in it, and its arguments; none keeps it mounted. */
  command: string[];
  agent: string | undefined;
  session: string | undefined;
}

/** `dirigent schedule`. */
export interface ScheduleArguments extends WorldArguments {
  action: 'schedule';
  verb: VerbOf<'schedule'>;
  /** Names of files of the schedule, or enough of them. */
  names: string[];
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

export function parseRun(argv: readonly string[]): RunArguments | HelpOf<'run'> {
  const { values, positionals } = parse('run', argv);
  if (values.help === true) return { action: 'help', topic: 'run' };
  const [prompt, ...more] = positionals;
  if (more.length > 0) {
    throw new UsageError(
      'run',
      `give the prompt as one argument, in quotes (unexpected "${more.join(' ')}")`,
    );
  }
  if (prompt?.trim() === '') throw new UsageError('run', 'the prompt is empty');
  const { cite = false } = values;
  if (cite && values.server !== undefined)
    throw new UsageError(
      'run',
      '--cite checks citations in a world of this process: leave it or --server out',
    );
  return { action: 'run', ...agentArguments(values, 'run'), prompt, cite };
}

export function parseChat(argv: readonly string[]): ChatArguments | HelpOf<'chat'> {
  const { values, positionals } = parse('chat', argv);
  if (values.help === true) return { action: 'help', topic: 'chat' };
  if (positionals.length > 0) {
    throw new UsageError(
      'chat',
      `chat takes no operand; "${suggested(worldOf(values).given, `run ${shellWord(positionals.join(' '))}`)}" asks once`,
    );
  }
  return { action: 'chat', ...agentArguments(values, 'chat') };
}

function agentArguments(
  values: Parameters<typeof worldOf>[0] &
    Partial<Record<'agent' | 'model' | 'session' | 'server', string>> & {
      continue?: boolean;
      plan?: boolean;
    },
  topic: 'run' | 'chat',
): AgentArguments {
  const { agent, model, session, server, continue: latest = false, plan = false } = values;
  if (latest && session !== undefined)
    throw new UsageError(
      topic,
      '--continue goes on with the last conversation, --session with one that is named: give one of them',
    );
  const world = worldOf(values);
  if (
    server !== undefined &&
    (world.mounts.length > 0 || world.dryRun || world.given.deployment !== undefined)
  )
    throw new UsageError(
      topic,
      'the server has a world of its own: with --server leave --mount, --deployment and --dry-run out',
    );
  return { ...world, agent, model, session, latest, server, plan };
}

const LARGEST_PORT = 65_535;

export function parseMcp(argv: readonly string[]): McpArguments | HelpOf<'mcp'> {
  const { values, positionals } = parse('mcp', argv);
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
  if (values.token !== undefined && http === undefined)
    throw new UsageError('mcp', '--token is for --http: on stdio nobody else can speak');
  if (values.clients !== undefined && http === undefined)
    throw new UsageError('mcp', '--clients is for --http: on stdio there is one client');
  if (values.clients !== undefined && (values.token ?? values.agent) !== undefined)
    throw new UsageError(
      'mcp',
      'the file of --clients says who has which token, and which agent: leave --token and --agent out',
    );
  if (values.issuer !== undefined && values.clients === undefined)
    throw new UsageError(
      'mcp',
      '--issuer is for --clients: its file says whom the subjects and scopes of tokens stand for',
    );
  return {
    action: 'mcp',
    ...worldOf(values),
    agent: values.agent,
    session: values.session,
    port: http === undefined ? undefined : Number(http),
    token: values.token,
    clients: values.clients,
    issuer: values.issuer,
    plan: values.plan === true,
  };
}

export function parseMount(argv: readonly string[]): MountArguments | HelpOf<'mount'> {
  // What is behind it is the program's own.
  const end = argv.indexOf('--');
  const { values, positionals } = parse('mount', end < 0 ? argv : argv.slice(0, end));
  if (values.help === true) return { action: 'help', topic: 'mount' };
  const command = end < 0 ? [] : argv.slice(end + 1);
  const [directory, ...more] = positionals;
  if (directory === undefined)
    throw new UsageError('mount', 'say where: DIR is an empty directory of this machine');
  if (more.length > 0)
    throw new UsageError(
      'mount',
      `one DIR is allowed (unexpected "${more.join(' ')}"); a program to run in it is named behind --`,
    );
  if (end >= 0 && command.length === 0)
    throw new UsageError('mount', 'behind -- stands the program to run; leave -- out to run none');
  const { agent, session } = values;
  return { action: 'mount', ...worldOf(values), directory, command, agent, session };
}

export function parseSchedule(argv: readonly string[]): ScheduleArguments | HelpOf<'schedule'> {
  const { values, positionals } = parse('schedule', argv);
  if (values.help === true) return { action: 'help', topic: 'schedule' };
  const [word = 'list', ...names] = positionals;
  const verb = verbOf('schedule', word);
  if (verb === 'list' && names.length > 0)
    throw new UsageError('schedule', `list takes no NAME (unexpected "${names.join(' ')}")`);
  if (verb === 'show' ? names.length !== 1 : verb === 'rm' && names.length === 0) {
    const list = suggested(worldOf(values).given, 'schedule list');
    const many = verb === 'rm' ? ' or more' : '';
    throw new UsageError('schedule', `${verb} takes one NAME${many}; "${list}" names them`);
  }
  return {
    action: 'schedule',
    ...worldOf(values),
    verb,
    names,
  };
}

export function parseMemory(argv: readonly string[]): MemoryArguments | HelpOf<'memory'> {
  const { values, positionals } = parse('memory', argv);
  if (values.help === true) return { action: 'help', topic: 'memory' };
  const [word, mount, ...sources] = positionals;
  if (word === undefined) throw new UsageError('memory', 'say what to do; use refresh');
  verbOf('memory', word);
  const outside = sources.find((path) => !path.startsWith(`${mount}/`));
  if (outside !== undefined) {
    throw new UsageError('memory', `${outside} is not in ${mount}; name files by their whole path`);
  }
  return {
    action: 'memory',
    ...worldOf(values),
    mount,
    sources,
    model: values.model,
  };
}
