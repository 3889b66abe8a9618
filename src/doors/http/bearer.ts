/** Who comes in over HTTP: whoever has a token, as the principal that it stands for. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs';
import { z } from 'zod';
import { ConfigError } from '../../errors.ts';
import { readYaml, YamlFault } from '../../yaml.ts';
import { checkPrincipal, type Principal } from '../principal.ts';
import { HttpRefusal } from './limits.ts';

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

/** A client over HTTP: the digest of its token, and who it is. */
export interface BearerClient {
  /** SHA-256. */
  digest: Buffer;
  principal: Principal;
}

export const bearerOf = (token: string, principal: Principal): BearerClient => ({
  digest: digestOf(token),
  principal,
});

const clientsFile = z.record(
  z.string(),
  z.strictObject({
    sha256: z.string().regex(/^[0-9a-fA-F]{64}$/, 'should be 64 hexadecimal digits'),
    agent: z.string().optional(),
  }),
);

/**
 * Reads who has which token: a YAML file of `NAME: {sha256: DIGEST, agent: AGENT}`. It holds no token.
 * @throws ConfigError naming each fault
 */
export function readClients(file: string): BearerClient[] {
  if (!fs.existsSync(file)) throw new ConfigError('--clients', `${file} is not there`);
  const checked = clientsFile.safeParse(yamlIn(file));
  if (!checked.success) {
    const faults = checked.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new ConfigError(
      file,
      `it should have "NAME: {sha256: DIGEST OF THE TOKEN, agent: AGENT}" for each client: ${faults.join('; ')}`,
    );
  }
  const clients = Object.entries(checked.data).map(([actor, { sha256, agent }]) => ({
    digest: Buffer.from(sha256, 'hex'),
    principal: checkPrincipal({ actor, ...(agent === undefined ? {} : { agent }) }),
  }));
  if (clients.length === 0) throw new ConfigError(file, 'it names no client');
  const digests = new Set(clients.map(({ digest }) => digest.toString('hex')));
  if (digests.size < clients.length)
    throw new ConfigError(file, 'two clients have the same token: give each its own');
  return clients;
}

/** Every value as the text that it is: a digest may be digits alone. @throws ConfigError */
function yamlIn(file: string): unknown {
  try {
    return readYaml(fs.readFileSync(file, 'utf8'), 'failsafe').value;
  } catch (error) {
    if (!(error instanceof YamlFault)) throw error;
    throw new ConfigError(file, `it is no YAML: ${error.message}`, error);
  }
}

/**
 * Who sends a request.
 * @param metadata where the metadata of this resource is, for whoever has no token
 * @throws HttpRefusal 401
 */
export function authenticate(
  authorization: string | undefined,
  clients: readonly BearerClient[],
  metadata: string,
): Principal {
  const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? [];
  if (given !== undefined) {
    const digest = digestOf(given);
    // All are compared, and digests are equally long: how long it takes tells nothing of any token.
    const found = clients.filter((client) => timingSafeEqual(client.digest, digest));
    const [client] = found;
    if (client !== undefined) return client.principal;
  }
  const error = given === undefined ? '' : ', error="invalid_token"';
  throw new HttpRefusal(
    401,
    'this server wants a token: send the header "Authorization: Bearer TOKEN"; it was printed when the server began, or is in DIRIGENT_MCP_TOKEN there, or whoever runs the server has given you one',
    {
      headers: {
        'www-authenticate': `Bearer realm="dirigent", resource_metadata="${metadata}"${error}`,
      },
    },
  );
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
