/** A port that somebody named on the command line. */
import { ConfigError } from '../errors.ts';

/** Where MCP over HTTP listens. */
export const LOOPBACK = '127.0.0.1';

/**
 * Listens, and says what to do where that cannot be.
 * @param option of the command line, that named the port
 * @throws ConfigError for a port or an address that cannot be had
 */
export async function listening<T>(
  listen: () => Promise<T>,
  { option, host, port }: { option: string; host: string; port: number },
): Promise<T> {
  try {
    return await listen();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE')
      throw new ConfigError(option, `${port} is taken on ${host}; name another one, or 0`, error);
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw new ConfigError('--host', `this machine has no address ${host}`, error);
    if (code === 'EACCES')
      throw new ConfigError(option, `${port} is not for this user; name one above 1023`, error);
    throw error;
  }
}
