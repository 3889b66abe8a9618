/** A mount of the deployment's own: what its module exports, and what it has against its options. */
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../../src/errors.ts';
import { moduleAdvice } from '../../src/module-advice.ts';
import type { MountModule } from '../../src/mount/index.ts';
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
  let module: { default?: unknown; options?: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as typeof module;
  } catch (error) {
    const why = `${messageOf(error)}${moduleAdvice(file, error)}`;
    throw new ConfigError('', `the module ${file} cannot be loaded: ${why}`, error);
  }
  const { default: make, options: schema } = module;
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
