/** `zlib`: each call packs or unpacks a whole, which the host does; a stream does so at its end. */
import type { Bag, Codes, Guest, Loose } from './loose.ts';
import { bytesOf, coder } from './text.ts';

const KINDS = [
  'Gzip',
  'Gunzip',
  'Deflate',
  'Inflate',
  'DeflateRaw',
  'InflateRaw',
  'Unzip',
  'BrotliCompress',
  'BrotliDecompress',
  'ZstdCompress',
  'ZstdDecompress',
];

type Bytes = Uint8Array;
type Done = (error: unknown, result?: unknown) => void;

export function zlibModule(
  { host }: Guest,
  library: (id: string) => Loose,
  constants: Bag,
  later: (run: () => void) => void,
): Bag {
  const { Buffer } = library('buffer') as unknown as {
    Buffer: { from(bytes: Bytes): Bytes; concat(all: Bytes[]): Bytes };
  };
  const { Transform } = library('stream') as unknown as {
    Transform: new (options?: Bag) => Bag & { push(chunk: unknown): void };
  };
  const { codes } = library('internal/errors') as unknown as {
    codes: Codes;
  };
  const bytesFrom = (data: unknown): Bytes => {
    if (typeof data === 'string') return coder(host).encode(data, 'utf8');
    if (ArrayBuffer.isView(data) || data instanceof ArrayBuffer) return bytesOf(data);
    const Wrong = codes['ERR_INVALID_ARG_TYPE'] ?? (TypeError as Codes[string]);
    throw new Wrong('buffer', ['string', 'Buffer', 'TypedArray', 'DataView', 'ArrayBuffer'], data);
  };
  const run = (name: string, data: unknown, options: Bag = {}): Bytes => {
    const plain = Object.fromEntries(
      Object.entries(options).filter(
        ([, value]) => typeof value === 'number' || name.startsWith('brotli'),
      ),
    );
    const answer = host('compress', name, bytesFrom(data), JSON.stringify(plain)) as
      | { value: Bytes }
      | { wrong: string; code: string | null; errno: number | null };
    if ('value' in answer) return Buffer.from(answer.value);
    const { wrong, code, errno } = answer;
    throw Object.assign(
      new Error(wrong),
      errno === null ? {} : { errno },
      code === null ? {} : { code },
    );
  };
  const module: Bag = { constants, codes: {} };
  for (const kind of KINDS) {
    const name = kind.charAt(0).toLowerCase() + kind.slice(1);
    class Packer extends Transform {
      readonly #options: Bag;
      readonly #parts: Bytes[] = [];
      constructor(options: Bag = {}) {
        super();
        this.#options = options;
      }
      _transform(chunk: Bytes, _encoding: unknown, done: Done): void {
        this.#parts.push(bytesFrom(chunk));
        done(null);
      }
      _flush(done: Done): void {
        try {
          this.push(run(name, Buffer.concat(this.#parts), this.#options));
        } catch (error) {
          done(error);
          return;
        }
        done(null);
      }
    }
    Object.defineProperty(Packer, 'name', { value: kind });
    module[kind] = Packer;
    module[`create${kind}`] = (options?: Bag) => new Packer(options);
    module[`${name}Sync`] = (data: unknown, options?: Bag) => run(name, data, options);
    module[name] = (data: unknown, given: Bag | Done, more?: Done) => {
      const done = (typeof given === 'function' ? given : more) as Done;
      later(() => {
        let result: Bytes;
        try {
          result = run(name, data, typeof given === 'function' ? {} : given);
        } catch (error) {
          done(error);
          return;
        }
        done(null, result);
      });
    };
  }
  module['crc32'] = (data: unknown, value = 0) => host('crc32', bytesFrom(data), value);
  return module;
}
