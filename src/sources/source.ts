/**
 * Where a config says that a mount's files come from, `SCHEME` or `SCHEME:REST`. A source is data
 * until one is mounted: what it is made of is loaded then, in the worker of the world.
 */
import type { z } from 'zod';
import type { Mount } from '../mount/contract/contract.ts';
import type { Webhook } from '../mount/contract/webhook.ts';
import type { MountModule } from '../mount/service/module.ts';
import type { Scheme } from './scheme.ts';

/** Any Standard Schema (https://standardschema.dev), such as one of zod, Valibot or ArkType. */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    validate(value: unknown): SchemaResult<Output> | Promise<SchemaResult<Output>>;
  };
}

/** What a schema says of a value. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] };

/** What is wrong, and where. */
export interface SchemaIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

/** An issue as one line: `a.b: what is wrong`. */
export function issueText({ message, path = [] }: SchemaIssue, above = ''): string {
  const keys = path.map((part) => String(typeof part === 'object' ? part.key : part));
  const where = [above, ...keys].filter((key) => key !== '').join('.');
  return where === '' ? message : `${where}: ${message}`;
}

/** Settings of a mount, as a source has checked them. */
export type Settings = Readonly<Record<string, unknown>>;

/** Where a mount is written down. */
export interface SourcePlace {
  /** Its path in the config, for messages. */
  where: string;
  /** The directory that `./x` is relative to. */
  base: string;
  /** The host's environment: of it, a source takes what its settings name. */
  env: Readonly<Record<string, string | undefined>>;
}

/** What the host has to know of a mount that is planned. */
export type SourcePlan =
  /** Files in memory, which outlive the worker. Bytes. */
  | { kind: 'memory'; maxBytes?: number }
  /** Files of a directory of the host. */
  | { kind: 'disk'; root: string }
  /** Opened in the worker by what {@link MountSource.load} gives. `module`: of the deployment's, as the config names it, and its file. */
  | {
      kind: 'service';
      settings: Settings;
      module?: { name: string; file: string };
      /** Credentials in the settings: nothing that the mount says repeats them. */
      secrets?: readonly string[];
    };

/** One scheme, and what becomes of it. */
export interface MountSource extends Scheme {
  /** The variable of the host's environment with its token, unless a config names another; null for none. */
  readonly tokenEnv: string | null;
  /** The settings of its own that a mount's object may have … */
  readonly ownSettings: readonly string[];
  /** … and what they must be. It answers at once. */
  readonly settings: StandardSchema<Settings>;
  /**
   * What the rest of a source stands for.
   * @param rest what follows the colon; null where there is no colon
   * @returns null where it is none of {@link forms}
   */
  parse(rest: string | null): Settings | null;
  /**
   * @param settings of {@link parse}, and of its own
   * @throws ConfigError where something is missing on the host
   */
  plan(settings: Settings, place: SourcePlace): SourcePlan;
  /**
   * Of what is planned as a service: loads what opens the mount, once a world.
   * @param file of the plan
   * @throws ConfigError where that is no module of a mount
   */
  load?(file: string | undefined): Promise<OpenMount>;
  /**
   * Of a service that says by itself what happened: loads what its deliveries are; null where it
   * turns out to say nothing.
   * @param file of the plan
   * @throws ConfigError where that is no module of a mount
   */
  webhook?(file: string | undefined): Promise<Webhook | null>;
}

/** Opens a mount. `options` are the settings. */
export type OpenMount = (...given: Parameters<MountModule>) => Mount | Promise<Mount>;

/** All that can be mounted, and where the worker of a world finds it. */
export interface SourceTable {
  /** In the order in which a message names them. */
  readonly sources: readonly MountSource[];
  /** The settings that single sources have in a mount's object, beside those of every mount: a shape of zod. */
  readonly settings: SettingsShape;
  /** The source that a text names, and what it says of it; null where it names none. */
  sourceOf(text: string): NamedSource | null;
  /** The URL of the module that exports this table as `sourceTable`. */
  readonly url: string;
}

/** Settings by name, each as zod checks it. */
export type SettingsShape = Readonly<Record<string, z.ZodType>>;

/** A source, and what the text that named it says; null where that is none of its forms. */
export interface NamedSource {
  source: MountSource;
  settings: Settings | null;
}
