/** From arguments to the config of a world: the deployment's file, and what the command line adds. */
import fs from 'node:fs';
import module from 'node:module';
import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigError } from '../errors.ts';
import { likePath } from '../like-path.ts';
import { moduleAdvice } from '../module-advice.ts';
import type { WorldConfig } from '../world/config.ts';
import { splitMountOption } from '../world/mount-string.ts';
import { CONFIG_NAMES } from '../world/plan.ts';
import type { Installation } from './installation.ts';
import type { WorldArguments } from './options.ts';
import { configIn } from './place.ts';

/** What `createWorld` is called with. */
export interface WorldSetup {
  config: WorldConfig;
  deployment: string | null;
}

/**
 * Loads the deployment's config and adds `--mount` and `--dry-run`.
 * @throws ConfigError
 */
export async function setUpWorld(
  options: WorldArguments,
  { library }: Installation,
  cwd: string,
): Promise<WorldSetup> {
  const deployment = options.deployment === undefined ? null : resolve(cwd, options.deployment);
  const base =
    deployment === null
      ? {}
      : await loadConfig(
          deployment,
          library,
          options.given.deployment === undefined ? 'DIRIGENT_DEPLOYMENT' : '--deployment',
        );
  const added = Object.fromEntries(parseMounts(options.mounts, cwd));
  const config: WorldConfig = { ...base };
  // What is no object is left to the check of the whole config, which names it.
  if (options.mounts.length > 0 && isRecord(base.mounts ?? {})) {
    config.mounts = { ...base.mounts, ...added };
  }
  if (options.dryRun) config.dryRun = true;
  return { config, deployment };
}

function parseMounts(mounts: readonly string[], cwd: string): Map<string, string> {
  const added = new Map<string, string>();
  for (const option of mounts) {
    const [path, source] = splitMountOption(option);
    const point = path.length > 1 ? path.replace(/\/+$/, '') : path;
    if (!isAbsolute(point)) {
      throw new ConfigError('--mount', `"${path}" should be an absolute path, such as /mnt/docs`);
    }
    if (added.has(point)) throw new ConfigError('--mount', `${point} is mounted twice`);
    // On the command line ./x is the user's, not the deployment's.
    added.set(point, source.startsWith('.') ? resolve(cwd, source) : source);
  }
  return added;
}

async function loadConfig(deployment: string, library: string, by: string): Promise<WorldConfig> {
  if (!fs.statSync(deployment, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ConfigError(by, `${deployment} is not a directory${likePath(deployment)}`);
  }
  const file = configIn(deployment);
  if (file === null) {
    throw new ConfigError(by, `${deployment} has no ${CONFIG_NAMES.join(', ')}`);
  }
  resolveOwnName(library);
  const module: unknown = await import(pathToFileURL(file).href).catch((cause: unknown) => {
    const reason = cause instanceof Error ? `${cause.name}: ${cause.message}` : String(cause);
    throw new ConfigError(
      file,
      `it could not be loaded: ${reason}${moduleAdvice(file, cause)}`,
      cause,
    );
  });
  const config = isRecord(module) ? module['default'] : undefined;
  if (!isRecord(config)) {
    throw new ConfigError(file, 'it should say "export default defineConfig({ … })"');
  }
  // createWorld checks it as a whole and names what is wrong.
  return config as WorldConfig;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Lets a config say `import { defineConfig } from 'dirigent'` where no such
 * package is installed beside it: then it is the package that runs.
 */
function resolveOwnName(library: string): void {
  // Deno has no hooks: there the package is to be installed beside the config.
  module.registerHooks?.({
    resolve(specifier, context, next) {
      if (specifier !== 'dirigent') return next(specifier, context);
      try {
        const found = next(specifier, context);
        return fs.existsSync(new URL(found.url)) ? found : { url: library, shortCircuit: true };
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? error.code : undefined;
        if (code === 'ERR_MODULE_NOT_FOUND') return { url: library, shortCircuit: true };
        throw error;
      }
    },
  });
}
