/** The arguments of the command line, parsed. Imports nothing heavy: it runs before the worker starts. */

import type { Scheme } from '../sources/scheme.ts';
import {
  type ChatArguments,
  type McpArguments,
  type MemoryArguments,
  type MountArguments,
  parseChat,
  parseMcp,
  parseMemory,
  parseMount,
  parseRun,
  parseSchedule,
  type RunArguments,
  type ScheduleArguments,
} from './agent-options.ts';
import {
  checkIds,
  didYouMean,
  either,
  type PlaceArguments,
  parse,
  UsageError,
  verbOf,
  type WorldArguments,
  worldOf,
} from './arguments.ts';
import { commandNames, type HelpTopic, isCommand, type VerbOf } from './commands.ts';
import {
  type AcpArguments,
  parseAcp,
  parseShim,
  parseSsh,
  type ShimArguments,
  type SshArguments,
} from './door-options.ts';
import { OfferedServices, type WantedService } from './init-services.ts';
import { suggested } from './place.ts';
import {
  type ApprovalsArguments,
  type HarnessArguments,
  parseApprovals,
  parseHarness,
  parseQuestions,
  type QuestionsArguments,
} from './policy-options.ts';
import { parseServe, type ServeArguments } from './serve-options.ts';

export { UsageError, type WorldArguments } from './arguments.ts';
export type { HelpTopic } from './commands.ts';
export type { ApprovalsArguments, HarnessArguments } from './policy-options.ts';

/** `dirigent sh`. Neither command nor file: interactive, or a script on stdin. */
export interface ShArguments extends WorldArguments {
  action: 'sh';
  /** The id of an earlier session to go on with. */
  session: string | undefined;
  /** Of one command: is its session kept in any case? */
  keep: boolean;
  command: string | undefined;
  file: string | undefined;
}

/** `dirigent changes`. */
export interface ChangesArguments extends WorldArguments {
  action: 'changes';
  verb: VerbOf<'changes'>;
  ids: string[];
  /** Instead of ids: all that the verb acts on, or the newest of them. */
  all: boolean;
  last: boolean;
  /** Of apply: without asking at the terminal. */
  yes: boolean;
}

/** `dirigent index`. */
export interface IndexArguments extends WorldArguments {
  action: 'index';
  path: string;
}

/** `dirigent init`. */
export interface InitArguments extends WorldArguments {
  action: 'init';
  directory: string | undefined;
  yes: boolean;
  services: WantedService[];
  typescript: boolean;
}

/** `dirigent create`. */
export interface CreateArguments {
  action: 'create';
  verb: VerbOf<'create'>;
  /** Of the package, as npm takes it. */
  name: string;
}

/** `dirigent doctor`. */
export interface DoctorArguments extends WorldArguments {
  action: 'doctor';
}

/** `dirigent doors`. */
export interface DoorsArguments extends PlaceArguments {
  action: 'doors';
}

/** `dirigent verify`. */
export interface VerifyArguments extends WorldArguments {
  action: 'verify';
  /** The answer; on stdin, if absent. */
  answer: string | undefined;
  /** Print it with a certificate. */
  certify: boolean;
}

/** `dirigent sync`. */
export interface SyncArguments extends WorldArguments {
  action: 'sync';
  /** What is brought in step, absolute in the world. */
  path: string;
}

/** `dirigent session`. */
export interface SessionArguments extends PlaceArguments {
  action: 'session';
  verb: VerbOf<'session'>;
  /** A session's id, or how it ends; the latest one by default. */
  session: string | undefined;
  /** Of `diff` two entries, of `label` the entry and its name, of `rm` sessions. */
  operands: string[];
  at: string | undefined;
  inPlace: boolean;
  all: boolean;
  /** Of `verify`: the public keys whose signatures count, or files that hold them. */
  keys: string[];
  /** Of `key`: a new one is made. */
  rotate: boolean;
  /** Of `export`: a proof, not a page. */
  proof: boolean;
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
  | VerifyArguments
  | DoctorArguments
  | DoorsArguments
  | InitArguments
  | CreateArguments
  | IndexArguments
  | ApprovalsArguments
  | HarnessArguments
  | QuestionsArguments
  | SessionArguments
  | RunArguments
  | ChatArguments
  | McpArguments
  | SshArguments
  | MountArguments
  | AcpArguments
  | ShimArguments
  | MemoryArguments
  | ScheduleArguments
  | ServeArguments
  | { action: 'completion'; shell: VerbOf<'completion'> }
  | { action: 'help'; topic: HelpTopic }
  | { action: 'version' };

/**
 * Parses the arguments after `dirigent`.
 * @param schemes of all that can be mounted
 * @throws UsageError
 */
export function parseInvocation(argv: readonly string[], schemes: readonly Scheme[]): Invocation {
  const [action, ...rest] = argv;
  switch (action) {
    case 'sh':
      return parseSh(rest);
    case 'changes':
      return parseChanges(rest);
    case 'sync':
    case 'index':
      return parsePath(action, rest);
    case 'verify':
      return parseVerify(rest);
    case 'approvals':
      return parseApprovals(rest);
    case 'harness':
      return parseHarness(rest);
    case 'questions':
      return parseQuestions(rest);
    case 'session':
      return parseSession(rest);
    case 'run':
      return parseRun(rest);
    case 'chat':
      return parseChat(rest);
    case 'mcp':
      return parseMcp(rest);
    case 'acp':
      return parseAcp(rest);
    case 'ssh':
      return parseSsh(rest);
    case 'mount':
      return parseMount(rest);
    case 'serve':
      return parseServe(rest);
    case 'shim':
      return parseShim(rest);
    case 'schedule':
      return parseSchedule(rest);
    case 'memory':
      return parseMemory(rest);
    case 'init':
      return parseInit(rest, new OfferedServices(schemes));
    case 'create':
      return parseCreate(rest);
    case 'doctor':
      return parseDoctor(rest);
    case 'doors':
      return parseDoors(rest);
    case 'completion':
      return parseCompletion(rest);
    case '--version':
    case '-V':
    case 'version':
      return { action: 'version' };
    case '--help':
    case '-h':
    case 'help':
      return {
        action: 'help',
        topic: topicOf(rest[0]),
      };
    case undefined:
      throw new UsageError('dirigent', `say what to do: ${either(commandNames())}`);
    default: {
      const known = [...commandNames(), '--help', '--version'];
      const what = action.startsWith('-') ? `no option ${action}` : `no command "${action}"`;
      const hint = didYouMean(action, known);
      throw new UsageError('dirigent', `there is ${what} here${hint}; use ${either(known)}`);
    }
  }
}

function parseInit(argv: readonly string[], offered: OfferedServices): Invocation {
  const { values, positionals } = parse('init', argv);
  if (values.help === true) return { action: 'help', topic: 'init' };
  const [directory, ...more] = positionals;
  if (more.length > 0)
    throw new UsageError('init', `one DIR is allowed (unexpected "${more.join(' ')}")`);
  const services = (values.service ?? []).map((text) => {
    const service = offered.parse(text);
    if (service !== null) return service;
    const [name = ''] = text.split('=');
    const hint = offered.names.includes(name) ? '' : didYouMean(name, offered.names);
    throw new UsageError(
      'init',
      `--service ${text} is not allowed${hint}; use ${either(offered.forms)}`,
    );
  });
  const twice = services.find(
    ({ name }, at) => services.findIndex((each) => each.name === name) < at,
  );
  if (twice !== undefined)
    throw new UsageError(
      'init',
      `--service ${twice.name} is given twice; further mounts go into the config`,
    );
  const { yes = false, typescript = false } = values;
  // The deployment is what it makes: none is looked for.
  const given = { mounts: [], deployment: null };
  return { action: 'init', ...worldOf({}), given, directory, yes, services, typescript };
}

/** A package's name, as npm takes it; its last part begins with a letter, since other names are made of it. */
const PACKAGE_NAME = /^(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z][a-z0-9._-]*$/;

function parseCreate(argv: readonly string[]): Invocation {
  const { values, positionals } = parse('create', argv);
  if (values.help === true) return { action: 'help', topic: 'create' };
  const [word, name, ...more] = positionals;
  if (word === undefined) throw new UsageError('create', 'say what to create: mount NAME');
  const verb = verbOf('create', word);
  if (name === undefined)
    throw new UsageError('create', `${verb} takes the NAME of a package, such as tracker-mount`);
  if (more.length > 0)
    throw new UsageError('create', `one NAME is allowed (unexpected "${more.join(' ')}")`);
  if (!PACKAGE_NAME.test(name) || name.length > 214)
    throw new UsageError(
      'create',
      `"${name}" is no name of a package: use small letters, digits and -, such as tracker-mount or @you/tracker-mount`,
    );
  return { action: 'create', verb, name };
}

function parseDoctor(argv: readonly string[]): Invocation {
  const { values, positionals } = parse('doctor', argv);
  if (values.help === true) return { action: 'help', topic: 'doctor' };
  if (positionals.length > 0)
    throw new UsageError('doctor', `no operand is allowed (unexpected "${positionals.join(' ')}")`);
  return { action: 'doctor', ...worldOf(values) };
}

function parseDoors(argv: readonly string[]): Invocation {
  const { values, positionals } = parse('doors', argv);
  if (values.help === true) return { action: 'help', topic: 'doors' };
  if (positionals.length > 0)
    throw new UsageError('doors', `no operand is allowed (unexpected "${positionals.join(' ')}")`);
  const { deployment, given, json } = worldOf(values);
  return { action: 'doors', deployment, given, json };
}

function parseCompletion(argv: readonly string[]): Invocation {
  const { values, positionals } = parse('completion', argv);
  if (values.help === true) return { action: 'help', topic: 'completion' };
  const [word, ...more] = positionals;
  if (word === undefined)
    throw new UsageError('completion', 'say for which shell: bash, zsh, fish');
  if (more.length > 0)
    throw new UsageError('completion', `one shell at a time (unexpected "${more.join(' ')}")`);
  return { action: 'completion', shell: verbOf('completion', word) };
}

/** @throws UsageError */
function topicOf(word: string | undefined): HelpTopic {
  if (word === undefined) return 'dirigent';
  if (isCommand(word)) return word;
  const hint = didYouMean(word, commandNames());
  throw new UsageError(
    'dirigent',
    `there is no help on "${word}"${hint}; there is on ${commandNames().join(', ')}`,
  );
}

function parseSh(argv: readonly string[]): Invocation {
  const { values, positionals } = parse('sh', argv);
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
    ...worldOf(values),
    session: values.session,
    keep: values.keep ?? false,
    command,
    file,
  };
}

function parseChanges(argv: readonly string[]): Invocation {
  const { values, positionals } = parse('changes', argv);
  if (values.help === true) return { action: 'help', topic: 'changes' };
  const [word = 'list', ...ids] = positionals;
  const verb = verbOf('changes', word);
  const { all = false, last = false, yes = false } = values;
  if (yes && verb !== 'apply') throw new UsageError('changes', '--yes belongs to apply');
  if (all && (verb === 'list' || verb === 'show'))
    throw new UsageError('changes', `--all belongs to apply, drop and settle`);
  const named = { verb, ids, all, last, single: verb === 'show' };
  checkIds('changes', named, worldOf(values).given);
  return {
    action: 'changes',
    ...worldOf(values),
    verb,
    ids,
    all,
    last,
    yes,
  };
}

/** `sync` and `index`: one path, absolute. */
function parsePath(action: 'sync' | 'index', argv: readonly string[]): Invocation {
  const { values, positionals } = parse(action, argv);
  if (values.help === true) return { action: 'help', topic: action };
  const [path = '/', ...more] = positionals;
  if (more.length > 0) {
    throw new UsageError(action, `one PATH is allowed (unexpected "${more.join(' ')}")`);
  }
  if (!path.startsWith('/')) {
    throw new UsageError(action, `PATH is absolute, such as /mnt/docs ("${path}" is not)`);
  }
  return {
    action,
    ...worldOf(values),
    path,
  };
}

function parseVerify(argv: readonly string[]): Invocation {
  const { values, positionals } = parse('verify', argv);
  if (values.help === true) return { action: 'help', topic: 'verify' };
  const [answer, ...more] = positionals;
  if (more.length > 0)
    throw new UsageError('verify', `one ANSWER is allowed (unexpected "${more.join(' ')}")`);
  const { certify = false, json = false } = values;
  if (certify && json) throw new UsageError('verify', 'give --certify or --json, not both');
  return {
    action: 'verify',
    ...worldOf(values),
    answer: answer === '-' ? undefined : answer,
    certify,
  };
}

function parseSession(argv: readonly string[]): Invocation {
  const { values, positionals } = parse('session', argv);
  if (values.help === true) return { action: 'help', topic: 'session' };
  const [word = 'ls', ...operands] = positionals;
  const verb = verbOf('session', word);
  const wrong = (message: string): never => {
    throw new UsageError('session', message);
  };
  const named = verb === 'show' || verb === 'tree' || verb === 'verify' || verb === 'export';
  if (named && operands.length > 1) wrong(`${verb} takes one SESSION`);
  if (named && operands.length > 0 && values.session !== undefined)
    wrong(`give SESSION or --session, not both (unexpected "${operands[0]}")`);
  if (['ls', 'fork', 'gc', 'key'].includes(verb) && operands.length > 0)
    wrong(`${verb} takes no operand (unexpected "${operands[0]}")`);
  if (verb === 'rm' && operands.length === 0)
    wrong(
      `rm takes one SESSION or more; "${suggested(worldOf(values).given, 'session ls')}" names them`,
    );
  if (verb === 'fork' && values.at === undefined) wrong('fork needs --at ENTRY');
  if (verb === 'diff' && operands.length !== 2) wrong('diff takes two entries, A and B');
  if (verb === 'label' && operands.length !== (values.remove === true ? 1 : 2))
    wrong('label takes ENTRY and NAME, or ENTRY and --remove');
  if (verb === 'export' && (values.html ?? false) === (values.proof ?? false))
    wrong('say the format: export --html, or export --proof');
  if (values.proof === true && values.output === undefined)
    wrong('export --proof needs -o FILE: it is bytes for a program');
  if (verb !== 'verify' && values.key !== undefined) wrong('--key is for verify');
  if (verb !== 'key' && values.rotate === true) wrong('--rotate is for key');
  const days = values.days ?? '7';
  if (!/^[1-9]\d*$/.test(days)) wrong(`--days takes a whole number from 1 on, not "${days}"`);
  const [session] = named ? operands : [];
  const { deployment, given, json } = worldOf(values);
  return {
    action: 'session',
    deployment,
    given,
    json,
    verb,
    session: session ?? values.session,
    operands: named ? [] : operands,
    at: values.at,
    inPlace: values['in-place'] ?? false,
    all: values.all ?? false,
    keys: values.key ?? [],
    rotate: values.rotate ?? false,
    proof: values.proof ?? false,
    output: values.output,
    days: Number(days),
    dryRun: values['dry-run'] ?? false,
  };
}
