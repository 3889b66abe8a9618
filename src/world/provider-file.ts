/** Modules of providers, which a deployment names under `agent.providers`. */
import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import { ConfigError } from '../errors.ts';

/**
 * The file of a provider's module: a file, relative to the deployment; or a package, as the
 * deployment has it installed.
 * @throws ConfigError where it is not installed
 */
export function providerFile(module: string, base: string): string {
  if (module.startsWith('.') || isAbsolute(module)) return resolve(base, module);
  try {
    return createRequire(join(resolve(base), 'x.js')).resolve(module);
  } catch (cause) {
    throw new ConfigError('agent.providers', `${module} is not installed in ${base}`, cause);
  }
}
