/**
 * Every source of mounts: what a config can name, what it may say of it, and what becomes of it. Of
 * a source that is not mounted nothing is loaded.
 */
import { z } from 'zod';
import {
  databaseAt,
  directoryAt,
  fileAt,
  moduleFile,
  namesModule,
  programAt,
} from '../src/config-path.ts';
import { ConfigError } from '../src/errors.ts';
import type { OfferedScheme } from '../src/sources/scheme.ts';
import type {
  MountSource,
  NamedSource,
  Settings,
  SourcePlan,
  SourceTable,
} from '../src/sources/source.ts';
import { SCHEMES } from './schemes.ts';
import { SETTINGS } from './settings.ts';

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
  of: Pick<MountSource, 'ownSettings' | 'settings' | 'webhook'> &
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
  webhook: async () => (await import('./github/webhook.ts')).githubWebhook,
});

const linear = service(SCHEMES.linear, {
  narrowed: 'team',
  ...taking(),
  load: async () => {
    const { createLinearMount } = await import('./linear/index.ts');
    return ({ options, ...given }) => createLinearMount({ ...given, ...options });
  },
  webhook: async () => (await import('./linear/webhook.ts')).linearWebhook,
});

const notion = service(SCHEMES.notion, {
  ...taking(),
  load: async () => {
    const { createNotionMount } = await import('./notion/index.ts');
    return ({ options: _none, ...given }) => createNotionMount(given);
  },
  webhook: async () => (await import('./notion/webhook.ts')).notionWebhook,
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

/** A server that is started, or asked at an address. */
const mcp: MountSource = {
  ...SCHEMES.mcp,
  tokenEnv: null,
  ...taking('command', 'env', 'headerEnv', 'trustHints', 'timeoutMs'),
  parse: (rest) => (rest !== null && SERVER_NAME.test(rest) ? { name: rest } : null),
  plan: (settings, { where, base, env: host }): SourcePlan => {
    const { command, env = [], headerEnv = {}, ...rest } = ownOfServer.parse(settings);
    const named = env.map((each): [string, string | undefined] => {
      const cut = each.indexOf('=');
      return cut < 0 ? [each, host[each]] : [each.slice(0, cut), each.slice(cut + 1)];
    });
    const headers = Object.entries(headerEnv).map(([header, variable]): [string, string] => {
      const value = host[variable];
      if (value === undefined)
        throw new ConfigError(
          `${where}.headerEnv.${header}`,
          `the variable ${variable} is not set`,
        );
      return [header, value];
    });
    const own = Object.fromEntries(
      named.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
    const secrets = [
      ...Object.entries(own).flatMap(([name, value]) => (PLAIN_VARIABLE.test(name) ? [] : [value])),
      ...headers.map(([, value]) => value),
    ];
    return {
      kind: 'service',
      secrets,
      settings: {
        ...rest,
        secrets,
        env: own,
        headers: Object.fromEntries(headers),
        ...(command === undefined
          ? {}
          : {
              command: [
                programAt(command[0] ?? '', base, host['PATH'] ?? '', `${where}.command`),
                ...command.slice(1),
              ],
              directory: base,
            }),
      },
    };
  },
  load: async () => {
    const { createMcpMount } = await import('./mcp/index.ts');
    return ({ options, ...given }) =>
      createMcpMount({ ...given, ...(options as { name: string }) });
  },
};

const SERVER_NAME = /^[A-Za-z0-9][\w-]{0,39}$/;
/** Variables that hold no credential, and whose values stand in any text. */
const PLAIN_VARIABLE =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|PWD|LANG|LANGUAGE|LC_\w+|TERM|TZ|TMPDIR|HOSTNAME|NODE_\w+|XDG_\w+|\w*(?:_HOST|_PORT|_DIR|_PATH|_FILE|_LEVEL|_MODE))$/;
const ownOfServer = z.looseObject({
  command: SETTINGS.command,
  env: SETTINGS.env,
  headerEnv: SETTINGS.headerEnv,
});

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
  webhook: async (file) => {
    const { loadWebhook } = await import('./module/index.ts');
    return loadWebhook(file ?? '');
  },
};

/** All of them, in the order in which a message names them. */
const sources: readonly MountSource[] = [
  disk,
  memory,
  github,
  linear,
  notion,
  slack,
  sql,
  openapi,
  mcp,
  module,
];

function sourceOf(text: string): NamedSource | null {
  if (/^\.{0,2}\/|^\.{1,2}$/.test(text)) return { source: disk, settings: disk.parse(text) };
  const cut = text.indexOf(':');
  const name = cut < 0 ? text : text.slice(0, cut);
  const source = sources.find((each) => each !== disk && each.name === name);
  if (source === undefined) return null;
  return { source, settings: source.parse(cut < 0 ? null : text.slice(cut + 1)) };
}

/** What every world of this package can mount. */
export const sourceTable: SourceTable = {
  sources,
  settings: SETTINGS,
  sourceOf,
  url: import.meta.url,
};
