/** Loads a part of the house that a deployment has named: one way for all of them. */
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../errors.ts';
import { moduleAdvice } from '../module-advice.ts';
import type { PartName, PartSpec } from './config.ts';

/** What the function that makes a part is handed. */
export interface PartGiven {
  /** `options` of the config, as JSON. */
  options: unknown;
  /** The deployment's, or the process's own without one: what `./x` in the options is relative to. */
  directory: string;
  /** The variables of the host's environment that `env` of the config names. */
  env: Readonly<Record<string, string>>;
}

/** What the module of a part exports as its default: the part, or what makes it. */
export type PartModule<Part> = Part | ((given: PartGiven) => Part | Promise<Part>);

/** What a part is called in a sentence, and what it has to have. */
const EXPECTED: Readonly<Record<PartName, { title: string; methods: readonly string[] }>> = {
  policy: { title: 'a policy engine', methods: ['decide'] },
  credentials: { title: 'a source of credentials', methods: ['credential'] },
  approvals: { title: 'a surface for approvals', methods: ['ask'] },
  models: { title: 'a catalogue of models', methods: ['model'] },
  budget: { title: 'a budget', methods: ['reserve'] },
  compaction: { title: 'a compaction', methods: ['compact'] },
  conversation: { title: 'hooks of conversations', methods: ['request'] },
  telemetry: { title: 'an exporter of traces', methods: ['export'] },
};

/**
 * Loads a part.
 * @throws ConfigError that names the module, and what it should export
 */
export async function loadPart<Part extends object>(spec: PartSpec): Promise<Part> {
  const { name, file, directory, options, env } = spec;
  const where = `parts.${name}`;
  const module = (await import(pathToFileURL(file).href).catch((cause: unknown) => {
    const advice = moduleAdvice(file, cause);
    throw new ConfigError(where, `${file} could not be loaded: ${wordsOf(cause)}${advice}`, cause);
  })) as { default?: unknown };
  const made = await madeBy(module.default, { options, directory, env }).catch((cause: unknown) => {
    throw new ConfigError(where, `${file} could not make its part: ${wordsOf(cause)}`, cause);
  });
  const { title, methods } = EXPECTED[name];
  const isWhole =
    typeof made === 'object' &&
    made !== null &&
    methods.every((each) => typeof (made as Record<string, unknown>)[each] === 'function');
  if (isWhole) return made as Part;
  const form = `{ ${methods.map((each) => `${each}() {…}`).join(', ')} }`;
  throw new ConfigError(
    where,
    `${file} should export ${title} as its default: "export default ${form}", or a function of { options, directory, env } that gives one`,
  );
}

async function madeBy(exported: unknown, given: PartGiven): Promise<unknown> {
  return typeof exported === 'function' ? exported(given) : exported;
}

const wordsOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);
