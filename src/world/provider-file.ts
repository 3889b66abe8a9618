/** Modules of providers, which a deployment names under `agent.providers`. */
import { isAbsolute, resolve } from 'node:path';
import { packageFile } from '../config-path.ts';

/**
 * The file of a provider's module: a file, relative to the deployment; or a package, as the
 * deployment has it installed.
 * @throws ConfigError where it is not installed
 */
export function providerFile(module: string, base: string): string {
  if (module.startsWith('.') || isAbsolute(module)) return resolve(base, module);
  return packageFile(module, base, 'agent.providers');
}
