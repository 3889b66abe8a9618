/** bzip2, xz and zstd, with the names under which they unpack and print. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { CompressionError } from '../support/compression.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { isLink, isThere } from '../support/links.ts';
import { defineTool, strerror, type Tool } from '../support/tool.ts';
import { type Family, families } from './family.ts';
import { SevenZip } from './seven-zip.ts';

const LONG = {
  stdout: 'c',
  'to-stdout': 'c',
  decompress: 'd',
  uncompress: 'd',
  compress: 'z',
  force: 'f',
  keep: 'k',
  list: 'l',
  quiet: 'q',
  silent: 'q',
  suffix: 'S:',
  test: 't',
  threads: 'T:',
  verbose: 'v',
  extreme: 'e',
  check: 'C:',
  format: 'F:',
  small: 's',
  fast: 'fast::',
  best: '9',
  rm: 'rm',
  ultra: 'ultra',
  long: 'long::',
  'no-progress': 'ignored',
  'no-check': 'ignored',
} as const;

const SHORT: Readonly<Record<Family['name'], string>> = {
  bzip2: 'cdfkqstvzLV0123456789',
  xz: 'cC:deF:fkl0123456789qS:tT:vz',
  zstd: 'cdfklo:qrtT:vz0123456789',
};

/** One run over its operands. */
class Run {
  readonly #tool: Tool;
  readonly #family: Family;
  readonly #options: Options;
  readonly #unpacks: boolean;
  readonly #tests: boolean;
  readonly #prints: boolean;

  constructor(tool: Tool, family: Family, options: Options, unpacks: boolean, prints: boolean) {
    this.#tool = tool;
    this.#family = family;
    this.#options = options;
    const last = options.seen.findLast(([key]) => 'dzt'.includes(key))?.[0];
    this.#unpacks = last === undefined ? unpacks : last !== 'z';
    this.#tests = last === 't';
    this.#prints = prints || options.has('c');
  }

  async operand(name: string): Promise<void> {
    const { words } = this.#family;
    if (name === '-') return this.#stdin();
    const { fs } = this.#tool;
    try {
      const stat = await fs.stat(this.#tool.path(name));
      if (stat.isDirectory) return this.#say(words.directory(name), this.#family.skipped);
      const data = await this.#tool.readBytes(name);
      await this.#file(name, data, stat);
    } catch (error) {
      const why = strerror(error);
      if (why === undefined) throw error;
      this.#say(words.missing(name, why), 1);
    }
  }

  #say(text: string, status: number): void {
    this.#tool.stderr += `${this.#family.name === 'zstd' ? 'zstd' : this.#tool.name}: ${text}\n`;
    this.#tool.status = Math.max(this.#tool.status, status);
  }

  async #stdin(): Promise<void> {
    const data = Buffer.from(this.#tool.stdin, 'latin1');
    const out = await this.#transform(data, this.#family.stdin);
    if (out === undefined || this.#tests) return;
    const file = this.#options.get('o');
    if (file === undefined) this.#tool.write(out.toString('latin1'));
    else await this.#tool.attempt(file, () => this.#tool.fs.writeFile(this.#tool.path(file), out));
  }

  #target(name: string): string | undefined {
    const { suffixes, words, name: family, skipped } = this.#family;
    const own = this.#options.get('S');
    const all = own === undefined ? suffixes : [[own, ''] as const, ...suffixes];
    const found = all.find(([packed]) => name.endsWith(packed) && name.length > packed.length);
    if (!this.#unpacks) {
      if (found === undefined || family === 'zstd') return name + (all[0]?.[0] ?? '');
      this.#say(
        family === 'xz'
          ? `${name}: File already has \`${found[0]}' suffix, skipping`
          : `Input file ${name} already has ${found[0]} suffix.`,
        skipped,
      );
      return undefined;
    }
    if (found !== undefined) return name.slice(0, -found[0].length) + found[1];
    this.#say(words.suffix(name), family === 'bzip2' ? 0 : skipped === 2 ? 2 : 1);
    return family === 'bzip2' ? `${name}.out` : undefined;
  }

  async #file(name: string, data: Buffer, stat: { mode: number; mtime: Date }): Promise<void> {
    const tool = this.#tool;
    const options = this.#options;
    const prints = this.#prints && options.get('o') === undefined;
    // xz looks at what it is before it looks at how it is called.
    if (this.#family.name === 'xz' && this.#unpacks && !prints && !this.#isKnown(data))
      return this.#say(this.#family.words.format(name), this.#family.corrupt);
    const target = prints || this.#tests ? name : (options.get('o') ?? this.#target(name));
    if (target === undefined) return;
    if (
      !prints &&
      !this.#tests &&
      !options.has('f') &&
      (await isThere(tool.fs, tool.path(target)))
    ) {
      return this.#say(this.#family.words.exists(target), 1);
    }
    const out = await this.#transform(data, name);
    if (out === undefined) return;
    if (this.#tests) {
      if (options.has('v') && this.#family.name === 'bzip2') tool.stderr += `  ${name}: ok\n`;
      return;
    }
    if (prints) return tool.write(out.toString('latin1'));
    const path = tool.path(target);
    // The file is a new one: nothing is written through a link.
    if (options.has('f') && (await isLink(tool.fs, path))) await tool.fs.rm(path);
    await tool.fs.writeFile(path, out);
    await tool.fs.chmod(path, stat.mode & 0o777);
    await tool.fs.utimes(path, stat.mtime, stat.mtime);
    const removes = this.#family.removes ? !options.has('k') : options.has('rm');
    if (removes) await tool.fs.rm(tool.path(name));
  }

  async #transform(data: Buffer, name: string): Promise<Buffer | undefined> {
    await this.#tool.pulse();
    const { words, corrupt } = this.#family;
    if (!this.#unpacks) return this.#family.compress(data, this.#level(), this.#options);
    if (!this.#isKnown(data)) {
      if (this.#prints && (this.#options.has('f') || this.#tool.name === 'zstdcat')) return data;
      // An empty input unpacks to nothing, but for xz.
      if (data.length === 0 && this.#family.name !== 'xz') return this.#ended(name);
      this.#say(words.format(name), corrupt);
      return undefined;
    }
    try {
      return await this.#family.decompress(data);
    } catch (error) {
      if (!(error instanceof CompressionError)) throw error;
      this.#say(words.broken(name, error.message), corrupt);
      return undefined;
    }
  }

  #isKnown(data: Buffer): boolean {
    const { magic } = this.#family;
    return data.toString('latin1', 0, magic.length) === magic;
  }

  #ended(name: string): undefined {
    const { words, corrupt } = this.#family;
    this.#say(words.broken(name, 'Unexpected end of input'), corrupt);
    return undefined;
  }

  #level(): number {
    const fast = this.#options.get('fast');
    if (fast !== undefined) return 1;
    // `-19` is two letters to who reads them one by one.
    const digits = this.#options.seen.filter(([key]) => /^\d$/.test(key)).map(([key]) => key);
    if (digits.length === 0) return this.#family.defaultLevel;
    if (this.#family.name !== 'zstd') return Number(digits.at(-1));
    return Math.min(22, Number(digits.slice(-2).join('')));
  }
}

/** xz -l: what an archive holds, by unpacking it. */
async function list(tool: Tool, family: Family, names: readonly string[]): Promise<undefined> {
  const rows: string[] = [];
  for (const name of names) {
    const data = await tool.attempt(name, () => tool.readBytes(name));
    if (data === undefined) continue;
    if (data.toString('latin1', 0, family.magic.length) !== family.magic) {
      tool.fail(family.words.format(name));
      continue;
    }
    const plain = await family.decompress(data);
    const ratio = plain.length === 0 ? '---' : (data.length / plain.length).toFixed(3);
    rows.push(
      `${String(data.length).padStart(12)}  ${String(plain.length).padStart(12)}  ${ratio.padStart(5)}  ${name}\n`,
    );
  }
  if (rows.length > 0) tool.print(`  Compressed  Uncompressed  Ratio  Filename\n${rows.join('')}`);
}

function compressor(family: Family, unpacks: boolean, prints: boolean) {
  return async (tool: Tool): Promise<undefined> => {
    const options = tool.options({ short: SHORT[family.name], long: LONG });
    const names = options.operands.length === 0 ? ['-'] : options.operands;
    if (options.get('F') === 'lzma' || options.get('F') === 'alone')
      throw new UsageError('the old format .lzma is not here: .xz is', { hint: false });
    if (options.has('l')) return list(tool, family, options.operands);
    const run = new Run(tool, family, options, unpacks, prints);
    for (const name of names) await run.operand(name);
  };
}

const usage = (name: string): string => `Usage: ${name} [OPTION]... [FILE]...
Compress or decompress FILEs, or standard input.

  -z, --compress  -d, --decompress  -t, --test  -l, --list
  -k, --keep  -f, --force  -c, --stdout  -q, --quiet  -v, --verbose
  -0 ... -9   how much is spent on it${name.includes('zst') ? '; -1 ... -19\n  -o FILE  --rm' : ''}`;

const NAMES: ReadonlyArray<
  readonly [name: string, family: Family['name'], unpacks: boolean, prints: boolean]
> = [
  ['bzip2', 'bzip2', false, false],
  ['bunzip2', 'bzip2', true, false],
  ['bzcat', 'bzip2', true, true],
  ['xz', 'xz', false, false],
  ['unxz', 'xz', true, false],
  ['xzcat', 'xz', true, true],
  ['zstd', 'zstd', false, false],
  ['unzstd', 'zstd', true, false],
  ['zstdcat', 'zstd', true, true],
];

/** bzip2, bunzip2, bzcat, xz, unxz, xzcat, zstd, unzstd, zstdcat. */
export const xzShims: ShimFactory = (host) => {
  const all = families(new SevenZip());
  return NAMES.map(([name, family, unpacks, prints]) =>
    defineTool(host, { name, usage: usage(name) }, compressor(all[family], unpacks, prints)),
  );
};
