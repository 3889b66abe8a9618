/** A mount of the deployment's own: what its module exports, and what it has against its options. */
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../../src/errors.ts';
import { moduleAdvice } from '../../src/module-advice.ts';
import type { MountModule, Webhook } from '../../src/mount/index.ts';
import {
  issueText,
  type OpenMount,
  type SchemaIssue,
  type Settings,
  type StandardSchema,
} from '../../src/sources/source.ts';

/**
 * Loads the module of a mount: a function as its default export, and, where it says so itself, a
 * Standard Schema of its `options`.
 * @throws ConfigError naming the file and what is wrong with it
 */
export async function loadMountModule(file: string): Promise<OpenMount> {
  const { default: make, options: schema } = await imported(file);
  if (typeof make !== 'function') {
    throw new ConfigError(
      '',
      `the module ${file} should export, as its default, a function that makes a mount`,
    );
  }
  if (schema !== undefined && !isSchema(schema)) {
    throw new ConfigError(
      '',
      `the module ${file} exports options that are no Standard Schema, such as one of zod`,
    );
  }
  return async (given) => {
    try {
      const options = schema === undefined ? given.options : await checked(schema, given.options);
      return await (make as MountModule)({ ...given, options });
    } catch (error) {
      throw new ConfigError('', `the module ${file} made no mount: ${reasonOf(error)}`, error);
    }
  };
}

/**
 * Loads what the module of a mount says of the deliveries of its service, where it exports a `webhook`.
 * @throws ConfigError naming the file and what is wrong with it
 */
export async function loadWebhook(file: string): Promise<Webhook | null> {
  const { webhook } = await imported(file);
  if (webhook === undefined) return null;
  const { name, secretEnv, receive, offered } = webhook as Partial<Record<keyof Webhook, unknown>>;
  const isOne =
    typeof name === 'string' &&
    /^[a-z0-9][a-z0-9-]{0,39}$/.test(name) &&
    typeof secretEnv === 'string' &&
    typeof receive === 'function' &&
    (offered === undefined || typeof offered === 'function');
  if (isOne) return webhook as Webhook;
  throw new ConfigError(
    '',
    `the module ${file} exports a webhook that is none: it has a name of small letters, digits and -, a secretEnv, and a function receive`,
  );
}

/** What a module may export. */
interface Exported {
  default?: unknown;
  options?: unknown;
  webhook?: unknown;
}

async function imported(file: string): Promise<Exported> {
  try {
    return (await import(pathToFileURL(file).href)) as Exported;
  } catch (error) {
    const why = `${messageOf(error)}${moduleAdvice(file, error)}`;
    throw new ConfigError('', `the module ${file} cannot be loaded: ${why}`, error);
  }
}

const isSchema = (value: unknown): value is StandardSchema<Settings> =>
  (typeof value === 'object' || typeof value === 'function') &&
  value !== null &&
  '~standard' in value;

async function checked(schema: StandardSchema<Settings>, options: Settings): Promise<Settings> {
  const result = await schema['~standard'].validate(options);
  if (result.issues === undefined) return result.value;
  throw new Error(result.issues.map((issue) => issueText(issue, 'options')).join('; '));
}

/** Of what a schema of whatever library throws, its issues; else what it says. */
function reasonOf(error: unknown): string {
  const issues =
    typeof error === 'object' && error !== null && 'issues' in error ? error.issues : undefined;
  if (!Array.isArray(issues) || issues.length === 0) return messageOf(error);
  return (issues as SchemaIssue[]).map((issue) => issueText(issue)).join('; ');
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
