/** What the guest asks the host to compute: digests, compression, languages. It reaches nothing. */
import * as crypto from 'node:crypto';
import * as zlib from 'node:zlib';
import type { HostCalls } from '../engine.ts';
import type { Crossing } from '../guest/loose.ts';

const bytes = (value: Crossing): Buffer => {
  if (!(value instanceof Uint8Array)) throw new Error('no bytes');
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
};
const text = (value: Crossing): string => String(value);

/** What a bomb may unpack to. Bytes. */
const MOST_UNPACKED = 256 * 1024 * 1024;

type Compress = (data: Buffer, options: object) => Buffer;

const COMPRESSIONS = new Map<string, Compress>([
  ['gzip', zlib.gzipSync],
  ['gunzip', zlib.gunzipSync],
  ['deflate', zlib.deflateSync],
  ['inflate', zlib.inflateSync],
  ['deflateRaw', zlib.deflateRawSync],
  ['inflateRaw', zlib.inflateRawSync],
  ['unzip', zlib.unzipSync],
  ['brotliCompress', zlib.brotliCompressSync],
  ['brotliDecompress', zlib.brotliDecompressSync],
  ...(zlib.zstdCompressSync === undefined
    ? []
    : ([
        ['zstdCompress', zlib.zstdCompressSync],
        ['zstdDecompress', zlib.zstdDecompressSync],
      ] as [string, Compress][])),
]);

/** Runs what may refuse, and tells why, with the code of the error. */
function told(run: () => Crossing): Crossing {
  try {
    return { value: run() };
  } catch (error) {
    const { message, code, errno, name } = error as Error & { code?: string; errno?: number };
    return { wrong: message, code: code ?? null, errno: errno ?? null, kind: name };
  }
}

function ciphered(
  isEncrypting: boolean,
  [name, key, iv, data, aad, tag, pads]: Crossing[],
): Crossing {
  const make = isEncrypting ? crypto.createCipheriv : crypto.createDecipheriv;
  const algorithm = text(name ?? '') as crypto.CipherGCMTypes;
  const cipher = make(algorithm, bytes(key), iv === null ? (null as never) : bytes(iv)) as
    | crypto.CipherGCM
    | crypto.DecipherGCM;
  if (aad instanceof Uint8Array) cipher.setAAD(bytes(aad));
  if ('setAuthTag' in cipher && tag instanceof Uint8Array) cipher.setAuthTag(bytes(tag));
  if (pads === false) cipher.setAutoPadding(false);
  const out = Buffer.concat([cipher.update(bytes(data)), cipher.final()]);
  const isAuthenticated = isEncrypting && /gcm|ccm|ocb|poly1305/i.test(algorithm);
  return { out, tag: isAuthenticated && 'getAuthTag' in cipher ? cipher.getAuthTag() : null };
}

/** Formatters by their locales and options: making one takes longer than using it. */
export function computeCalls(): HostCalls {
  const formatters = new Map<string, unknown>();
  const formatter = <T>(kind: string, locales: Crossing, options: Crossing): T => {
    const key = JSON.stringify([kind, locales, options]);
    let made = formatters.get(key);
    if (made === undefined) {
      const Kind = (Intl as unknown as Record<string, new (...args: unknown[]) => unknown>)[kind];
      if (Kind === undefined) throw new Error(`Intl.${kind} is not a constructor`);
      made = new Kind(parsed(locales), parsed(options));
      formatters.set(key, made);
    }
    return made as T;
  };
  return {
    digest: (name, data, key, length) =>
      told(() => {
        const given = length === null ? {} : { outputLength: Number(length) };
        const hash =
          key instanceof Uint8Array
            ? crypto.createHmac(text(name), bytes(key))
            : crypto.createHash(text(name), given);
        return hash.update(bytes(data)).digest();
      }),
    hashes: () => crypto.getHashes(),
    ciphers: () => crypto.getCiphers(),
    pbkdf2: (password, salt, rounds, length, digest) =>
      told(() =>
        crypto.pbkdf2Sync(
          bytes(password),
          bytes(salt),
          Number(rounds),
          Number(length),
          text(digest),
        ),
      ),
    scrypt: (password, salt, length, options) =>
      told(() =>
        crypto.scryptSync(bytes(password), bytes(salt), Number(length), parsed(options) as object),
      ),
    hkdf: (digest, key, salt, info, length) =>
      told(() =>
        Buffer.from(
          crypto.hkdfSync(text(digest), bytes(key), bytes(salt), bytes(info), Number(length)),
        ),
      ),
    encipher: (...args) => told(() => ciphered(true, args)),
    decipher: (...args) => told(() => ciphered(false, args)),
    compress: (name, data, options) =>
      told(() => {
        const run = COMPRESSIONS.get(text(name));
        if (run === undefined) throw new Error(`${text(name)} is not here`);
        const given = parsed(options) as Record<string, unknown>;
        const limit = Math.min(Number(given['maxOutputLength'] ?? MOST_UNPACKED), MOST_UNPACKED);
        return run(bytes(data), { ...given, maxOutputLength: limit });
      }),
    crc32: (data, value) => zlib.crc32(bytes(data), Number(value)),
    compare: (one, other, locales, options) =>
      formatter<Intl.Collator>('Collator', locales, options).compare(text(one), text(other)),
    formatNumber: (value, locales, options) =>
      told(() =>
        formatter<Intl.NumberFormat>('NumberFormat', locales, options).format(numeric(value)),
      ),
    formatDate: (time, locales, options) =>
      told(() =>
        formatter<Intl.DateTimeFormat>('DateTimeFormat', locales, options).format(Number(time)),
      ),
    zoneName: (time, zone) =>
      new Intl.DateTimeFormat('en-US', { timeZone: text(zone), timeZoneName: 'long' })
        .formatToParts(Number(time))
        .find(({ type }) => type === 'timeZoneName')?.value ?? text(zone),
    /** Any other of them: kind, method, locales, options and arguments, as JSON. */
    intl: (kind, method, locales, options, args) =>
      told(() => {
        const made = formatter<Record<string, (...all: unknown[]) => unknown>>(
          text(kind),
          locales,
          options,
        );
        const result = made[text(method)]?.(...(parsed(args) as unknown[]));
        return JSON.stringify(isIterable(result) ? [...result] : result) ?? null;
      }),
    localeCase: (value, locale, isUpper) =>
      isUpper === true
        ? text(value).toLocaleUpperCase(parsed(locale) as string)
        : text(value).toLocaleLowerCase(parsed(locale) as string),
    supportedLocales: (kind, locales) =>
      told(() => {
        const Kind = (
          Intl as unknown as Record<string, { supportedLocalesOf(all: unknown): string[] }>
        )[text(kind)];
        return Kind?.supportedLocalesOf(parsed(locales)) ?? [];
      }),
  };
}

const parsed = (json: Crossing): unknown =>
  typeof json === 'string' ? (JSON.parse(json) as unknown) : undefined;
const numeric = (value: Crossing): number | bigint =>
  typeof value === 'string' ? BigInt(value) : Number(value);
const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' && value !== null && Symbol.iterator in value && !Array.isArray(value);
