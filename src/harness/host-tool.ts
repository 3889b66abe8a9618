/** The deployer's tools: TypeScript in the host, each named by the config. The filename is its name. */
import fs from 'node:fs';
import { basename, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { moduleAdvice } from '../module-advice.ts';
import { HarnessFault } from './fault.ts';
import { inputSchema } from './input-schema.ts';

/** What the module of a tool exports as its default. */
export interface HostToolModule {
  description: string;
  /** A zod schema, or a JSON Schema of an object; none takes no input. */
  input?: z.ZodType | Record<string, unknown>;
  /** It changes nothing: such calls run side by side, and in no sandbox mode need approval. */
  readOnly?: boolean;
  /** What it gives comes from outside, as text of a service does, and is labelled. */
  untrusted?: boolean;
  execute(input: never, options: { signal?: AbortSignal }): unknown;
}

/** A tool that was loaded. */
export interface HostTool {
  name: string;
  description: string;
  input: z.ZodType;
  readOnly: boolean;
  untrusted: boolean;
  execute(input: unknown, options: { signal?: AbortSignal }): Promise<unknown>;
}

/**
 * Loads a tool, unless the module is as it was.
 * @throws HarnessFault, or an error of the disk
 */
export async function loadHostTool(
  file: string,
  before?: { stamp: string; tool: HostTool },
): Promise<{ stamp: string; tool: HostTool }> {
  const { mtimeMs, size } = fs.statSync(file);
  const stamp = `${mtimeMs}:${size}`;
  if (before?.stamp === stamp) return before;
  const url = pathToFileURL(file);
  // A module is loaded once a URL: an edit is another one.
  url.searchParams.set('version', stamp);
  let module: { default?: unknown };
  try {
    module = (await import(url.href)) as { default?: unknown };
  } catch (error) {
    throw new HarnessFault(`it could not be loaded: ${String(error)}${moduleAdvice(file, error)}`);
  }
  const found = module.default as Partial<HostToolModule> | undefined;
  if (typeof found?.description !== 'string' || typeof found.execute !== 'function')
    throw new HarnessFault('it should say "export default { description, input, execute }"');
  const { execute, description, input = { type: 'object', properties: {} } } = found;
  const { readOnly = false, untrusted = false } = found;
  return {
    stamp,
    tool: {
      name: basename(file, extname(file)),
      description,
      input: input instanceof z.ZodType ? input : inputSchema(input),
      readOnly: readOnly === true,
      untrusted: untrusted === true,
      execute: async (given, options) => execute(given as never, options),
    },
  };
}
