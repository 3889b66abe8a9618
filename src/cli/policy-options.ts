/** The arguments of `dirigent approvals`, `dirigent questions` and `dirigent harness`. */

import { checkIds, parse, UsageError, verbOf, type WorldArguments, worldOf } from './arguments.ts';
import type { HelpTopic, VerbOf } from './commands.ts';
import { suggested } from './place.ts';

export const SCOPES = ['once', 'path', 'prefix'] as const;

/** `dirigent approvals`. */
export interface ApprovalsArguments extends WorldArguments {
  action: 'approvals';
  verb: VerbOf<'approvals'>;
  ids: string[];
  /** Instead of ids: the newest that waits. */
  last: boolean;
  /** Answered ones, too. */
  all: boolean;
  scope: (typeof SCOPES)[number] | undefined;
  prefix: string | undefined;
}

/** `dirigent questions`. */
export interface QuestionsArguments extends WorldArguments {
  action: 'questions';
  verb: VerbOf<'questions'>;
  ids: string[];
  /** Of answer: what was typed. */
  answer: string | undefined;
  last: boolean;
  all: boolean;
}

/** `dirigent harness`. */
export interface HarnessArguments extends WorldArguments {
  action: 'harness';
  verb: VerbOf<'harness'>;
  /** Relative to /harness. */
  paths: string[];
  /** Of accept: the proposal that was seen. */
  digest: string | undefined;
  /** Of accept: without asking at the terminal. */
  yes: boolean;
}

/** Parses what follows `approvals`. @throws UsageError */
export function parseApprovals(
  argv: readonly string[],
): ApprovalsArguments | { action: 'help'; topic: HelpTopic } {
  const { values, positionals } = parse('approvals', argv);
  if (values.help === true) return { action: 'help', topic: 'approvals' };
  const [word = 'list', ...ids] = positionals;
  const verb = verbOf('approvals', word);
  const { last = false } = values;
  checkIds('approvals', { verb, ids, last, single: verb === 'show' }, worldOf(values).given);
  if (values.all === true && verb !== 'list')
    throw new UsageError('approvals', '--all belongs to list: each is answered by its ID');
  const { scope, prefix } = values;
  if (verb !== 'allow' && (scope !== undefined || prefix !== undefined))
    throw new UsageError('approvals', '--scope and --prefix belong to allow');
  if (prefix !== undefined && !prefix.startsWith('/'))
    throw new UsageError('approvals', `--prefix ${prefix} should be an absolute path`);
  const known = SCOPES.find((each) => each === scope);
  return {
    action: 'approvals',
    ...worldOf(values),
    verb,
    ids,
    last,
    all: values.all ?? false,
    scope: prefix === undefined ? known : 'prefix',
    prefix,
  };
}

/** Parses what follows `questions`. @throws UsageError */
export function parseQuestions(
  argv: readonly string[],
): QuestionsArguments | { action: 'help'; topic: HelpTopic } {
  const { values, positionals } = parse('questions', argv);
  if (values.help === true) return { action: 'help', topic: 'questions' };
  const [word = 'list', ...rest] = positionals;
  const verb = verbOf('questions', word);
  const { last = false, all = false } = values;
  const answers = verb === 'answer';
  const ids = answers ? rest.slice(0, last ? 0 : 1) : rest;
  checkIds('questions', { verb, ids, last, single: verb === 'show' }, worldOf(values).given);
  if (all && verb !== 'list')
    throw new UsageError('questions', '--all belongs to list: each is answered by its ID');
  const answer = answers ? rest.slice(ids.length).join(' ') : undefined;
  if (answer?.trim() === '')
    throw new UsageError(
      'questions',
      'answer takes the ID and the answer; decline says that you do not want to give one',
    );
  return { action: 'questions', ...worldOf(values), verb, ids, answer, last, all };
}

/** Parses what follows `harness`. @throws UsageError */
export function parseHarness(
  argv: readonly string[],
): HarnessArguments | { action: 'help'; topic: HelpTopic } {
  const { values, positionals } = parse('harness', argv);
  if (values.help === true) return { action: 'help', topic: 'harness' };
  const [word = 'check', ...paths] = positionals;
  const verb = verbOf('harness', word);
  if (verb === 'check' && paths.length > 0)
    throw new UsageError('harness', `check takes no path (unexpected "${paths[0]}")`);
  if ((verb === 'accept' || verb === 'reject') && paths.length === 0)
    throw new UsageError(
      'harness',
      `${verb} takes one path or more; "${suggested(worldOf(values).given, 'harness diff')}" names them`,
    );
  const { digest, yes = false } = values;
  if (verb !== 'accept' && (digest !== undefined || yes))
    throw new UsageError('harness', '--digest and --yes belong to accept');
  if (digest !== undefined && paths.length !== 1)
    throw new UsageError('harness', '--digest is of one PATH');
  return { action: 'harness', ...worldOf(values), verb, paths, digest: digest?.toLowerCase(), yes };
}
