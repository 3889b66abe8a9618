/** Loads a part of the house that a deployment has named: one way for all of them. */
import { createRequire } from 'node:module';
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
  sessions: {
    title: 'a store of sessions',
    methods: ['list', 'stat', 'read', 'write', 'head', 'where'],
  },
};

/**
 * Loads a part.
 * @throws ConfigError that names the module, and what it should export
 */
export async function loadPart<Part extends object>(spec: PartSpec): Promise<Part> {
  const module = (await import(pathToFileURL(spec.file).href).catch((cause: unknown) => {
    throw notLoaded(spec, cause);
  })) as { default?: unknown };
  const made = await madeBy(module.default, givenOf(spec)).catch((cause: unknown) => {
    throw notMade(spec, cause);
  });
  return whole<Part>(spec, made);
}

const WAITS =
  'it, or what it imports, waits (await) outside of a function, and this part has to be there at once';

/**
 * Loads a part that has to be there at once: without it nothing of a world can
 * be opened. Its module may not wait at its top level, and what makes it gives
 * no promise.
 * @throws ConfigError that names the module, and what it should export
 */
export function loadPartNow<Part extends object>(spec: PartSpec): Part {
  let exported: unknown;
  try {
    exported = createRequire(import.meta.url)(spec.file);
  } catch (cause) {
    const waits = (cause as NodeJS.ErrnoException).code === 'ERR_REQUIRE_ASYNC_MODULE';
    throw notLoaded(spec, waits ? new TypeError(WAITS, { cause }) : cause);
  }
  // What a CommonJS module exports is its default, as for an import.
  const isModule = (exported as { [Symbol.toStringTag]?: string })[Symbol.toStringTag] === 'Module';
  const made = isModule ? (exported as { default?: unknown }).default : exported;
  if (typeof made !== 'function') return requireUnclosed(spec, whole<Part>(spec, made));
  let part: unknown;
  try {
    part = made(givenOf(spec));
  } catch (cause) {
    throw notMade(spec, cause);
  }
  if (part instanceof Promise) {
    part.catch(() => undefined);
    throw notMade(spec, new TypeError('it gives a promise, and this part has to be there at once'));
  }
  return whole<Part>(spec, part);
}

/** @throws ConfigError where what was made is not what the part has to be */
function whole<Part extends object>({ name, file }: PartSpec, made: unknown): Part {
  const { title, methods } = EXPECTED[name];
  const isWhole =
    typeof made === 'object' &&
    made !== null &&
    methods.every((each) => typeof (made as Record<string, unknown>)[each] === 'function');
  if (isWhole) return made as Part;
  const form = `{ ${methods.map((each) => `${each}() {…}`).join(', ')} }`;
  throw new ConfigError(
    `parts.${name}`,
    `${file} should export ${title} as its default: "export default ${form}", or a function of { options, directory, env } that gives one`,
  );
}

/** @throws ConfigError where one object, which all places of this process have, can be closed */
function requireUnclosed<Part extends object>({ name, file }: PartSpec, part: Part): Part {
  if (typeof (part as { close?: unknown }).close !== 'function') return part;
  throw new ConfigError(
    `parts.${name}`,
    `${file} exports ${EXPECTED[name].title} that can be closed, and it is one for all worlds of this process: the first that ends would close it for the others; export a function of { options, directory, env } that makes one`,
  );
}

async function madeBy(exported: unknown, given: PartGiven): Promise<unknown> {
  return typeof exported === 'function' ? exported(given) : exported;
}

const givenOf = ({ options, directory, env }: PartSpec): PartGiven => ({ options, directory, env });

const notLoaded = ({ name, file }: PartSpec, cause: unknown): ConfigError =>
  new ConfigError(
    `parts.${name}`,
    `${file} could not be loaded: ${wordsOf(cause)}${moduleAdvice(file, cause)}`,
    cause,
  );

const notMade = ({ name, file }: PartSpec, cause: unknown): ConfigError =>
  new ConfigError(`parts.${name}`, `${file} could not make its part: ${wordsOf(cause)}`, cause);

const wordsOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);
