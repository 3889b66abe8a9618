/** gzip, gunzip and zcat. */
import { gzipSync } from 'node:zlib';
import type { ShimFactory } from '../../src/shell/command.ts';
import { CompressionError, gunzip } from '../support/compression.ts';
import type { Options } from '../support/getopt.ts';
import { isLink, isThere } from '../support/links.ts';
import { defineTool, type Tool } from '../support/tool.ts';
import { nameIn, withHeader } from './header.ts';

const LONG = {
  ascii: 'a',
  stdout: 'c',
  'to-stdout': 'c',
  decompress: 'd',
  uncompress: 'd',
  force: 'f',
  keep: 'k',
  list: 'l',
  'no-name': 'n',
  name: 'N',
  quiet: 'q',
  silent: 'q',
  recursive: 'r',
  suffix: 'S:',
  test: 't',
  verbose: 'v',
  fast: '1',
  best: '9',
  rsyncable: 'rsyncable',
} as const;

/** Names that unpack to another ending than none. */
const ARCHIVES: Readonly<Record<string, string>> = { '.tgz': '.tar', '.taz': '.tar' };

/** A share of bytes that was saved, as gzip prints it. */
function ratio(saved: number, of: number): string {
  return `${(of === 0 ? 0 : (100 * saved) / of).toFixed(1).padStart(5)}%`;
}

/** Bytes between header and trailer: those are not what compression saves. */
function bodyLength(packed: Buffer): number {
  return packed.length - (18 + (nameIn(packed)?.length ?? -1) + 1);
}

/** One run of gzip over its operands. */
class Gzip {
  readonly #tool: Tool;
  readonly #options: Options;
  readonly #suffix: string;
  readonly #unpacks: boolean;
  readonly #total = { packed: 0, size: 0, files: 0 };

  constructor(tool: Tool, options: Options, unpacks: boolean) {
    this.#tool = tool;
    this.#options = options;
    this.#suffix = options.get('S') ?? '.gz';
    this.#unpacks = unpacks || options.has('l') || options.has('t');
  }

  async run(names: readonly string[]): Promise<void> {
    if (names.length === 0) names = ['-'];
    if (this.#options.has('l') && !this.#options.has('q')) {
      this.#tool.print('         compressed        uncompressed  ratio uncompressed_name\n');
    }
    for (const name of names) await this.#operand(name);
    const { packed, size, files } = this.#total;
    if (this.#options.has('l') && files > 1) this.#row(packed, size, size - packed, '(totals)');
  }

  async #operand(name: string): Promise<void> {
    if (name === '-') return this.#stdin();
    const path = await this.#existing(name);
    if (path === undefined) return;
    await this.#tool.attempt(path, async () => {
      const { fs } = this.#tool;
      const stat = await fs.stat(this.#tool.path(path));
      if (stat.isDirectory) return this.#directory(path);
      const link = await fs.lstat(this.#tool.path(path));
      const isKept = this.#options.has('c') || this.#options.has('t') || this.#options.has('l');
      if (link.isSymbolicLink && !isKept && !this.#options.has('f')) {
        this.#warn(`${path}: Too many levels of symbolic links`, 1);
        return;
      }
      await this.#file(path, await this.#tool.readBytes(path));
    });
  }

  /** What is meant by a name: to unpack, `f` may be `f.gz`. */
  async #existing(name: string): Promise<string | undefined> {
    const { fs } = this.#tool;
    if (!this.#unpacks || (await fs.exists(this.#tool.path(name)))) return name;
    const longer = name + this.#suffix;
    if (!name.endsWith(this.#suffix) && (await fs.exists(this.#tool.path(longer)))) return longer;
    this.#tool.fail(
      `${longer === name ? name : name.endsWith(this.#suffix) ? name : longer}: No such file or directory`,
    );
    return undefined;
  }

  async #directory(path: string): Promise<void> {
    if (!this.#options.has('r')) {
      this.#warn(`${path} is a directory -- ignored`, 2);
      return;
    }
    for (const entry of await this.#tool.fs.readdirWithFileTypes(this.#tool.path(path))) {
      await this.#operand(`${path.replace(/\/+$/, '')}/${entry.name}`);
    }
  }

  /** A warning keeps an error's status. */
  #warn(text: string, status: number): void {
    if (!this.#options.has('q')) this.#tool.warn(text);
    if (this.#tool.status === 0) this.#tool.status = status;
  }

  #stdin(): void {
    const data = Buffer.from(this.#tool.stdin, 'latin1');
    if (this.#options.has('l')) return void this.#list('-', data);
    const out = this.#unpacks ? this.#unpack(data, 'stdin') : this.#pack(data, undefined);
    if (out !== undefined && !this.#options.has('t')) this.#tool.write(out.toString('latin1'));
  }

  async #file(name: string, data: Buffer): Promise<void> {
    await this.#tool.pulse();
    if (this.#options.has('l')) return this.#list(name, data);
    if (
      !this.#unpacks &&
      name.endsWith(this.#suffix) &&
      !this.#options.has('c') &&
      !this.#options.has('f')
    ) {
      if (!this.#options.has('r'))
        this.#warn(`${name} already has ${this.#suffix} suffix -- unchanged`, 0);
      return;
    }
    const target = this.#unpacks ? this.#unpackedName(name, data) : name + this.#suffix;
    if (target === undefined) return;
    const stat = await this.#tool.fs.stat(this.#tool.path(name));
    const out = this.#unpacks
      ? this.#unpack(data, name)
      : this.#pack(data, { name, mtime: stat.mtime });
    if (out === undefined) return;
    if (this.#options.has('t')) {
      if (this.#options.has('v')) this.#tool.stderr += `${name}:\t OK\n`;
      return;
    }
    if (this.#options.has('c')) return void this.#tool.write(out.toString('latin1'));
    await this.#replace(name, target, out, stat);
    this.#tell(name, target, data, out);
  }

  #unpackedName(name: string, data: Buffer): string | undefined {
    if (this.#options.has('c') || this.#options.has('t')) return name;
    const folder = name.slice(0, name.lastIndexOf('/') + 1);
    const stored = this.#options.has('N') ? nameIn(data) : undefined;
    if (stored !== undefined) return folder + stored.slice(stored.lastIndexOf('/') + 1);
    for (const suffix of [this.#suffix, '.gz', '-gz', '.z', '-z', '_z', '.Z']) {
      if (name.endsWith(suffix) && name.length > folder.length + suffix.length)
        return name.slice(0, -suffix.length);
    }
    for (const [from, to] of Object.entries(ARCHIVES)) {
      if (name.endsWith(from)) return name.slice(0, -from.length) + to;
    }
    this.#warn(`${name}: unknown suffix -- ignored`, 2);
    return undefined;
  }

  #unpack(data: Buffer, name: string): Buffer | undefined {
    const isGzip = data[0] === 0x1f && data[1] === 0x8b;
    // As zcat does it: -f with -c hands on what is not compressed.
    if (!isGzip && this.#options.has('c') && this.#options.has('f')) return data;
    try {
      if (!isGzip)
        throw new CompressionError(
          data.length === 0 ? 'unexpected end of file' : 'not in gzip format',
        );
      return gunzip(data);
    } catch (error) {
      if (!(error instanceof CompressionError)) throw error;
      this.#tool.stderr += `\n${this.#tool.name}: ${name}: ${error.message}\n`;
      this.#tool.status = 1;
      return undefined;
    }
  }

  #pack(data: Buffer, file: { name: string; mtime: Date } | undefined): Buffer {
    const level = Number(this.#options.seen.findLast(([key]) => /^\d$/.test(key))?.[0] ?? 6);
    return withHeader(gzipSync(data, { level }), level, this.#options.has('n') ? undefined : file);
  }

  /** The new file has the old one's mode and time; then the old one goes, unless it is kept. */
  async #replace(
    name: string,
    target: string,
    out: Buffer,
    stat: { mode: number; mtime: Date },
  ): Promise<void> {
    const { fs } = this.#tool;
    const path = this.#tool.path(target);
    if (!this.#options.has('f') && (await isThere(fs, path))) {
      this.#warn(`${target} already exists;\tnot overwritten`, 2);
      return;
    }
    // The file is a new one: nothing is written through a link.
    if (await isLink(fs, path)) await fs.rm(path);
    await fs.writeFile(path, out);
    await fs.chmod(path, stat.mode & 0o7777);
    await fs.utimes(path, stat.mtime, stat.mtime);
    if (!this.#options.has('k')) await fs.rm(this.#tool.path(name));
  }

  #tell(name: string, target: string, data: Buffer, out: Buffer): void {
    if (!this.#options.has('v') || this.#tool.status !== 0) return;
    const size = this.#unpacks ? out.length : data.length;
    const verb = this.#options.has('k') ? 'created' : 'replaced with';
    const share = ratio(size - bodyLength(this.#unpacks ? data : out), size);
    this.#tool.stderr += `${name}:\t${share} -- ${verb} ${target}\n`;
  }

  #list(name: string, data: Buffer): void {
    const out = this.#unpack(data, name === '-' ? 'stdin' : name);
    if (out === undefined) return;
    const shown = name === '-' ? 'stdout' : name.replace(/(?:\.gz|-gz|\.z)$/, '');
    const saved = out.length - bodyLength(data);
    this.#row(data.length, out.length, saved, shown);
    this.#total.packed += data.length;
    this.#total.size += out.length;
    this.#total.files++;
  }

  #row(packed: number, size: number, saved: number, name: string): void {
    const columns = `${String(packed).padStart(19)} ${String(size).padStart(19)}`;
    this.#tool.print(`${columns} ${ratio(saved, size)} ${name}\n`);
  }
}

async function gzip(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: '123456789acdfhklnNqrS:tv', long: LONG });
  await new Gzip(tool, options, options.has('d')).run(options.operands);
}

async function gunzipFiles(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: '123456789acdfhklnNqrS:tv', long: LONG });
  await new Gzip(tool, options, true).run(options.operands);
}

async function zcat(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: '123456789acdfhklnNqrS:tv', long: LONG }, [
    '-c',
    ...tool.args,
  ]);
  await new Gzip(tool, options, true).run(options.operands);
}

/** gzip, gunzip and zcat. */
export const gzipShims: ShimFactory = (host) => [
  defineTool(host, { name: 'gzip', usage: 'Usage: gzip [OPTION]... [FILE]...' }, gzip),
  defineTool(
    host,
    { name: 'gunzip', speaks: 'gzip', usage: 'Usage: gunzip [OPTION]... [FILE]...' },
    gunzipFiles,
  ),
  defineTool(
    host,
    { name: 'zcat', speaks: 'gzip', usage: 'Usage: zcat [OPTION]... [FILE]...' },
    zcat,
  ),
];
