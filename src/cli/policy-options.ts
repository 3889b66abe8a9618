/** The arguments of `dirigent approvals` and `dirigent harness`. */
import type { ParseArgsOptionsConfig } from 'node:util';
import { COMMON, type HelpTopic, parse, UsageError, type WorldArguments } from './arguments.ts';

/** What `dirigent approvals` can do. */
export const APPROVALS_VERBS = ['list', 'show', 'allow', 'deny'] as const;
export const SCOPES = ['once', 'path', 'prefix'] as const;

/** `dirigent approvals`. */
export interface ApprovalsArguments extends WorldArguments {
  action: 'approvals';
  verb: (typeof APPROVALS_VERBS)[number];
  ids: string[];
  /** Answered ones, too. */
  all: boolean;
  scope: (typeof SCOPES)[number] | undefined;
  prefix: string | undefined;
}

/** What `dirigent harness` can do. */
export const HARNESS_VERBS = ['check', 'diff', 'accept', 'reject'] as const;

/** `dirigent harness`. */
export interface HarnessArguments extends WorldArguments {
  action: 'harness';
  verb: (typeof HARNESS_VERBS)[number];
  /** Relative to /harness. */
  paths: string[];
}

const APPROVALS_OPTIONS = {
  ...COMMON,
  all: { type: 'boolean' },
  scope: { type: 'string' },
  prefix: { type: 'string' },
} as const satisfies ParseArgsOptionsConfig;

/** Parses what follows `approvals`. @throws UsageError */
export function parseApprovals(
  argv: readonly string[],
): ApprovalsArguments | { action: 'help'; topic: HelpTopic } {
  const { values, positionals } = parse('approvals', argv, APPROVALS_OPTIONS);
  if (values.help === true) return { action: 'help', topic: 'approvals' };
  const [word = 'list', ...ids] = positionals;
  const verb = verbOf('approvals', APPROVALS_VERBS, word);
  if (verb === 'list' && ids.length > 0)
    throw new UsageError('approvals', `list takes no ID; "approvals show ${ids[0]}" shows one`);
  if (verb === 'show' && ids.length !== 1)
    throw new UsageError('approvals', 'show takes one ID; "approvals list" names them');
  if ((verb === 'allow' || verb === 'deny') && ids.length === 0)
    throw new UsageError('approvals', `${verb} takes one ID or more; "approvals list" names them`);
  const { scope, prefix } = values;
  if (verb !== 'allow' && (scope !== undefined || prefix !== undefined))
    throw new UsageError('approvals', '--scope and --prefix belong to allow');
  if (prefix !== undefined && !prefix.startsWith('/'))
    throw new UsageError('approvals', `--prefix ${prefix} should be an absolute path`);
  const known = SCOPES.find((each) => each === scope);
  if (scope !== undefined && known === undefined)
    throw new UsageError('approvals', `--scope ${scope} is not allowed; use ${SCOPES.join(', ')}`);
  return {
    action: 'approvals',
    ...worldOf(values),
    verb,
    ids: ids.map((id) => id.toLowerCase()),
    all: values.all ?? false,
    scope: prefix === undefined ? known : 'prefix',
    prefix,
  };
}

/** Parses what follows `harness`. @throws UsageError */
export function parseHarness(
  argv: readonly string[],
): HarnessArguments | { action: 'help'; topic: HelpTopic } {
  const { values, positionals } = parse('harness', argv, COMMON);
  if (values.help === true) return { action: 'help', topic: 'harness' };
  const [word = 'check', ...paths] = positionals;
  const verb = verbOf('harness', HARNESS_VERBS, word);
  if (verb === 'check' && paths.length > 0)
    throw new UsageError('harness', `check takes no path (unexpected "${paths[0]}")`);
  if ((verb === 'accept' || verb === 'reject') && paths.length === 0)
    throw new UsageError('harness', `${verb} takes one path or more; "harness diff" names them`);
  return { action: 'harness', ...worldOf(values), verb, paths };
}

function verbOf<T extends string>(topic: HelpTopic, verbs: readonly T[], word: string): T {
  const verb = verbs.find((known) => known === word);
  if (verb !== undefined) return verb;
  throw new UsageError(topic, `"${word}" is not allowed; use ${verbs.join(', ')}`);
}

function worldOf(values: {
  mount?: string[] | undefined;
  deployment?: string | undefined;
  json?: boolean | undefined;
}): WorldArguments {
  return {
    mounts: values.mount ?? [],
    deployment: values.deployment,
    dryRun: false,
    json: values.json ?? false,
  };
}
