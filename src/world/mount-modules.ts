/** In the worker: the deployment's own mounts, from the modules that its config names. */
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../errors.ts';
import { moduleAdvice } from '../module-advice.ts';
import type { Mount } from '../mount/contract/contract.ts';
import type { MountModule, MountModuleOptions } from '../mount/service/module.ts';
import type { MountSpec } from './protocol.ts';

/** The modules, by file. */
export type MountModules = ReadonlyMap<string, MountModule>;

/**
 * Loads each module once.
 * @throws ConfigError naming the mount, the file and what is wrong with it
 */
export async function loadMountModules(mounts: readonly MountSpec[]): Promise<MountModules> {
  const loaded = new Map<string, MountModule>();
  for (const { point, source } of mounts) {
    if (source.kind !== 'module' || loaded.has(source.file)) continue;
    loaded.set(source.file, await load(point, source.file));
  }
  return loaded;
}

async function load(point: string, file: string): Promise<MountModule> {
  let module: { default?: unknown };
  try {
    module = (await import(pathToFileURL(file).href)) as { default?: unknown };
  } catch (error) {
    const loading = new Error(`${messageOf(error)}${moduleAdvice(file, error)}`, { cause: error });
    throw await fault(point, `the module ${file} cannot be loaded`, loading);
  }
  if (typeof module.default === 'function') return module.default as MountModule;
  throw new ConfigError(
    `mounts.${point}`,
    `the module ${file} should export, as its default, a function that makes a mount`,
  );
}

/**
 * Makes the mount.
 * @throws ConfigError with what the module had against its options
 */
export async function makeModuleMount(
  modules: MountModules,
  file: string,
  options: MountModuleOptions,
): Promise<Mount> {
  const module = modules.get(file);
  if (module === undefined) throw new Error(`${file} was not loaded`);
  try {
    return await module(options);
  } catch (error) {
    throw await fault(options.point, `the module ${file} made no mount`, error);
  }
}

async function fault(point: string, what: string, error: unknown): Promise<ConfigError> {
  // Only here: most worlds have no module, and those that have one rarely a fault.
  const { z } = await import('zod');
  const why =
    error instanceof z.core.$ZodError
      ? error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
      : error instanceof Error
        ? error.message
        : String(error);
  return new ConfigError(`mounts.${point}`, `${what}: ${why}`, error);
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
