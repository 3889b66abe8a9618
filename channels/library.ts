/** Packages that channels are made of: installed beside this one by those who want a channel, and loaded when one is opened. */
import { ConfigError } from '../src/serve/channels/index.ts';

/**
 * Loads packages.
 * @param channel that needs them
 * @param names all that it needs
 * @throws ConfigError that says what to install
 */
export async function load<T>(
  channel: string,
  names: readonly string[],
  loading: () => Promise<T>,
): Promise<T> {
  try {
    return await loading();
  } catch (error) {
    const [, missing] =
      (error instanceof Error && /^Cannot find package '([^']+)'/.exec(error.message)) || [];
    if (missing === undefined || !names.some((name) => missing.startsWith(name))) throw error;
    throw new ConfigError(
      `channels/${channel}.md`,
      `it needs packages that are not installed: npm install ${names.join(' ')} (beside dirigent; with -g if dirigent was installed so)`,
      error,
    );
  }
}
