/** `crypto`: digests, keys from passwords, ciphers and chance. What is computed, the host computes. */
import { randomCalls } from './crypto-random.ts';
import { ciphers, digests, type Transform } from './crypto-streams.ts';
import { type Bytes, type CryptoTools, cryptoTools, SecretKey } from './crypto-tools.ts';
import type { Bag, Guest, Loose } from './loose.ts';
import { bytesOf } from './text.ts';

/** What of it is not here, and what is said of that. */
const MISSING =
  'createSign createVerify sign verify generateKeyPair generateKeyPairSync generateKey generateKeySync createPrivateKey createPublicKey createDiffieHellman createECDH publicEncrypt privateDecrypt X509Certificate';

export function cryptoModule(
  guest: Guest,
  library: (id: string) => Loose,
  later: (run: () => void) => void,
): Bag {
  const { host } = guest;
  const tools = cryptoTools(guest, library);
  const { bytesFrom, shown, ask } = tools;
  const { Transform } = library('stream') as unknown as { Transform: Transform };
  const digestOf = digests(Transform, tools);
  const cipher = ciphers(Transform, tools);
  const { randomBytes, fillRandom, randomInt, randomUUID } = randomCalls(tools, later);
  const { pbkdf2Sync, scryptSync, hkdfSync } = derivedKeys(tools);
  const lately =
    (run: (...args: never[]) => unknown) =>
    (...args: unknown[]): void => {
      const done = args.pop() as (error: unknown, value?: unknown) => void;
      later(() => {
        let value: unknown;
        try {
          value = (run as (...given: unknown[]) => unknown)(...args);
        } catch (error) {
          done(error);
          return;
        }
        done(null, value);
      });
    };
  const hash = (name: string, data: unknown, output: unknown = 'hex'): unknown =>
    shown(ask<Bytes>('digest', name, bytesFrom(data), null, null), output);
  const webcrypto = {
    getRandomValues: (view: Bytes) => fillRandom(bytesOf(view)) && view,
    randomUUID,
    subtle: {
      digest: async (name: string | { name: string }, data: unknown) => {
        const which = (typeof name === 'string' ? name : name.name).replace('-', '').toLowerCase();
        return ask<Bytes>('digest', which, bytesFrom(data), null, null).buffer;
      },
    },
  };
  const missing = Object.fromEntries(
    MISSING.split(' ').map((name) => [
      name,
      () => {
        throw Object.assign(new Error(`crypto.${name} is not here`), {
          code: 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM',
        });
      },
    ]),
  );
  return {
    ...missing,
    createHash: (name: unknown, options: Bag = {}) =>
      digestOf(name, null, options['outputLength'] ?? null),
    createHmac: (name: unknown, key: unknown) =>
      digestOf(name, bytesFrom(key, 'utf8', 'key'), null),
    createCipheriv: cipher('encipher'),
    createDecipheriv: cipher('decipher'),
    createSecretKey: (key: unknown, encoding?: unknown) => {
      const bytes = bytesFrom(key, encoding, 'key');
      return new SecretKey(bytes, () => shown(bytes));
    },
    getHashes: () => host('hashes'),
    getCiphers: () => host('ciphers'),
    hash,
    hkdf: lately(hkdfSync),
    hkdfSync,
    pbkdf2: lately(pbkdf2Sync),
    pbkdf2Sync,
    randomBytes,
    pseudoRandomBytes: randomBytes,
    randomFill: lately(fillRandom),
    randomFillSync: fillRandom,
    randomInt,
    randomUUID,
    scrypt: lately(scryptSync),
    scryptSync,
    timingSafeEqual,
    getRandomValues: webcrypto.getRandomValues,
    webcrypto,
    subtle: webcrypto.subtle,
    constants: {},
  };
}

/** Keys made of passwords and of other keys. */
function derivedKeys({ Buffer, bytesFrom, ask }: CryptoTools) {
  const pbkdf2Sync = (
    password: unknown,
    salt: unknown,
    rounds: number,
    length: number,
    digest: string,
  ): unknown =>
    Buffer.from(ask<Bytes>('pbkdf2', bytesFrom(password), bytesFrom(salt), rounds, length, digest));
  const scryptSync = (
    password: unknown,
    salt: unknown,
    length: number,
    options: Bag = {},
  ): unknown =>
    Buffer.from(
      ask<Bytes>('scrypt', bytesFrom(password), bytesFrom(salt), length, JSON.stringify(options)),
    );
  const hkdfSync = (
    digest: string,
    key: unknown,
    salt: unknown,
    info: unknown,
    length: number,
  ): unknown =>
    ask<Bytes>('hkdf', digest, bytesFrom(key), bytesFrom(salt), bytesFrom(info), length).buffer;
  return { pbkdf2Sync, scryptSync, hkdfSync };
}

function timingSafeEqual(one: Bytes, other: Bytes): boolean {
  const [a, b] = [bytesOf(one), bytesOf(other)];
  if (a.length !== b.length) {
    const error = new RangeError('Input buffers must have the same byte length');
    throw Object.assign(error, { code: 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH' });
  }
  return a.reduce((different, byte, index) => different | (byte ^ (b[index] ?? 0)), 0) === 0;
}
