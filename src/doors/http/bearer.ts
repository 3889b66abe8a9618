/** Who comes in over HTTP: whoever has a token, as the principal that it stands for. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs';
import { z } from 'zod';
import { ConfigError } from '../../errors.ts';
import { readYaml, YamlFault } from '../../yaml.ts';
import { checkPrincipal, type Principal } from '../principal.ts';

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

/** A client whose tokens are an authorization server's. */
export interface GrantedClient {
  /** `sub` of its tokens. */
  subject: string;
  /** Who it is with each scope; of several that a token has the first counts. */
  scopes: ReadonlyMap<string, Principal>;
}

export const bearerOf = (token: string, principal: Principal): BearerClient => ({
  digest: digestOf(token),
  principal,
});

/** Who may come in. */
export interface ClientList {
  bearers: readonly BearerClient[];
  granted: readonly GrantedClient[];
}

const bearerEntry = z.strictObject({
  sha256: z.string().regex(/^[0-9a-fA-F]{64}$/, 'should be 64 hexadecimal digits'),
  agent: z.string().optional(),
});
const grantedEntry = z.strictObject({
  subject: z.string().min(1),
  /** The agent whose rights a scope gives. */
  scopes: z.record(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/), z.string()),
});
/** By whichever of the two an entry begins to be, so that each fault is one of that. */
const entry = z.unknown().transform((value, context) => {
  const isGranted = typeof value === 'object' && value !== null && 'subject' in value;
  const checked = (isGranted ? grantedEntry : bearerEntry).safeParse(value);
  if (checked.success) return checked.data;
  for (const { path, message } of checked.error.issues)
    context.addIssue({ code: 'custom', path, message });
  return z.NEVER;
});
const clientsFile = z.record(z.string(), entry);

/**
 * Reads who has which token: a YAML file of `NAME: {sha256: DIGEST, agent: AGENT}`, and of
 * `NAME: {subject: SUBJECT, scopes: {SCOPE: AGENT}}` for those of an authorization server. It
 * holds no token.
 * @param hasIssuer is there an authorization server?
 * @throws ConfigError naming each fault
 */
export function readClients(file: string, hasIssuer = false): ClientList {
  if (!fs.existsSync(file)) throw new ConfigError('--clients', `${file} is not there`);
  const checked = clientsFile.safeParse(yamlIn(file));
  if (!checked.success) {
    const faults = checked.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new ConfigError(
      file,
      `it should have "NAME: {sha256: DIGEST OF THE TOKEN, agent: AGENT}" for each client, or "NAME: {subject: SUBJECT, scopes: {SCOPE: AGENT}}": ${faults.join('; ')}`,
    );
  }
  const list = { bearers: [] as BearerClient[], granted: [] as GrantedClient[] };
  for (const [actor, client] of Object.entries(checked.data)) {
    if ('sha256' in client) {
      const { sha256, agent } = client;
      const principal = checkPrincipal({ actor, ...(agent === undefined ? {} : { agent }) });
      list.bearers.push({ digest: Buffer.from(sha256, 'hex'), principal });
    } else {
      const scopes = Object.entries(client.scopes).map(
        ([scope, agent]) => [scope, checkPrincipal({ actor, agent })] as const,
      );
      if (scopes.length === 0) throw new ConfigError(file, `${actor}.scopes names no scope`);
      list.granted.push({ subject: client.subject, scopes: new Map(scopes) });
    }
  }
  const { bearers, granted } = list;
  if (bearers.length + granted.length === 0) throw new ConfigError(file, 'it names no client');
  if (granted.length > 0 && !hasIssuer)
    throw new ConfigError(
      file,
      'it names subjects of an authorization server: --issuer says which one',
    );
  if (new Set(bearers.map(({ digest }) => digest.toString('hex'))).size < bearers.length)
    throw new ConfigError(file, 'two clients have the same token: give each its own');
  if (new Set(granted.map(({ subject }) => subject)).size < granted.length)
    throw new ConfigError(file, 'two clients have the same subject: give each its own');
  return list;
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

/** Whose a token is; null for nobody's. */
export function clientOf(token: string, clients: readonly BearerClient[]): Principal | null {
  const digest = digestOf(token);
  // All are compared, and digests are equally long: how long it takes tells nothing of any token.
  const found = clients.filter((client) => timingSafeEqual(client.digest, digest));
  return found[0]?.principal ?? null;
}

const digestOf = (text: string): Buffer => createHash('sha256').update(text).digest();
