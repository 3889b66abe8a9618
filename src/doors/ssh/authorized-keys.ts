/**
 * Who may come in by SSH: a file as OpenSSH's `authorized_keys`, a key a line.
 * Its comment, or its option `actor`, says who holds the key.
 */

import { timingSafeEqual } from 'node:crypto';
import fs from 'node:fs';
import ssh2, { type ParsedKey } from 'ssh2';
import { ConfigError } from '../../errors.ts';
import { escapeLine } from '../../visible.ts';
import { checkPrincipal, type Principal } from '../principal.ts';

/** One line of the file. */
export interface AuthorizedKey {
  principal: Principal;
  /** May its holder have a terminal? */
  terminal: boolean;
  /** ms since the epoch; from then on the key opens nothing. */
  expiresAt: number;
  readonly key: ParsedKey;
}

/** What OpenSSH can be told to leave out, and this door never has. */
const WITHOUT: ReadonlySet<string> = new Set([
  'restrict',
  'no-agent-forwarding',
  'no-port-forwarding',
  'no-user-rc',
  'no-x11-forwarding',
]);
const KEY_TYPE =
  /^(?:ssh-ed25519|ssh-rsa|ecdsa-sha2-nistp(?:256|384|521)|sk-(?:ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com)$/;
const OPTION = /^([A-Za-z0-9-]+)(?:="((?:[^"\\]|\\.)*)")?(?:,|(?=[ \t]|$))/;
const EXPIRY = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?Z?$/;

/**
 * The keys of a file's text.
 * @param where names the file, for messages
 * @throws ConfigError naming the first line that cannot be used: one that is left out would let nobody know
 */
function parseAuthorizedKeys(text: string, where: string): AuthorizedKey[] {
  return text.split(/\r?\n/).flatMap((line, index) => {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) return [];
    return [keyOf(trimmed, `${where}:${index + 1}`)];
  });
}

function keyOf(line: string, where: string): AuthorizedKey {
  const { options, rest } = optionsOf(line, where);
  const [type = '', data = '', ...words] = rest.split(/[ \t]+/);
  if (!KEY_TYPE.test(type))
    throw new ConfigError(where, `"${escapeLine(type)}" is no type of a public key`);
  if (type.startsWith('sk-'))
    throw new ConfigError(where, 'a key on a token (sk-…) is not understood; use another one');
  const key = ssh2.utils.parseKey(`${type} ${data}`);
  if (key instanceof Error) throw new ConfigError(where, `the key is broken: ${key.message}`);
  const actor = options.get('actor') ?? words.join(' ');
  if (actor === '')
    throw new ConfigError(
      where,
      'say whose key it is: actor="NAME" before it, or a comment behind it',
    );
  const [agent, session] = [options.get('agent'), options.get('session')];
  try {
    const principal = checkPrincipal({
      actor,
      ...(agent === undefined ? {} : { agent }),
      ...(session === undefined ? {} : { session }),
    });
    const expires = options.get('expiry-time');
    return {
      principal,
      terminal: options.has('pty') || !(options.has('restrict') || options.has('no-pty')),
      expiresAt: expires === undefined ? Number.POSITIVE_INFINITY : timeOf(expires, where),
      key,
    };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    throw error.path === where ? error : new ConfigError(where, error.message, error);
  }
}

/** The names that an option is known by; any other might be meant to hold somebody back. */
const VALUED: ReadonlySet<string> = new Set(['actor', 'agent', 'session', 'expiry-time']);
const PLAIN: ReadonlySet<string> = new Set([...WITHOUT, 'pty', 'no-pty']);

function optionsOf(line: string, where: string): { options: Map<string, string>; rest: string } {
  const options = new Map<string, string>();
  if (KEY_TYPE.test(line.split(/[ \t]/, 1)[0] ?? '')) return { options, rest: line };
  let rest = line;
  for (;;) {
    const [whole, name = '', value] = OPTION.exec(rest) ?? [];
    if (whole === undefined)
      throw new ConfigError(where, 'it does not begin with options, or with the type of a key');
    const known = (value === undefined ? PLAIN : VALUED).has(name.toLowerCase());
    if (!known)
      throw new ConfigError(
        where,
        `the option ${name} is not known here; there are ${[...VALUED].join('=, ')}=, ${[...PLAIN].join(', ')}`,
      );
    options.set(name.toLowerCase(), (value ?? '').replaceAll(/\\(.)/g, '$1'));
    rest = rest.slice(whole.length);
    if (whole.endsWith(',')) continue;
    return { options, rest: rest.trim() };
  }
}

/** @throws ConfigError */
function timeOf(text: string, where: string): number {
  const [, ...parts] = EXPIRY.exec(text) ?? [];
  const [year, month, day, hour, minute, second] = parts.map((part) => Number(part ?? 0));
  if (year === undefined)
    throw new ConfigError(
      where,
      `expiry-time="${escapeLine(text)}" should be YYYYMMDD or YYYYMMDDHHMM, UTC`,
    );
  return Date.UTC(year, (month ?? 1) - 1, day, hour, minute, second);
}

/** What others may do with the file. */
const OTHERS_WRITE = 0o022;

/**
 * Reads the file anew.
 * @throws ConfigError where it is not there, is not ours, can be written by others, or cannot be used
 */
export function readAuthorizedKeys(file: string): AuthorizedKey[] {
  const stat = fs.statSync(file, { throwIfNoEntry: false });
  if (stat === undefined)
    throw new ConfigError(
      file,
      'it is not there: write the public keys into it that may come in, a line each, such as: actor="ana" ssh-ed25519 AAAA…',
    );
  const own = process.getuid?.();
  if (own !== undefined && stat.uid !== own && stat.uid !== 0)
    throw new ConfigError(file, `it belongs to another user (uid ${stat.uid})`);
  if (own !== undefined && (stat.mode & OTHERS_WRITE) !== 0)
    throw new ConfigError(file, 'others can write it, and let themselves in: chmod go-w');
  return parseAuthorizedKeys(fs.readFileSync(file, 'utf8'), file);
}

/** The line of the key that a client shows; null where nobody holds such a one, or not any more. */
export function authorized(
  keys: readonly AuthorizedKey[],
  shown: Buffer,
  now: number,
): AuthorizedKey | null {
  const found = keys.find(({ key }) => {
    const known = key.getPublicSSH();
    return known.length === shown.length && timingSafeEqual(known, shown);
  });
  return found !== undefined && found.expiresAt > now ? found : null;
}
