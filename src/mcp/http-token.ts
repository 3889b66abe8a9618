/** Who may speak to a server of MCP over HTTP: whoever has its token. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { ConfigError } from '../errors.ts';
import { HttpRefusal } from './http-limits.ts';

/** A token that nobody guesses: 256 bits. */
export const newToken = (): string => randomBytes(32).toString('base64url');

/**
 * Checks a token that somebody chose.
 * @param by what named it, for the message
 * @throws ConfigError
 */
export function checkToken(token: string, by: string): string {
  if (/^[\x21-\x7e]+$/.test(token)) return token;
  throw new ConfigError(
    by,
    'a token is letters, digits and signs without spaces: give another one, or none, and one is made',
  );
}

/**
 * Checks the header of a request.
 * @throws HttpRefusal 401
 */
export function requireToken(authorization: string | undefined, token: string): void {
  const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  // Digests are equally long, so that how long the comparison takes tells nothing of the token.
  if (given !== undefined && timingSafeEqual(digest(given), digest(token))) return;
  const error = given === undefined ? '' : ', error="invalid_token"';
  throw new HttpRefusal(
    401,
    'this server wants its token: send the header "Authorization: Bearer TOKEN"; it was printed when the server began, or is in DIRIGENT_MCP_TOKEN there',
    { headers: { 'www-authenticate': `Bearer realm="dirigent"${error}` } },
  );
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
