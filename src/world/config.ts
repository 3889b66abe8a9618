/** The config of a world: what `dirigent.config.ts` holds, checked once and then trusted. */

import { z } from 'zod';
import { ConfigError } from '../errors.ts';
import { MODES } from '../mount/contract/contract.ts';
import { partsSchema } from '../parts/config.ts';
import { resolvePath } from '../paths.ts';
import type { SettingsShape, SourceTable } from '../sources/source.ts';
import { parseAllowed } from './allowed-hosts.ts';
import { type MountObject, type ParsedMount, parseMount } from './mount-string.ts';

const mode = z.enum(MODES);

/** What every mount can say of itself. */
const MOUNT = {
  source: z.string().min(1),
  mode: mode.optional(),
  rules: z.array(z.strictObject({ pattern: z.string().min(1), mode })).optional(),
  search: z.boolean().optional(),
  /** Of a service: the base URL of its API, for an enterprise server or a stand-in. */
  baseUrl: z.url().optional(),
  /** Of a service: the environment variable of the host that holds its token. */
  tokenEnv: z.string().min(1).optional(),
  /** Of a service: for so many ms what was fetched is not asked for again. */
  freshMs: z.int().min(0).optional(),
};

const tokens = z.int().min(1);
const money = z.number().positive();

/** What a UTC day may cost. */
const DAY = {
  tokensPerDay: tokens.optional(),
  moneyPerDay: money.optional(),
  modelRequestsPerDay: tokens.optional(),
};

const agent = z.strictObject({
  /** The model of agents that say `auto`, such as `openai/gpt-5.1`; DIRIGENT_MODEL by default. */
  model: z.string().min(1).optional(),
  /** Modules that export an AI SDK provider, by the name before the slash. */
  providers: z.record(z.string().min(1), z.string().min(1)).optional(),
  /** What a turn, or a UTC day of the deployment, may cost. */
  budget: z
    .strictObject({
      tokensPerTurn: tokens.optional(),
      tokensPerSession: tokens.optional(),
      /** USD, by the prices of models.yaml. */
      moneyPerTurn: money.optional(),
      moneyPerSession: money.optional(),
      /** Requests to services. */
      requestsPerTurn: tokens.optional(),
      ...DAY,
      /** By agent, and by who asked for the turn; `*` is each of whom nothing else is said. */
      agents: z.record(z.string().min(1), z.strictObject(DAY)).optional(),
      principals: z.record(z.string().min(1), z.strictObject(DAY)).optional(),
    })
    .optional(),
  /** Tokens that the model can read. */
  contextWindow: tokens.optional(),
  /** Requests to the model in one turn; 100 by default. */
  maxSteps: z.int().min(2).optional(),
  /** Traces of OpenTelemetry; without it, OTEL_EXPORTER_OTLP_ENDPOINT decides. `content`: with texts. */
  telemetry: z.union([z.boolean(), z.strictObject({ content: z.boolean().optional() })]).optional(),
});

/** The agent's part of a config. */
export type AgentConfig = z.output<typeof agent>;

/** A model that makes vectors of passages, for the search by meaning: see docs/search.md. */
const sentenceModel = z
  .strictObject({
    /** Its name: at `baseUrl` the server's own, else `PROVIDER/NAME`. */
    id: z.string().min(1).optional(),
    /** A server that speaks OpenAI's protocol, such as http://127.0.0.1:11434/v1 of Ollama. */
    baseUrl: z.url().optional(),
    /** The variable of the host's environment that holds the key for `baseUrl`; none is sent without. */
    keyEnv: z.string().min(1).optional(),
    /** Variables of the host's environment that a provider's module reads. */
    env: z.array(z.string().min(1)).optional(),
    /** A directory with a model for `@huggingface/transformers`. */
    onnx: z.string().min(1).optional(),
    /** A directory with a table of word vectors, as model2vec writes it. */
    table: z.string().min(1).optional(),
    /** Of onnx: how the vectors of the tokens become one; `mean` by default. */
    pooling: z.enum(['mean', 'cls', 'last_token']).optional(),
    /** Of onnx: which weights, such as `q8`; `fp32` by default. */
    dtype: z.string().min(1).optional(),
    /** How long the vectors are to be, where the model can shorten them. */
    dimensions: z.int().min(1).max(8_192).optional(),
    /** What the model wants in front of a question and of a text; known for some families. */
    queryPrefix: z.string().optional(),
    documentPrefix: z.string().optional(),
    /** Texts in one request, and requests at a time. */
    batch: z.int().min(1).max(2_048).optional(),
    concurrency: z.int().min(1).max(64).optional(),
    /** A request ends after so many ms; 60,000 by default. */
    timeoutMs: z.int().min(1).optional(),
  })
  .superRefine(({ id, onnx, table, baseUrl, keyEnv }, context) => {
    const fault = (message: string): void => context.addIssue({ code: 'custom', message });
    if ([id, onnx, table].filter((one) => one !== undefined).length !== 1) {
      fault('give one of id, the name of a model, onnx and table, directories that hold one');
    } else if (id === undefined && baseUrl !== undefined) {
      fault('a model in a directory (onnx, table) has no baseUrl');
    } else if (keyEnv !== undefined && baseUrl === undefined) {
      fault('keyEnv belongs to baseUrl; variables for a provider are named in env');
    }
  });

const search = z.strictObject({
  /** `PROVIDER/NAME`, or all that is to be said of it. */
  model: z.union([z.string().min(1), sentenceModel]).optional(),
  /** The model's share of a score, 0 to 1. */
  weight: z.number().min(0).max(1).optional(),
  /** Is the index built in the background, before anything is asked? By default it is. */
  background: z.boolean().optional(),
});

/** The search's part of a config. */
export type SearchConfig = z.output<typeof search>;

const absolutePath = z
  .string()
  .refine(
    (path) => path.startsWith('/') && resolvePath('/', path) === path,
    'must be an absolute path without ., .., a double or a final slash',
  )
  .refine((path) => !path.includes('\0'), 'must not hold a NUL');

/** What a config says besides its mounts. */
const WORLD = {
  harness: z
    .strictObject({
      directory: z.string().min(1).optional(),
      /** Who may write it from inside: nobody, anyone, or anyone these files (globs). */
      mode: z.union([z.enum(['ro', 'rw']), z.array(z.string().min(1))]).optional(),
      /** Modules of tools that run in the host. */
      tools: z.array(z.string().min(1)).optional(),
    })
    .optional(),
  /** Markdown that `/README.md` begins with. */
  readme: z.string().optional(),
  env: z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.string()).optional(),
  cwd: absolutePath.optional(),
  agent: agent.optional(),
  search: search.optional(),
  session: z
    .strictObject({
      /** Does the agent see earlier sessions under /session/past? By default it does. */
      past: z.boolean().optional(),
      /** Is /workspace kept at every command, so that a fork gives it back? By default it is. */
      snapshots: z.boolean().optional(),
    })
    .optional(),
  /** A command ends after so many ms. */
  timeoutMs: z.int().min(1).optional(),
  /** What the shell may take of memory, beside the files of memory mounts, in bytes; 1 GiB by default. */
  maxMemoryBytes: z
    .int()
    .min(64 * 1024 * 1024)
    .optional(),
  /** What background jobs (`cmd &`) may take. */
  jobs: z
    .strictObject({
      /** That run at once; 8 by default, and none with 0. */
      max: z.int().min(0).max(64).optional(),
      /** One ends after so many ms; 3,600,000 by default. */
      timeoutMs: z.int().min(1).optional(),
      /** Of memory, each, in bytes; 256 MiB by default. */
      maxMemoryBytes: z
        .int()
        .min(64 * 1024 * 1024)
        .optional(),
      /** That one may print, in bytes; 16 MiB by default. */
      maxOutputBytes: z.int().min(1024).optional(),
    })
    .optional(),
  /** An operation on a service ends after so many ms. */
  operationTimeoutMs: z.int().min(1).optional(),
  /** Programs that run scripts of other languages in the sandbox; none by default. */
  programs: z
    .strictObject({
      /** `python3`: CPython as WebAssembly. */
      python: z.boolean().optional(),
      /** `node`: QuickJS as WebAssembly with Node.js's own library. */
      node: z.boolean().optional(),
      /** Programs of the host that `run` runs in a sandbox: `python3`, `node`, `git`. */
      host: z
        .array(z.string().regex(/^[A-Za-z0-9][\w.+-]*$/, 'must be the name of a program'))
        .min(1)
        .optional(),
    })
    .optional(),
  /** Hosts that `curl` and `wget` may ask; none by default. */
  network: z
    .strictObject({
      /** `api.example.com`, `*.example.com`, `https://example.com:8443`, `127.0.0.1:8080`. */
      allow: z.array(
        z.string().refine((text) => parseAllowed(text) !== null, {
          error: 'a host, such as api.example.com, *.example.com or https://example.com:8443',
        }),
      ),
    })
    .optional(),
  /** Modules of channels that `dirigent serve` opens: see docs/channels.md. */
  channels: z.array(z.string().min(1)).optional(),
  /** Modules of commands, each a file or a package: see docs/config.md. */
  shims: z.array(z.string().min(1)).optional(),
  /** How documents are read: see docs/documents.md. */
  documents: z
    .strictObject({
      /** A program of the host and its arguments: a picture on its stdin, its text on stdout. */
      ocr: z.array(z.string().min(1)).min(1).optional(),
    })
    .optional(),
  /** Modules that stand in the place of the house's own: see docs/parts.md. */
  parts: partsSchema.optional(),
  /** A module whose default export has `before` and `after`: see docs/policy.md. */
  hooks: z.string().min(1).optional(),
  /** Has the deployment a memory at /memory, where no mount of its own is there? By default it has. */
  memory: z.boolean().optional(),
  /** Every service mount only stages what is written. */
  dryRun: z.boolean().optional(),
  /** Where the state is kept; `.dirigent` of the deployment by default. */
  state: z.string().min(1).optional(),
};

/** The schema of a config. @param settings those that single sources have in a mount's object */
export const configSchema = <Settings extends SettingsShape>(settings: Settings) =>
  z.strictObject({
    mounts: z
      .record(absolutePath, z.union([z.string(), z.strictObject({ ...MOUNT, ...settings })]))
      .optional(),
    ...WORLD,
  });

/** A config with the settings of the sources that there are. */
export type ConfigOf<Settings extends SettingsShape> = z.input<
  ReturnType<typeof configSchema<Settings>>
>;

const world = z.strictObject(WORLD);

/** A config whose mounts are checked by whatever table of sources there is. */
export interface WorldConfig extends z.input<typeof world> {
  mounts?: Record<string, string | MountObject> | undefined;
}

/** A config after every check, its mounts parsed. */
export interface CheckedConfig extends z.output<typeof world> {
  mounts: Map<string, ParsedMount>;
}

/** The places that no mount may hide, or be hidden by. */
const RESERVED = ['/harness', '/session', '/bin', '/usr/bin', '/dev'];

/**
 * Checks a config. `table`: all that it can mount.
 * @throws ConfigError naming every fault with its path in the config
 */
export function checkConfig(table: SourceTable, config: unknown): CheckedConfig {
  const result = configSchema(table.settings).safeParse(config);
  if (!result.success) {
    const faults = result.error.issues.flatMap((issue) => faultsOf(issue, []));
    throw new ConfigError('', `the config is not valid:\n  ${faults.join('\n  ')}`, result.error);
  }
  const mounts = new Map<string, ParsedMount>();
  for (const [point, value] of Object.entries(result.data.mounts ?? {})) {
    checkPoint(point);
    // Which settings there are besides, only the table knows.
    mounts.set(point, parseMount(table, value as string | MountObject, `mounts.${point}`));
  }
  return { ...result.data, mounts };
}

/**
 * Refuses a mount point that hides, or is hidden by, what every world has.
 * @throws ConfigError
 */
function checkPoint(point: string): void {
  for (const reserved of RESERVED) {
    const hides = reserved === point || reserved.startsWith(point === '/' ? '/' : `${point}/`);
    const hidden = point.startsWith(`${reserved}/`);
    if (hides || hidden) {
      const how = hides ? 'would hide' : 'would be hidden in';
      throw new ConfigError(
        `mounts.${point}`,
        `a mount at ${point} ${how} ${reserved}, which every world has; mount it elsewhere, for example under /mnt`,
      );
    }
  }
}

/** Each fault with its path. What is wrong with a key, or in one of several forms, is a level deeper. */
function faultsOf(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): string[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_key') {
    const messages = issue.issues.map((inner) => inner.message).join('; ');
    return [`${where(path)}: the name ${messages}`];
  }
  if (issue.code === 'invalid_union') {
    // The form that was meant is the one whose own type fits.
    const meant = issue.errors.find((form) =>
      form.every((inner) => inner.code !== 'invalid_type' || inner.path.length > 0),
    );
    if (meant !== undefined) return meant.flatMap((inner) => faultsOf(inner, path));
    const forms = issue.errors.flat().map((inner) => inner.message);
    return [`${where(path)}: ${[...new Set(forms)].join('; or ')}`];
  }
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${where([...path, key])}: there is no such setting`);
  }
  return [`${where(path)}: ${issue.message}`];
}

function where(path: readonly PropertyKey[]): string {
  return path.length === 0 ? '(the config)' : path.map(String).join('.');
}
