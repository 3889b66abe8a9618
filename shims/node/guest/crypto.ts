/** `crypto`: digests, keys from passwords, ciphers and chance. What is computed, the host computes. */
import type { Bag, Codes, Guest, Loose } from './loose.ts';
import { bytesOf, coder, joined } from './text.ts';

type Bytes = Uint8Array;
type Transform = new (options?: Bag) => Bag & { push(chunk: unknown): void };

/** What of it is not here, and what is said of that. */
const MISSING =
  'createSign createVerify sign verify generateKeyPair generateKeyPairSync generateKey generateKeySync createPrivateKey createPublicKey createDiffieHellman createECDH publicEncrypt privateDecrypt X509Certificate';

export function cryptoModule(
  { host }: Guest,
  library: (id: string) => Loose,
  later: (run: () => void) => void,
): Bag {
  const { Buffer } = library('buffer') as unknown as {
    Buffer: {
      from(data: unknown, encoding?: unknown): Bytes & { toString(encoding?: unknown): string };
    };
  };
  const { Transform } = library('stream') as unknown as { Transform: Transform };
  const { codes } = library('internal/errors') as unknown as {
    codes: Codes;
  };
  const wrongType = (name: string, expected: string[], value: unknown): Error => {
    const Wrong = codes['ERR_INVALID_ARG_TYPE'] ?? (TypeError as Codes[string]);
    return new Wrong(name, expected, value);
  };
  const bytesFrom = (data: unknown, encoding?: unknown, name = 'data'): Bytes => {
    if (typeof data === 'string')
      return coder(host).encode(
        data,
        typeof encoding === 'string' && encoding !== 'buffer' ? encoding : 'utf8',
      );
    if (ArrayBuffer.isView(data) || data instanceof ArrayBuffer) return bytesOf(data);
    if (data instanceof SecretKey) return data.bytes;
    throw wrongType(name, ['string', 'Buffer', 'TypedArray', 'DataView'], data);
  };
  const shown = (bytes: Bytes, encoding?: unknown): unknown => {
    const buffer = Buffer.from(bytes);
    return encoding === undefined || encoding === 'buffer' ? buffer : buffer.toString(encoding);
  };
  const ask = <T>(name: string, ...args: unknown[]): T => {
    const answer = host(name, ...args) as
      | { value: T }
      | { wrong: string; code: string | null; kind: string };
    if (!('wrong' in answer)) return answer.value;
    const Kind =
      ({ RangeError, TypeError } as Record<string, ErrorConstructor>)[answer.kind] ?? Error;
    const error = new Kind(answer.wrong);
    throw answer.code === null ? error : Object.assign(error, { code: answer.code });
  };
  class SecretKey {
    readonly type = 'secret';
    readonly #bytes: Bytes;
    constructor(bytes: Bytes) {
      this.#bytes = bytes;
    }
    get bytes(): Bytes {
      return this.#bytes;
    }
    export(): unknown {
      return Buffer.from(this.#bytes);
    }
    get symmetricKeySize(): number {
      return this.#bytes.length;
    }
  }
  class Digest extends Transform {
    readonly #name: string;
    readonly #key: Bytes | null;
    readonly #length: unknown;
    #parts: Bytes[];
    #isDone = false;
    constructor(name: string, key: Bytes | null, length: unknown, parts: Bytes[] = []) {
      super();
      this.#name = name;
      this.#key = key;
      this.#length = length;
      this.#parts = parts;
    }
    update(data: unknown, encoding?: unknown): this {
      if (this.#isDone)
        throw Object.assign(new Error('Digest already called'), {
          code: 'ERR_CRYPTO_HASH_FINALIZED',
        });
      this.#parts.push(bytesFrom(data, encoding).slice());
      return this;
    }
    digest(encoding?: unknown): unknown {
      if (this.#isDone)
        throw Object.assign(new Error('Digest already called'), {
          code: 'ERR_CRYPTO_HASH_FINALIZED',
        });
      this.#isDone = true;
      return shown(
        ask<Bytes>('digest', this.#name, joined(this.#parts), this.#key, this.#length),
        encoding,
      );
    }
    copy(): Digest {
      return new Digest(this.#name, this.#key, this.#length, [...this.#parts]);
    }
    _transform(chunk: unknown, encoding: unknown, done: () => void): void {
      this.update(chunk, encoding);
      done();
    }
    _flush(done: () => void): void {
      this.push(this.digest());
      done();
    }
  }
  const digestOf = (name: unknown, key: Bytes | null, length: unknown): Digest => {
    if (typeof name !== 'string') throw wrongType('algorithm', ['string'], name);
    ask('digest', name, new Uint8Array(), key, length);
    return new Digest(name, key, length);
  };
  class Cipher extends Transform {
    readonly #call: string;
    readonly #given: unknown[];
    #parts: Bytes[] = [];
    #aad: Bytes | null = null;
    #tag: Bytes | null = null;
    #pads = true;
    constructor(call: string, ...given: unknown[]) {
      super();
      this.#call = call;
      this.#given = given;
    }
    /** All of it comes with the end: the parts are one text. */
    update(data: unknown, encoding?: unknown, output?: unknown): unknown {
      this.#parts.push(bytesFrom(data, encoding).slice());
      return shown(new Uint8Array(), output);
    }
    final(output?: unknown): unknown {
      const { out, tag } = ask<{ out: Bytes; tag: Bytes | null }>(
        this.#call,
        ...this.#given,
        joined(this.#parts),
        this.#aad,
        this.#tag,
        this.#pads,
      );
      this.#tag = tag;
      return shown(out, output);
    }
    setAAD(data: unknown): this {
      this.#aad = bytesFrom(data);
      return this;
    }
    setAuthTag(data: unknown): this {
      this.#tag = bytesFrom(data);
      return this;
    }
    getAuthTag(): unknown {
      return Buffer.from(this.#tag ?? new Uint8Array());
    }
    setAutoPadding(pads = true): this {
      this.#pads = pads;
      return this;
    }
    _transform(chunk: unknown, encoding: unknown, done: () => void): void {
      this.update(chunk, encoding);
      done();
    }
    _flush(done: () => void): void {
      this.push(this.final());
      done();
    }
  }
  const cipher = (call: string) => (name: string, key: unknown, iv: unknown) =>
    new Cipher(
      call,
      name,
      bytesFrom(key, 'utf8', 'key'),
      iv === null ? null : bytesFrom(iv, 'utf8', 'iv'),
    );
  const random = (count: number): Bytes => host('randomBytes', count) as Bytes;
  const randomBytes = (count: number, done?: (error: null, bytes: unknown) => void): unknown => {
    const bytes = Buffer.from(random(count));
    if (done === undefined) return bytes;
    later(() => done(null, bytes));
    return undefined;
  };
  const fillRandom = (view: Bytes, offset = 0, size = view.byteLength - offset): unknown => {
    bytesOf(view).set(random(size), offset);
    return view;
  };
  const randomInt = (
    first: number,
    second?: unknown,
    third?: (error: null, value: number) => void,
  ): unknown => {
    const [low, high] = typeof second === 'number' ? [first, second] : [0, first];
    const done = typeof second === 'function' ? (second as typeof third) : third;
    if (!Number.isSafeInteger(low) || !Number.isSafeInteger(high) || high <= low) {
      const Wrong = codes['ERR_OUT_OF_RANGE'] ?? (RangeError as Codes[string]);
      throw new Wrong('max', `greater than the value of "min" (${low})`, high);
    }
    const range = high - low;
    const limit = 2 ** 48 - (2 ** 48 % range);
    let value = limit;
    while (value >= limit) value = [...random(6)].reduce((sum, byte) => sum * 256 + byte, 0);
    const result = low + (value % range);
    if (done === undefined) return result;
    later(() => done(null, result));
    return undefined;
  };
  const randomUUID = (): string => {
    const bytes = random(16);
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      hex.slice(12, 16),
      hex.slice(16, 20),
      hex.slice(20),
    ].join('-');
  };
  const timingSafeEqual = (one: Bytes, other: Bytes): boolean => {
    const [a, b] = [bytesOf(one), bytesOf(other)];
    if (a.length !== b.length) {
      const error = new RangeError('Input buffers must have the same byte length');
      throw Object.assign(error, { code: 'ERR_CRYPTO_TIMING_SAFE_EQUAL_LENGTH' });
    }
    return a.reduce((different, byte, index) => different | (byte ^ (b[index] ?? 0)), 0) === 0;
  };
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
    createSecretKey: (key: unknown, encoding?: unknown) =>
      new SecretKey(bytesFrom(key, encoding, 'key')),
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
