/** Packages that channels are made of: installed beside this one by those who want a channel, and loaded when one is opened. */
import { ConfigError } from '../src/serve/channels/index.ts';

/**
 * Loads packages.
 * @param names all that the channel needs
 * @throws ConfigError that says what to install
 */
export async function load<T>(names: readonly string[], loading: () => Promise<T>): Promise<T> {
  try {
    return await loading();
  } catch (error) {
    const [, missing] =
      (error instanceof Error && /^Cannot find package '([^']+)'/.exec(error.message)) || [];
    if (missing === undefined || !names.some((name) => missing.startsWith(name))) throw error;
    throw new ConfigError(
      'channels',
      `it needs ${names.join(' ')}: npm install ${names.join(' ')}`,
      error,
    );
  }
}
