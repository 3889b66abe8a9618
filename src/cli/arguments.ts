/** What every command of the command line shares in its arguments. */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { shellWord } from '../command-line.ts';
import { meant } from '../nearest.ts';
import type { CommandSpec } from './command-spec.ts';
import { COMMANDS, type CommandName, type HelpTopic, type VerbOf } from './commands.ts';
import { type PlaceOptions, suggested } from './place.ts';

/** What every command takes that is about a world. */
export interface PlaceArguments {
  /** The deployment's directory; undefined for a plain world. */
  deployment: string | undefined;
  /** What was typed, for messages that suggest another command. */
  given: PlaceOptions;
  json: boolean;
}

/** What a world is made from, as `sh` and `changes` take it. */
export interface WorldArguments extends PlaceArguments {
  /** `PATH=SOURCE[:MODE]`, in order. */
  mounts: string[];
  dryRun: boolean;
}

/** Arguments that cannot be used; the message says what is allowed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly topic: HelpTopic;

  constructor(topic: HelpTopic, message: string) {
    super(message);
    this.topic = topic;
  }
}

/** What the options that describe a world say. */
export function worldOf(values: {
  mount?: string[] | undefined;
  deployment?: string | undefined;
  'no-deployment'?: boolean | undefined;
  'dry-run'?: boolean | undefined;
  json?: boolean | undefined;
}): WorldArguments {
  const { mount: mounts = [], deployment } = values;
  const plain = values['no-deployment'] === true;
  return {
    mounts,
    deployment,
    given: { mounts, deployment: plain ? null : deployment },
    dryRun: values['dry-run'] ?? false,
    json: values.json ?? false,
  };
}

/** `a, b or c` */
export const either = (names: readonly string[]): string =>
  `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

/** ` (did you mean --mount?)`, or nothing where nothing is alike. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const candidate = meant(word, known);
  return candidate === null ? '' : ` (did you mean ${candidate}?)`;
}

/** `parseArgs` with the options of a command, strict, its errors in our words. */
export function parse<const C extends CommandName>(command: C, argv: readonly string[]) {
  const options: (typeof COMMANDS)[C]['options'] & CommandSpec['options'] =
    COMMANDS[command].options;
  const config = { args: [...argv], options, allowPositionals: true, strict: true } as const;
  try {
    const parsed = parseArgs<typeof config>(config);
    refuseRepeated(command, argv, options);
    refuseOtherValues(command, parsed.values, options);
    const { deployment, 'no-deployment': plain }: Readonly<Record<string, unknown>> = parsed.values;
    if (deployment !== undefined && plain === true)
      throw new UsageError(command, 'give --deployment or --no-deployment, not both');
    return parsed;
  } catch (error) {
    if (error instanceof TypeError && 'code' in error) {
      throw new UsageError(command, `${sentence(error, options)}; allowed: ${allowed(options)}`);
    }
    throw error;
  }
}

/** The verb that the first operand names. @throws UsageError */
export function verbOf<C extends CommandName>(command: C, word: string): VerbOf<C> {
  const spec: CommandSpec = COMMANDS[command];
  const verbs = Object.keys(spec.verbs ?? {});
  const verb = verbs.find((known) => known === word);
  if (verb !== undefined) return verb as VerbOf<C>;
  const hint = didYouMean(word, verbs);
  throw new UsageError(command, `"${word}" is not allowed${hint}; use ${verbs.join(', ')}`);
}

/** Are ids given, or what stands for them, and where they are needed? @throws UsageError */
export function checkIds(
  command: 'changes' | 'approvals' | 'questions',
  named: { verb: string; ids: readonly string[]; single: boolean; all?: boolean; last: boolean },
  given: PlaceOptions,
): void {
  const { verb, ids, single, all = false, last } = named;
  const [first, ...more] = ids;
  const list = suggested(given, `${command} list`);
  const wrong = (message: string): never => {
    throw new UsageError(command, message);
  };
  if (verb === 'list') {
    if (last) wrong('--last is for the other verbs; the newest is listed first');
    if (first === undefined) return;
    wrong(
      `list takes no ID; "${suggested(given, `${command} show ${shellWord(first)}`)}" shows one`,
    );
  }
  if (all && last) wrong('give --all or --last, not both');
  if (all || last) {
    if (first !== undefined) wrong(`give ID or ${all ? '--all' : '--last'}, not both`);
  } else if (single && (first === undefined || more.length > 0)) {
    wrong(`show takes one ID, or --last; "${list}" names them`);
  } else if (first === undefined) {
    wrong(`${verb} takes one ID or more, or --last; "${list}" names them`);
  }
}

/** The first sentence of what parseArgs says; the rest is advice on quoting. */
function sentence(error: Error, options: ParseArgsOptionsConfig): string {
  const said = (error.message.split(/\. |\n/)[0] ?? error.message).replace(/\.$/, '');
  const unknown = /^Unknown option '(--[^']+)'$/.exec(said)?.[1];
  if (unknown === undefined) return said;
  return `${said}${didYouMean(
    unknown,
    Object.keys(options).map((name) => `--${name}`),
  )}`;
}

const allowed = (options: ParseArgsOptionsConfig): string =>
  Object.entries(options)
    .map(([name, { short }]) => (short === undefined ? `--${name}` : `-${short}, --${name}`))
    .join(', ');

/** A value that is none of those that the table names. */
function refuseOtherValues(
  command: CommandName,
  given: Readonly<Record<string, unknown>>,
  options: CommandSpec['options'],
): void {
  for (const [name, { values }] of Object.entries(options)) {
    const value = given[name];
    if (values === undefined || typeof value !== 'string' || values.includes(value)) continue;
    const hint = didYouMean(value, values);
    throw new UsageError(
      command,
      `--${name} ${value} is not allowed${hint}; use ${values.join(', ')}`,
    );
  }
}

/** The last of two would win in silence. */
function refuseRepeated(
  topic: CommandName,
  argv: readonly string[],
  options: ParseArgsOptionsConfig,
): void {
  const { tokens } = parseArgs({
    args: [...argv],
    options,
    allowPositionals: true,
    tokens: true,
  });
  const seen = new Set<string>();
  for (const token of tokens) {
    if (token.kind !== 'option' || options[token.name]?.type !== 'string') continue;
    if (options[token.name]?.multiple === true) continue;
    if (seen.has(token.name)) throw new UsageError(topic, `${token.rawName} is given twice`);
    seen.add(token.name);
  }
}
