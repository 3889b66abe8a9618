/** The arguments of the command line, parsed. Imports nothing heavy: it runs before the worker starts. */
import type { ParseArgsOptionsConfig } from 'node:util';
import {
  type ChatArguments,
  type McpArguments,
  type MemoryArguments,
  parseChat,
  parseMcp,
  parseMemory,
  parseRun,
  parseSchedule,
  type RunArguments,
  type ScheduleArguments,
} from './agent-options.ts';
import {
  COMMON,
  type HelpTopic,
  parse,
  TOPICS,
  UsageError,
  type WorldArguments,
} from './arguments.ts';
import {
  type ApprovalsArguments,
  type HarnessArguments,
  parseApprovals,
  parseHarness,
} from './policy-options.ts';

export { type HelpTopic, UsageError, type WorldArguments } from './arguments.ts';
export type { ApprovalsArguments, HarnessArguments } from './policy-options.ts';

/** `dirigent sh`. Neither command nor file: interactive, or a script on stdin. */
export interface ShArguments extends WorldArguments {
  action: 'sh';
  /** The id of an earlier session to go on with. */
  session: string | undefined;
  command: string | undefined;
  file: string | undefined;
}

/** What `dirigent changes` can do. */
export const CHANGES_VERBS = ['list', 'show', 'apply', 'drop', 'settle'] as const;
export type ChangesVerb = (typeof CHANGES_VERBS)[number];

/** `dirigent changes`. */
export interface ChangesArguments extends WorldArguments {
  action: 'changes';
  verb: ChangesVerb;
  ids: string[];
}

/** `dirigent index`. */
export interface IndexArguments extends WorldArguments {
  action: 'index';
  path: string;
}

/** `dirigent sync`. */
export interface SyncArguments extends WorldArguments {
  action: 'sync';
  /** What is brought in step, absolute in the world. */
  path: string;
}

/** What `dirigent session` can do. */
export const SESSION_VERBS = [
  'ls',
  'show',
  'tree',
  'fork',
  'diff',
  'label',
  'verify',
  'export',
  'gc',
] as const;
export type SessionVerb = (typeof SESSION_VERBS)[number];

/** `dirigent session`. */
export interface SessionArguments {
  action: 'session';
  deployment: string | undefined;
  json: boolean;
  verb: SessionVerb;
  /** A session's id, or how it ends; the latest one by default. */
  session: string | undefined;
  /** Of `diff` two entries, of `label` the entry and its name. */
  operands: string[];
  at: string | undefined;
  inPlace: boolean;
  all: boolean;
  output: string | undefined;
  /** Of `gc`: how old a blob must be, and whether it only says what it would remove. */
  days: number;
  dryRun: boolean;
}

/** What the user asked for. */
export type Invocation =
  | ShArguments
  | ChangesArguments
  | SyncArguments
  | IndexArguments
  | ApprovalsArguments
  | HarnessArguments
  | SessionArguments
  | RunArguments
  | ChatArguments
  | McpArguments
  | MemoryArguments
  | ScheduleArguments
  | { action: 'help'; topic: HelpTopic }
  | { action: 'version' };

const SH_OPTIONS = {
  ...COMMON,
  'dry-run': { type: 'boolean' },
  command: { type: 'string', short: 'c' },
  session: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

/**
 * Parses the arguments after `dirigent`.
 * @throws UsageError
 */
export function parseInvocation(argv: readonly string[]): Invocation {
  const [action, ...rest] = argv;
  switch (action) {
    case 'sh':
      return parseSh(rest);
    case 'changes':
      return parseChanges(rest);
    case 'sync':
    case 'index':
      return parsePath(action, rest);
    case 'approvals':
      return parseApprovals(rest);
    case 'harness':
      return parseHarness(rest);
    case 'session':
      return parseSession(rest);
    case 'run':
      return parseRun(rest);
    case 'chat':
      return parseChat(rest);
    case 'mcp':
      return parseMcp(rest);
    case 'schedule':
      return parseSchedule(rest);
    case 'memory':
      return parseMemory(rest);
    case '--version':
    case '-V':
    case 'version':
      return { action: 'version' };
    case '--help':
    case '-h':
    case 'help':
      return {
        action: 'help',
        topic: TOPICS.find((topic) => topic === rest[0]) ?? 'dirigent',
      };
    case undefined:
      throw new UsageError(
        'dirigent',
        'say what to do: sh, run, chat, mcp, schedule, memory, changes, sync, index, approvals, harness or session',
      );
    default: {
      const what = action.startsWith('-') ? `no option ${action}` : `no command "${action}"`;
      throw new UsageError(
        'dirigent',
        `there is ${what} here; use sh, run, chat, mcp, schedule, memory, changes, sync, index, approvals, harness, session, --help or --version`,
      );
    }
  }
}

function parseSh(argv: readonly string[]): Invocation {
  const { values, positionals } = parse('sh', argv, SH_OPTIONS);
  if (values.help === true) return { action: 'help', topic: 'sh' };
  const { command } = values;
  const [file, ...more] = positionals;
  if (command !== undefined && file !== undefined) {
    throw new UsageError('sh', `give -c COMMAND or FILE, not both (unexpected "${file}")`);
  }
  if (more.length > 0) {
    throw new UsageError('sh', `one FILE is allowed (unexpected "${more.join(' ')}")`);
  }
  return {
    action: 'sh',
    mounts: values.mount ?? [],
    deployment: values.deployment,
    dryRun: values['dry-run'] ?? false,
    json: values.json ?? false,
    session: values.session,
    command,
    file,
  };
}

function parseChanges(argv: readonly string[]): Invocation {
  const { values, positionals } = parse('changes', argv, COMMON);
  if (values.help === true) return { action: 'help', topic: 'changes' };
  const [word = 'list', ...ids] = positionals;
  const verb = CHANGES_VERBS.find((known) => known === word);
  if (verb === undefined) {
    throw new UsageError('changes', `"${word}" is not allowed; use ${CHANGES_VERBS.join(', ')}`);
  }
  if (verb === 'list' && ids.length > 0) {
    throw new UsageError('changes', `list takes no ID; "changes show ${ids[0]}" shows one change`);
  }
  if (verb === 'show' && ids.length !== 1) {
    throw new UsageError('changes', 'show takes one ID; "changes list" names them');
  }
  if (verb !== 'list' && verb !== 'show' && ids.length === 0) {
    throw new UsageError('changes', `${verb} takes one ID or more; "changes list" names them`);
  }
  return {
    action: 'changes',
    mounts: values.mount ?? [],
    deployment: values.deployment,
    dryRun: false,
    json: values.json ?? false,
    verb,
    ids,
  };
}

/** `sync` and `index`: one path, absolute. */
function parsePath(action: 'sync' | 'index', argv: readonly string[]): Invocation {
  const { values, positionals } = parse(action, argv, COMMON);
  if (values.help === true) return { action: 'help', topic: action };
  const [path = '/', ...more] = positionals;
  if (more.length > 0) {
    throw new UsageError(action, `one PATH is allowed (unexpected "${more.join(' ')}")`);
  }
  if (!path.startsWith('/')) {
    throw new UsageError(action, `PATH is absolute, such as /mnt/github ("${path}" is not)`);
  }
  return {
    action,
    mounts: values.mount ?? [],
    deployment: values.deployment,
    dryRun: false,
    json: values.json ?? false,
    path,
  };
}

const SESSION_OPTIONS = {
  deployment: COMMON.deployment,
  json: COMMON.json,
  help: COMMON.help,
  session: { type: 'string' },
  at: { type: 'string' },
  'in-place': { type: 'boolean' },
  all: { type: 'boolean' },
  remove: { type: 'boolean' },
  html: { type: 'boolean' },
  output: { type: 'string', short: 'o' },
  days: { type: 'string' },
  'dry-run': { type: 'boolean' },
} as const satisfies ParseArgsOptionsConfig;

function parseSession(argv: readonly string[]): Invocation {
  const { values, positionals } = parse('session', argv, SESSION_OPTIONS);
  if (values.help === true) return { action: 'help', topic: 'session' };
  const [word = 'ls', ...operands] = positionals;
  const verb = SESSION_VERBS.find((known) => known === word);
  if (verb === undefined) {
    throw new UsageError('session', `"${word}" is not allowed; use ${SESSION_VERBS.join(', ')}`);
  }
  const wrong = (message: string): never => {
    throw new UsageError('session', message);
  };
  const named = verb === 'show' || verb === 'tree' || verb === 'verify' || verb === 'export';
  if (named && operands.length > 1) wrong(`${verb} takes one SESSION`);
  if (named && operands.length > 0 && values.session !== undefined)
    wrong(`give SESSION or --session, not both (unexpected "${operands[0]}")`);
  if ((verb === 'ls' || verb === 'fork' || verb === 'gc') && operands.length > 0)
    wrong(`${verb} takes no operand (unexpected "${operands[0]}")`);
  if (verb === 'fork' && values.at === undefined) wrong('fork needs --at ENTRY');
  if (verb === 'diff' && operands.length !== 2) wrong('diff takes two entries, A and B');
  if (verb === 'label' && operands.length !== (values.remove === true ? 1 : 2))
    wrong('label takes ENTRY and NAME, or ENTRY and --remove');
  if (verb === 'export' && values.html !== true) wrong('say the format: export --html');
  const days = values.days ?? '7';
  if (!/^[1-9]\d*$/.test(days)) wrong(`--days takes a whole number from 1 on, not "${days}"`);
  const [session] = named ? operands : [];
  return {
    action: 'session',
    deployment: values.deployment,
    json: values.json ?? false,
    verb,
    session: session ?? values.session,
    operands: named ? [] : operands,
    at: values.at,
    inPlace: values['in-place'] ?? false,
    all: values.all ?? false,
    output: values.output,
    days: Number(days),
    dryRun: values['dry-run'] ?? false,
  };
}
