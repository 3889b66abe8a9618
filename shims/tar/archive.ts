/** Archives as bytes: tar itself by a library, compressed or not. */
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { DefenseInDepthBox } from 'just-bash';
import { unpackTar } from 'modern-tar';
import { CompressionError, compressionOf, decompress } from '../support/compression.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import type { Tool } from '../support/tool.ts';
import { packGnu } from './gnu-format.ts';
import type { Member } from './member.ts';

const RECORD = 10240;

const fatal = (text: string): UsageError =>
  new UsageError(`${text}\ntar: Error is not recoverable: exiting now`, { hint: false });

/** The program that options ask to compress with; for a new archive `-a` asks the name. */
function programOf(options: Options, archive: string): string | undefined {
  const given = options.get('I');
  if (given !== undefined) return given;
  if (options.has('z')) return 'gzip';
  if (options.has('j')) return 'bzip2';
  if (options.has('J')) return 'xz';
  if (options.has('zstd')) return 'zstd';
  if (!options.has('a')) return undefined;
  if (/\.(?:gz|tgz|taz)$/.test(archive)) return 'gzip';
  if (/\.(?:bz2|tbz2?|tz2)$/.test(archive)) return 'bzip2';
  if (/\.(?:xz|txz)$/.test(archive)) return 'xz';
  return /\.(?:zst|tzst)$/.test(archive) ? 'zstd' : undefined;
}

async function pipe(tool: Tool, words: readonly string[], data: Buffer): Promise<Buffer> {
  const { stdout, stderr, exitCode } = await tool.spawn(words, data.toString('latin1'));
  tool.stderr += stderr;
  if (exitCode !== 0) throw fatal(`Child returned status ${exitCode}`);
  return Buffer.from(stdout, 'latin1');
}

/** Makes an archive of members. */
export async function pack(
  tool: Tool,
  options: Options,
  archive: string,
  members: readonly Member[],
): Promise<Buffer> {
  const bare = packGnu(members);
  const filled = Buffer.alloc(Math.ceil(Math.max(bare.length, 1) / RECORD) * RECORD);
  filled.set(bare);
  const program = programOf(options, archive);
  if (program === undefined) return filled;
  if (program === 'gzip') return gzipSync(filled);
  if (program === 'zstd') return zstdCompressSync(filled);
  return pipe(tool, [...program.split(/\s+/), '-c'], filled);
}

async function unpacked(tool: Tool, options: Options, data: Buffer): Promise<Buffer> {
  const kind = compressionOf(data);
  const given = options.get('I');
  if (given !== undefined) return pipe(tool, [...given.split(/\s+/), '-dc'], data);
  if (kind === 'xz') return pipe(tool, ['xz', '-dc'], data);
  if (kind === undefined) {
    if (options.has('z')) {
      const what = data.length === 0 ? 'unexpected end of file' : 'not in gzip format';
      tool.stderr += `\ngzip: stdin: ${what}\n`;
      throw fatal('Child returned status 1');
    }
    return data;
  }
  try {
    return decompress(data, kind);
  } catch (error) {
    if (!(error instanceof CompressionError)) throw error;
    tool.stderr += `\n${kind}: stdin: ${error.message}\n`;
    throw fatal('Child returned status 1');
  }
}

/** The members of an archive. Fails with a `UsageError` in tar's words. */
export async function unpack(tool: Tool, options: Options, data: Buffer): Promise<Member[]> {
  const bare = await unpacked(tool, options, data);
  if (bare.length === 0 || (bare.length >= 512 && bare.every((byte) => byte === 0))) {
    if (bare.length > 0) return [];
    throw new UsageError(
      'This does not look like a tar archive\ntar: Exiting with failure status due to previous errors',
      { hint: false },
    );
  }
  if (!hasHeader(bare)) {
    const end =
      bare.length < 512
        ? 'Error is not recoverable: exiting now'
        : 'Exiting with failure status due to previous errors';
    const skipped = bare.length < 512 ? '' : '\ntar: Skipping to next header';
    throw new UsageError(`This does not look like a tar archive${skipped}\ntar: ${end}`, {
      hint: false,
    });
  }
  try {
    // The library streams, for which the sandbox of a running command has no timers.
    const members = await DefenseInDepthBox.runTrustedAsync(() => unpackTar(bare));
    // A missing end is no fault to GNU, content that is cut off is one.
    if (
      members.every(
        ({ header, data }) => (data?.length ?? 0) === (data === undefined ? 0 : header.size),
      )
    ) {
      return members;
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    throw fatal(`Unexpected EOF in archive (${error.message})`);
  }
  throw fatal('Unexpected EOF in archive');
}

/** Is the sum of the first header right? */
function hasHeader(data: Buffer): boolean {
  if (data.length < 512) return false;
  const stored = parseInt(data.toString('latin1', 148, 156).replace(/\0.*$/s, '').trim(), 8);
  let sum = 0;
  for (let i = 0; i < 512; i++) sum += i >= 148 && i < 156 ? 32 : (data[i] ?? 0);
  return sum === stored;
}
