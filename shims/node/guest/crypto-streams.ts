/** Digests and ciphers of `crypto`: streams, of which the host computes the end. */
import type { Bytes, CryptoTools } from './crypto-tools.ts';
import type { Bag } from './loose.ts';
import { joined } from './text.ts';

export type Transform = new (options?: Bag) => Bag & { push(chunk: unknown): void };

/** Makes the digests, with a key those of HMAC. */
export function digests(
  Transform: Transform,
  { wrongType, bytesFrom, shown, ask }: CryptoTools,
): (name: unknown, key: Bytes | null, length: unknown) => Bag {
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
  return (name: unknown, key: Bytes | null, length: unknown): Digest => {
    if (typeof name !== 'string') throw wrongType('algorithm', ['string'], name);
    ask('digest', name, new Uint8Array(), key, length);
    return new Digest(name, key, length);
  };
}

/** Makes what enciphers and what deciphers. */
export function ciphers(
  Transform: Transform,
  { Buffer, bytesFrom, shown, ask }: CryptoTools,
): (call: string) => (name: string, key: unknown, iv: unknown) => Bag {
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
  return (call: string) => (name: string, key: unknown, iv: unknown) =>
    new Cipher(
      call,
      name,
      bytesFrom(key, 'utf8', 'key'),
      iv === null ? null : bytesFrom(iv, 'utf8', 'iv'),
    );
}
