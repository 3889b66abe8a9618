/**
 * Every source of mounts: what a config can name, what it may say of it, and what becomes of it. Of
 * a source that is not mounted nothing is loaded.
 */
import { z } from 'zod';
import { databaseAt, directoryAt, fileAt, moduleFile, namesModule } from '../src/config-path.ts';
import type { MountSource, Settings, SourcePlan } from '../src/mount/service/source.ts';
import { type OfferedScheme, SCHEMES } from './schemes.ts';

/** The settings that single sources have in a mount's object, beside those of every mount. */
export const SETTINGS = {
  /** Of mem: what its files may take, in bytes; 256 MiB by default. */
  maxBytes: z.int().min(1).optional(),
  /** Of github: where an edit of a file goes: `default-branch`, `branch:NAME` or `branch-and-pull`. */
  commits: z.string().optional(),
  /** Of slack: so many days of a channel are listed; 90 by default. */
  days: z.int().min(1).optional(),
  /** Of slack: which conversations, as `conversations.list` calls their types; public channels and those we are in by default. */
  types: z.string().min(1).optional(),
  /** Of openapi: which paths are mounted as what; a file of YAML or JSON, or its fields. */
  hints: z.union([z.string().min(1), z.record(z.string(), z.json())]).optional(),
  /** Of a module: what it is handed besides, as JSON. */
  options: z.record(z.string(), z.json()).optional(),
};

/** Which of {@link SETTINGS} a source takes. */
function taking(
  ...names: (keyof typeof SETTINGS)[]
): Pick<MountSource, 'ownSettings' | 'settings'> {
  const shape = Object.fromEntries(names.map((name) => [name, SETTINGS[name]]));
  return { ownSettings: names, settings: z.strictObject(shape) };
}

const memory: MountSource = {
  ...SCHEMES.mem,
  tokenEnv: null,
  ...taking('maxBytes'),
  parse: (rest) => (rest === null ? {} : null),
  plan: ({ maxBytes }): SourcePlan =>
    typeof maxBytes === 'number' ? { kind: 'memory', maxBytes } : { kind: 'memory' },
};

const disk: MountSource = {
  ...SCHEMES.disk,
  tokenEnv: null,
  ...taking(),
  parse: (rest) => (rest === null ? null : { directory: rest }),
  plan: ({ directory }, { where, base }): SourcePlan => ({
    kind: 'disk',
    root: directoryAt(String(directory), base, where),
  }),
};

/** A service of the house. `narrowed`: the option that what follows the colon is. */
function service(
  scheme: OfferedScheme,
  of: Pick<MountSource, 'ownSettings' | 'settings'> &
    Required<Pick<MountSource, 'load'>> & { narrowed?: string },
): MountSource {
  const { narrowed, ...own } = of;
  const { narrowedBy, tokens } = scheme.setup;
  return {
    ...scheme,
    ...own,
    tokenEnv: tokens[0],
    parse: (rest) => {
      if (rest === null) return {};
      const fits = narrowed !== undefined && narrowedBy?.matches.test(rest) === true;
      return fits ? { [narrowed]: rest } : null;
    },
    plan: (settings): SourcePlan => ({ kind: 'service', settings }),
  };
}

const github = service(SCHEMES.github, {
  narrowed: 'repository',
  ...taking('commits'),
  load: async () => {
    const { createGithubMount } = await import('./github/index.ts');
    return ({ options, ...given }) => createGithubMount({ ...given, ...options });
  },
});

const linear = service(SCHEMES.linear, {
  narrowed: 'team',
  ...taking(),
  load: async () => {
    const { createLinearMount } = await import('./linear/index.ts');
    return ({ options, ...given }) => createLinearMount({ ...given, ...options });
  },
});

const notion = service(SCHEMES.notion, {
  ...taking(),
  load: async () => {
    const { createNotionMount } = await import('./notion/index.ts');
    return ({ options: _none, ...given }) => createNotionMount(given);
  },
});

const slack = service(SCHEMES.slack, {
  ...taking('days', 'types'),
  load: async () => {
    const { createSlackMount } = await import('./slack/index.ts');
    return ({ options, ...given }) => createSlackMount({ ...given, ...options });
  },
});

/** A file of SQLite; without one the PostgreSQL whose address the variable holds. */
const sql: MountSource = {
  ...SCHEMES.sql,
  tokenEnv: 'DATABASE_URL',
  ...taking(),
  parse: (rest) => (rest === null ? {} : rest === '' ? null : { database: rest }),
  plan: ({ database }, { where, base }): SourcePlan =>
    typeof database === 'string'
      ? { kind: 'service', settings: { database: databaseAt(database, base, where) } }
      : { kind: 'service', settings: {} },
  load: async () => {
    const { createSqlMount } = await import('./sql/index.ts');
    return ({ options, ...given }) => createSqlMount({ ...given, ...options });
  },
};

const openapi: MountSource = {
  ...SCHEMES.openapi,
  tokenEnv: null,
  ...taking('hints'),
  parse: (rest) => (rest === null || rest === '' ? null : { file: rest }),
  plan: ({ file, hints }, { where, base }): SourcePlan => ({
    kind: 'service',
    settings: {
      file: fileAt(String(file), base, where),
      ...(typeof hints === 'string' ? { hints: fileAt(hints, base, where) } : { hints }),
    },
  }),
  load: async () => {
    const { createOpenapiMount } = await import('./openapi/index.ts');
    return ({ options, ...given }) => createOpenapiMount({ ...given, ...options });
  },
};

const module: MountSource = {
  ...SCHEMES.module,
  tokenEnv: null,
  ...taking('options'),
  parse: (rest) => (rest !== null && namesModule(rest) ? { module: rest } : null),
  plan: ({ module, options = {} }, { where, base }): SourcePlan => ({
    kind: 'service',
    settings: options as Settings,
    module: { name: String(module), file: moduleFile(String(module), base, where) },
  }),
  load: async (file) => {
    const { loadMountModule } = await import('./module/index.ts');
    return loadMountModule(file ?? '');
  },
};

/** All of them, in the order in which a message names them. */
export const sources: readonly MountSource[] = [
  disk,
  memory,
  github,
  linear,
  notion,
  slack,
  sql,
  openapi,
  module,
];

/** The source that a text names, and what it says of it; null where it names none. */
export function sourceOf(text: string): { source: MountSource; settings: Settings | null } | null {
  if (/^\.{0,2}\/|^\.{1,2}$/.test(text)) return { source: disk, settings: disk.parse(text) };
  const cut = text.indexOf(':');
  const name = cut < 0 ? text : text.slice(0, cut);
  const source = sources.find((each) => each !== disk && each.name === name);
  if (source === undefined) return null;
  return { source, settings: source.parse(cut < 0 ? null : text.slice(cut + 1)) };
}
