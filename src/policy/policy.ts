/** `policy.yaml`: its schema, and how it is read. Loaded only where there is a policy to read. */
import { z } from 'zod';
import { ConfigError } from '../errors.ts';
import { readYaml, YamlFault } from '../yaml.ts';
import { slownessOf } from './bounded-glob.ts';
import { OPERATIONS, ORIGINS } from './gate.ts';
import type { Policy } from './rules.ts';

/** Names for several operations at once. `write` means appending too. */
const GROUPS = {
  write: ['write', 'append'],
  remove: ['unlink', 'rmdir'],
  change: OPERATIONS.filter((op) => op !== 'read' && op !== 'tool'),
} as const;

const opName = z.enum([...OPERATIONS, 'remove', 'change']);

/** One, or a list: no union, whose faults would say no more than that it is neither. */
const listOf = <T extends z.ZodType>(item: T) =>
  z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(item).min(1));

/** An agent may have written the policy. */
const bounded = z.string().superRefine((glob, context) => {
  const slowness = slownessOf(glob);
  if (slowness !== null) context.addIssue(slowness);
});

const glob = bounded.regex(/^\//, 'must be an absolute path, or a glob of one, such as /mnt/**');

const rule = z.strictObject({
  name: z.string().min(1).optional(),
  decision: z.enum(['allow', 'deny', 'ask']),
  reason: z.string().min(1).optional(),
  op: listOf(opName).optional(),
  path: listOf(glob).optional(),
  tool: listOf(bounded.min(1)).optional(),
  mount: listOf(z.string().min(1)).optional(),
  origin: listOf(z.enum(ORIGINS)).optional(),
  actor: listOf(z.string().min(1)).optional(),
  service: z.boolean().optional(),
  destructive: z.boolean().optional(),
  'untrusted-read': z.boolean().optional(),
  bulk: z.int().min(1).optional(),
});

const schema = z.strictObject({
  sandbox: z.enum(['read-only', 'workspace', 'full']).default('workspace'),
  approval: z.enum(['never', 'ask', 'on-failure', 'untrusted']).default('ask'),
  rules: z.array(rule).default([]),
});

/**
 * Reads a policy.
 * @param file how messages call it
 * @throws ConfigError naming every fault with its path, e.g. `rules[2].decision`
 */
export function parsePolicy(text: string, file: string): Policy {
  const result = schema.safeParse(yamlValue(text, file) ?? {});
  if (!result.success) {
    const faults = result.error.issues.map(({ path, message }) => `${where(path)}: ${message}`);
    throw new ConfigError(file, `the policy is not valid:\n  ${faults.join('\n  ')}`, result.error);
  }
  const { sandbox, approval, rules } = result.data;
  return {
    sandbox,
    approval,
    rules: rules.map(({ op, 'untrusted-read': untrustedRead, ...rest }, index) => ({
      ...rest,
      name: rest.name ?? `rules[${index}]`,
      ...(untrustedRead === undefined ? {} : { untrustedRead }),
      ...(op === undefined
        ? {}
        : {
            op: [...new Set(op.flatMap((name) => GROUPS[name as keyof typeof GROUPS] ?? [name]))],
          }),
    })),
  } as Policy;
}

function yamlValue(text: string, file: string): unknown {
  try {
    return readYaml(text).value;
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error;
    const line = text.slice(0, error.at).split('\n').length;
    throw new ConfigError(file, `it is no YAML: line ${line}: ${error.message}`, error);
  }
}

/** `rules[2].decision`. */
function where(path: readonly PropertyKey[]): string {
  const text = path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
    .join('')
    .replace(/^\./, '');
  return text === '' ? '(the policy)' : text;
}
