/** The Chat SDK and its adapters: installed beside the package by those who want a channel, and loaded when one is opened. */
import { ConfigError } from '../../src/serve/channels/index.ts';

/**
 * Loads a package.
 * @throws ConfigError that says what to install
 */
export async function load<T>(name: string, loading: () => Promise<T>): Promise<T> {
  try {
    return await loading();
  } catch (error) {
    const isMissing =
      error instanceof Error &&
      /^Cannot find package '(?:chat|@chat-adapter\/)/.test(error.message);
    if (!isMissing) throw error;
    throw new ConfigError('channels', `it needs ${name}: npm install chat ${name}`, error);
  }
}
