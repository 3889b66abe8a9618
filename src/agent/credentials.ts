/** What the environment of the host says about a model's server: its address, and the key for it. */
import { ConfigError } from '../errors.ts';
import { BUILTIN_EXTRACT } from './extract/model.ts';

/** How OpenAI, or a server that speaks its protocol, is reached. */
export interface Credentials {
  apiKey: string;
  /** A server of one's own; OpenAI itself, if absent. */
  baseURL?: string;
}

/** Servers of one's own ask for no key, but the client wants one. */
const NO_KEY = 'none';

/**
 * @param name of the model, for messages
 * @throws ConfigError that says which variable is missing
 */
export function openaiCredentials(
  name: string,
  env: Readonly<Record<string, string | undefined>>,
): Credentials {
  const baseURL = env['OPENAI_BASE_URL'];
  const apiKey = env['OPENAI_API_KEY'];
  if (baseURL === '') {
    // The SDK itself takes it for an address.
    throw new ConfigError('model', 'OPENAI_BASE_URL is empty: give it an address, or unset it');
  }
  if (baseURL !== undefined) return { baseURL, apiKey: apiKey ?? NO_KEY };
  if (apiKey !== undefined) return { apiKey };
  throw new ConfigError(
    'model',
    `openai/${name} needs OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own; ${BUILTIN_EXTRACT} needs neither`,
  );
}
