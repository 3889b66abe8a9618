/** What all of `crypto` stands on: bytes of what scripts hand over, and the host, which computes. */
import type { Codes, Guest, Loose } from './loose.ts';
import { bytesOf, coder } from './text.ts';

export type Bytes = Uint8Array;
export type CryptoTools = ReturnType<typeof cryptoTools>;

/** A key that is bytes, as `createSecretKey` makes one. */
export class SecretKey {
  readonly type = 'secret';
  readonly bytes: Bytes;
  readonly #shown: () => unknown;
  /** @param shown makes a Buffer of its bytes */
  constructor(bytes: Bytes, shown: () => unknown) {
    this.bytes = bytes;
    this.#shown = shown;
  }
  export(): unknown {
    return this.#shown();
  }
  get symmetricKeySize(): number {
    return this.bytes.length;
  }
}

/** @param library of the library */
export function cryptoTools({ host }: Guest, library: (id: string) => Loose) {
  const { Buffer } = library('buffer') as unknown as {
    Buffer: {
      from(data: unknown, encoding?: unknown): Bytes & { toString(encoding?: unknown): string };
    };
  };
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
  return { host, Buffer, codes, wrongType, bytesFrom, shown, ask };
}
