/** What bzip2, xz and zstd have of their own: endings, words and codecs. */
import { constants, zstdCompressSync } from 'node:zlib';
import { CompressionError, MAX_BYTES } from '../support/compression.ts';
import type { Options } from '../support/getopt.ts';
import { unzstd } from '../support/zstd.ts';
import type { SevenZip } from './seven-zip.ts';

/** How one of them says what happened to a file. */
export interface Words {
  missing(name: string, why: string): string;
  exists(target: string): string;
  directory(name: string): string;
  /** A name that is none of a packed file. */
  suffix(name: string): string;
  /** Data that is none of this format. */
  format(name: string): string;
  /** Data that is broken. */
  broken(name: string, why: string): string;
}

export interface Family {
  name: 'bzip2' | 'xz' | 'zstd';
  /** Endings of packed files, and what they become; the first is given to new ones. */
  suffixes: ReadonlyArray<readonly [packed: string, plain: string]>;
  magic: string;
  /** The file goes once the other is there, unless it is kept. */
  removes: boolean;
  /** How standard input is called in messages. */
  stdin: string;
  /** The status after a file that is passed over. */
  skipped: number;
  /** The status after data that is no good. */
  corrupt: number;
  words: Words;
  defaultLevel: number;
  compress(data: Buffer, level: number, options: Options): Promise<Buffer>;
  decompress(data: Buffer): Promise<Buffer>;
}

const bzip2Broken = (name: string, why: string): string =>
  why.startsWith('Unexpected')
    ? `Compressed file ends unexpectedly;\n\tperhaps it is corrupted?  (input file = ${name})`
    : `Data integrity error when decompressing.\n\tInput file = ${name}`;

export function families(sevenZip: SevenZip): Readonly<Record<Family['name'], Family>> {
  return {
    bzip2: {
      name: 'bzip2',
      suffixes: [
        ['.bz2', ''],
        ['.bz', ''],
        ['.tbz2', '.tar'],
        ['.tbz', '.tar'],
      ],
      magic: 'BZh',
      removes: true,
      stdin: '(stdin)',
      skipped: 1,
      corrupt: 2,
      defaultLevel: 9,
      words: {
        missing: (name, why) => `Can't open input file ${name}: ${why}.`,
        exists: (target) => `Output file ${target} already exists.`,
        directory: (name) => `Input file ${name} is a directory.`,
        suffix: (name) => `Can't guess original name for ${name} -- using ${name}.out`,
        format: (name) => `${name} is not a bzip2 file.`,
        broken: bzip2Broken,
      },
      compress: (data, level) => sevenZip.compress(data, 'bzip2', level),
      decompress: (data) => sevenZip.decompress(data, 'bzip2'),
    },
    xz: {
      name: 'xz',
      suffixes: [
        ['.xz', ''],
        ['.txz', '.tar'],
      ],
      magic: '\xfd7zXZ\0',
      removes: true,
      stdin: '(stdin)',
      skipped: 2,
      corrupt: 1,
      defaultLevel: 6,
      words: {
        missing: (name, why) => `${name}: ${why}`,
        exists: (target) => `${target}: File exists`,
        directory: (name) => `${name}: Is a directory, skipping`,
        suffix: (name) => `${name}: Filename has an unknown suffix, skipping`,
        format: (name) => `${name}: File format not recognized`,
        broken: (name, why) => `${name}: ${why}`,
      },
      compress: (data, level) => sevenZip.compress(data, 'xz', level),
      decompress: (data) => sevenZip.decompress(data, 'xz'),
    },
    zstd: {
      name: 'zstd',
      suffixes: [
        ['.zst', ''],
        ['.tzst', '.tar'],
      ],
      magic: '\x28\xb5\x2f\xfd',
      removes: false,
      stdin: '/*stdin*\\',
      skipped: 1,
      corrupt: 1,
      defaultLevel: 3,
      words: {
        missing: (name, why) => `can't stat ${name} : ${why} -- ignored `,
        exists: (target) => `${target} already exists; not overwritten  `,
        directory: (name) => `${name} is a directory -- ignored `,
        suffix: (name) =>
          `${name}: unknown suffix (.zst/.tzst expected). Can't derive the output file name. Specify it with -o dstFileName. Ignoring.`,
        format: (name) => `${name}: unsupported format `,
        broken: (name, why) => `${name} : Decoding error (36) : ${why} `,
      },
      compress: async (data, level) =>
        zstdCompressSync(data, {
          pledgedSrcSize: data.length,
          params: {
            [constants.ZSTD_c_compressionLevel]: level,
            [constants.ZSTD_c_checksumFlag]: 1,
          },
        }),
      decompress: async (data) => {
        try {
          return unzstd(data, MAX_BYTES);
        } catch (error) {
          if (!(error instanceof Error)) throw error;
          throw new CompressionError(error.message, { cause: error });
        }
      },
    },
  };
}
