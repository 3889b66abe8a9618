/**
 * Tokens of an authorization server (RFC 9068): who they are of, what they are
 * for, and that they were made for this address. The server's keys are found by
 * its metadata (RFC 8414), and kept for as long as they are in use.
 */
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { z } from 'zod';
import { ConfigError } from '../../errors.ts';
import { HttpRefusal } from './limits.ts';

/** What a token says that is good. */
export interface Grant {
  /** Of whom it is: `sub`. */
  subject: string;
  scopes: readonly string[];
}

/** An authorization server whose tokens are taken. */
export interface Issuer {
  /** Its identifier, a URL. */
  readonly url: string;
  /**
   * @param resource the address that the token is to be for
   * @throws BadToken for a token that is none of its, is over, or is for somebody else
   * @throws HttpRefusal 503 where the server cannot be asked
   */
  verify(token: string, resource: string): Promise<Grant>;
}

/** A token that opens nothing; the message says why. */
export class BadToken extends Error {
  override readonly name = 'BadToken';
}

/** A key that both sides have would let whoever checks a token make one. */
const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
];
/** By so much clocks may differ, s. */
const TOLERANCE_S = 10;
const ASK_MS = 5_000;

const metadataSchema = z.object({ issuer: z.string(), jwks_uri: z.url() });

/** @throws ConfigError for a URL that no issuer may have */
export function issuerAt(url: string): Issuer {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !isSafe(parsed) || parsed.search !== '' || parsed.hash !== '')
    throw new ConfigError(
      '--issuer',
      `"${url}" is no address of an authorization server: https://HOST, and http:// on this machine alone`,
    );
  let keys: Promise<JWTVerifyGetKey> | undefined;
  return {
    url,
    verify: async (token, resource) => {
      const { errors, jwtVerify } = await import('jose');
      keys ??= keysOf(url, parsed);
      const found = await keys.catch((error: unknown) => {
        // It may be there the next time.
        keys = undefined;
        throw unreachable(url, error);
      });
      try {
        const { payload } = await jwtVerify(token, found, {
          issuer: url,
          audience: resource,
          algorithms: ALGORITHMS,
          clockTolerance: TOLERANCE_S,
          requiredClaims: ['sub', 'exp'],
        });
        return { subject: payload.sub ?? '', scopes: scopesOf(payload) };
      } catch (error) {
        if (error instanceof errors.JWKSTimeout) throw unreachable(url, error);
        if (error instanceof errors.JOSEError) throw new BadToken(error.message, { cause: error });
        throw unreachable(url, error);
      }
    },
  };
}

/** Who reads along on the way could make the keys their own. */
const isSafe = ({ protocol, hostname }: URL): boolean =>
  protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname));

/** The keys that its metadata names. */
async function keysOf(issuer: string, { origin, pathname }: URL): Promise<JWTVerifyGetKey> {
  const path = pathname.replace(/\/$/, '');
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
  for (const place of places) {
    const answer = await fetch(place, {
      redirect: 'error',
      signal: AbortSignal.timeout(ASK_MS),
    });
    if (answer.status === 404) continue;
    if (!answer.ok) throw new Error(`${place} answered ${answer.status}`);
    const metadata = metadataSchema.parse(await answer.json());
    if (metadata.issuer !== issuer)
      throw new Error(`${place} is the metadata of ${metadata.issuer}`);
    const keys = new URL(metadata.jwks_uri);
    if (!isSafe(keys)) throw new Error(`its keys are at ${keys.href}, which is no https`);
    const { createRemoteJWKSet } = await import('jose');
    return createRemoteJWKSet(keys, { timeoutDuration: ASK_MS });
  }
  throw new Error(`it has no metadata at ${places.join(' or ')}`);
}

/** `scope` is a text of words; some servers have a list, `scp`. */
function scopesOf({ scope, scp }: JWTPayload): string[] {
  const given = scope ?? scp ?? '';
  return Array.isArray(given) ? given.map(String) : String(given).split(' ').filter(Boolean);
}

function unreachable(url: string, error: unknown): HttpRefusal {
  const { message, cause } = error as Error;
  const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
  return new HttpRefusal(
    503,
    `the authorization server ${url} cannot be asked for its keys (${why}): try again later`,
    { headers: { 'retry-after': '10' } },
  );
}
