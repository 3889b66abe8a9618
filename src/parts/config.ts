/** The parts of the house that a deployment can replace, as its config names them. */
import { z } from 'zod';
import { moduleFile } from '../config-path.ts';

/** What can be replaced: see docs/parts.md. */
export const PART_NAMES = [
  'policy',
  'credentials',
  'approvals',
  'models',
  'budget',
  'compaction',
  'conversation',
  'telemetry',
  'sessions',
] as const;
export type PartName = (typeof PART_NAMES)[number];

/** How a config names the module of a part: `./FILE` or `PACKAGE`, or that and what it is handed. */
const named = z.union([
  z.string().min(1),
  z.strictObject({
    /** `./FILE`, relative to the deployment, or a package that is installed there. */
    module: z.string().min(1),
    /** What it is handed besides, as JSON. */
    options: z.json().optional(),
    /** Variables of the host's environment that it is handed; none by default. */
    env: z.array(z.string().min(1)).optional(),
  }),
]);

type Named = z.output<typeof named>;

/** The schema of `parts`. */
export const partsSchema = z.strictObject(
  Object.fromEntries(PART_NAMES.map((name) => [name, named.optional()])) as Record<
    PartName,
    z.ZodOptional<typeof named>
  >,
);

export type PartsConfig = z.output<typeof partsSchema>;

/** A part that is to be loaded: plain data, which crosses to a worker. */
export interface PartSpec {
  name: PartName;
  /** As the config names it. */
  module: string;
  file: string;
  /** The deployment's directory. */
  directory: string;
  options: unknown;
  env: Readonly<Record<string, string>>;
}

export type PartSpecs = Partial<Record<PartName, PartSpec>>;

/** The module that the config names for a part. */
export const moduleOf = (part: Named): string => (typeof part === 'string' ? part : part.module);

/**
 * What is to be loaded.
 * @param base the directory that `./FILE` is relative to, and in which packages are looked up
 * @throws ConfigError where a module is not there
 */
export function planParts(
  config: PartsConfig | undefined,
  base: string,
  env: Readonly<Record<string, string | undefined>>,
): PartSpecs {
  const specs: PartSpecs = {};
  for (const [name, part] of Object.entries(config ?? {}) as [PartName, Named | undefined][]) {
    if (part === undefined) continue;
    const module = moduleOf(part);
    const { options, env: variables = [] } = typeof part === 'string' ? {} : part;
    const given = variables.flatMap((each) => {
      const value = env[each];
      return value === undefined ? [] : [[each, value] as const];
    });
    const file = moduleFile(module, base, `parts.${name}`);
    specs[name] = { name, module, file, directory: base, options, env: Object.fromEntries(given) };
  }
  return specs;
}
