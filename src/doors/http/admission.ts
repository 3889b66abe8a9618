/** Who is let in over HTTP: by a token of their own, or by one of an authorization server. */
import fs from 'node:fs';
import { ConfigError } from '../../errors.ts';
import type { Principal } from '../principal.ts';
import { type BearerClient, type ClientList, clientOf, readClients } from './bearer.ts';
import { HttpRefusal } from './limits.ts';
import { BadToken, type Issuer } from './oauth.ts';

/** What a client is told of this resource. */
export interface Resource {
  /** Its address. */
  url: string;
  /** Where its metadata is. */
  metadata: string;
}

/** Who may come in, now. */
export interface Admission {
  readonly clients: ClientList;
  readonly issuer: Issuer | null;
}

/** Those who are known from the beginning. */
export const fixedClients = (...bearers: readonly BearerClient[]): Admission => ({
  clients: { bearers, granted: [] },
  issuer: null,
});

/**
 * Those whom a file names, which is read again when it has changed. One that is not valid leaves
 * the last one in force.
 * @param onNotice told what is wrong with it, once
 * @throws ConfigError for one that is not valid at the beginning
 */
export function fileClients(
  file: string,
  issuer: Issuer | null,
  onNotice: (line: string) => void,
): Admission {
  const read = (): ClientList => readClients(file, issuer !== null);
  let clients = read();
  let seen = stampOf(file);
  return {
    issuer,
    get clients() {
      const stamp = stampOf(file);
      if (stamp === seen) return clients;
      seen = stamp;
      try {
        clients = read();
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        onNotice(`${error.message}; those who were let in before are let in still`);
      }
      return clients;
    },
  };
}

/** What tells a file from what it was. */
function stampOf(file: string): string {
  const stat = fs.statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.mtimeNs} ${stat.size} ${stat.ino}`;
}

/** The scopes that somebody may ask for. */
export const scopesOf = ({ clients }: Admission): string[] => [
  ...new Set(clients.granted.flatMap(({ scopes }) => [...scopes.keys()])),
];

/** How many there are. */
export const countOf = ({ clients: { bearers, granted } }: Admission): number =>
  bearers.length + granted.length;

/** May whoever was let in come in still? */
export function isAdmitted({ clients: { bearers, granted } }: Admission, who: Principal): boolean {
  const is = ({ actor, agent }: Principal): boolean => actor === who.actor && agent === who.agent;
  return (
    bearers.some(({ principal }) => is(principal)) ||
    granted.some(({ scopes }) => [...scopes.values()].some(is))
  );
}

/**
 * Who sends a request.
 * @throws HttpRefusal 401 without a token that is good, 403 for one whose scopes give nothing here,
 * 503 where its issuer cannot be asked
 */
export async function authenticate(
  authorization: string | undefined,
  admission: Admission,
  { url, metadata }: Resource,
): Promise<Principal> {
  const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  const { clients, issuer } = admission;
  const refuse = (status: number, sentence: string, ...more: readonly string[]): HttpRefusal =>
    new HttpRefusal(status, sentence, {
      headers: {
        'www-authenticate': [
          `Bearer realm="dirigent", resource_metadata="${metadata}"`,
          ...more,
        ].join(', '),
      },
    });
  const scopes = scopesOf(admission);
  const wanted = scopes.length === 0 ? [] : [`scope="${scopes.join(' ')}"`];
  if (given === undefined) {
    const server = issuer === null ? '' : `; or ask ${issuer.url} for one`;
    throw refuse(401, `${WANTED}${server}`, ...wanted);
  }
  const known = clientOf(given, clients.bearers);
  if (known !== null) return known;
  if (issuer === null) throw refuse(401, WANTED, 'error="invalid_token"');
  const grant = await issuer.verify(given, url).catch((error: unknown) => {
    if (!(error instanceof BadToken)) throw error;
    const sentence = `the token is not good: ${error.message}; ask ${issuer.url} for another one`;
    throw refuse(401, sentence, 'error="invalid_token"', ...wanted);
  });
  const client = clients.granted.find(({ subject }) => subject === grant.subject);
  if (client === undefined)
    throw refuse(401, 'the token is of nobody whom this server knows', 'error="invalid_token"');
  const [principal] = [...client.scopes].flatMap(([scope, who]) =>
    grant.scopes.includes(scope) ? [who] : [],
  );
  if (principal !== undefined) return principal;
  const scope = [...client.scopes.keys()].join(' ');
  throw refuse(
    403,
    `the token has none of the scopes that give its owner something here: ${scope}`,
    'error="insufficient_scope"',
    `scope="${scope}"`,
  );
}

const WANTED =
  'this server wants a token: send the header "Authorization: Bearer TOKEN"; it was printed when the server began, or is in DIRIGENT_MCP_TOKEN there, or whoever runs the server has given you one';
