/** Errors between the threads of a world: what is of our own family arrives as that. */
import { ConfigError, FsError, isFsError } from '../errors.ts';
import type { ErrorOnTheWire } from './fs-call.ts';

/** As data, for the other thread. */
export function wire(error: unknown): ErrorOnTheWire {
  if (error instanceof ConfigError) return { config: error.path, message: error.message };
  if (!isFsError(error)) return { message: error instanceof Error ? error.message : String(error) };
  const { code, path, op, rule, reason } = error;
  return {
    code,
    path,
    op,
    ...(rule === undefined ? {} : { rule }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** As an error again. */
export function revive(error: ErrorOnTheWire): Error {
  if ('config' in error) return configError(error.config, error.message);
  return 'code' in error ? new FsError(error.code, error) : new Error(error.message);
}

/** The message begins with the path, which the class puts there itself. */
function configError(path: string, message: string): ConfigError {
  const head = `${path}: `;
  return message.startsWith(head)
    ? new ConfigError(path, message.slice(head.length))
    : new ConfigError('', message);
}
