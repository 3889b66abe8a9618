/** cksum, sum, md5sum and its kin. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type OptionSpec, type Options, UsageError, wrongWord } from '../support/getopt.ts';
import { defineTool, type Tool } from '../support/tool.ts';
import { Checker } from './check.ts';
import { bsdSum, DIGESTS, type Digest, hexDigest, posixCrc, sysvSum } from './digests.ts';

const ALGORITHMS = ['bsd', 'sysv', 'crc', ...Object.keys(DIGESTS)];

const CHECKING: OptionSpec['long'] = {
  check: 'c',
  'ignore-missing': 'ignore-missing',
  quiet: 'quiet',
  status: 'status',
  strict: 'strict',
  warn: 'w',
  zero: 'z',
  tag: 'tag',
};

/** How a file's checksum is written. */
interface Form {
  tagged: boolean;
  binary: boolean;
  zero: boolean;
}

function digestLine(digest: Digest, bits: number, hex: string, name: string, form: Form): string {
  const odd = !form.zero && /[\\\n\r]/.test(name);
  const safe = odd
    ? name.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
    : name;
  const end = form.zero ? '\0' : '\n';
  const tag = bits === digest.bits ? digest.tag : `${digest.tag}-${bits}`;
  if (form.tagged) return `${odd ? '\\' : ''}${tag} (${safe}) = ${hex}${end}`;
  return `${odd ? '\\' : ''}${hex} ${form.binary ? '*' : ' '}${safe}${end}`;
}

/** BLAKE2b's length; the whole one where none is given. Bits. */
function lengthOf(tool: Tool, options: Options, digest: Digest): number {
  const text = options.get('l');
  if (text === undefined) return digest.bits;
  if (digest.tag !== 'BLAKE2b')
    throw new UsageError('--length is only supported with --algorithm=blake2b', { hint: false });
  const told = `invalid length: '${text}'`;
  const wrong = (why: string): UsageError =>
    new UsageError(`${told}\n${tool.name}: ${why}`, { hint: false });
  if (!/^\d+$/.test(text)) throw new UsageError(told, { hint: false });
  const bits = Number(text);
  if (bits % 8 !== 0) throw wrong('length is not a multiple of 8');
  if (bits > digest.bits) throw wrong(`maximum digest length for 'BLAKE2b' is ${digest.bits} bits`);
  return bits === 0 ? digest.bits : bits;
}

const names = (options: Options): string[] =>
  options.operands.length === 0 ? ['-'] : options.operands;

function refuseStray(options: Options): void {
  for (const name of ['ignore-missing', 'status', 'w', 'quiet', 'strict']) {
    if (!options.has(name)) continue;
    const long = name === 'w' ? 'warn' : name;
    throw new UsageError(`the --${long} option is meaningful only when verifying checksums`);
  }
}

async function digestFiles(
  tool: Tool,
  options: Options,
  digest: Digest,
  form: Form,
): Promise<undefined> {
  refuseStray(options);
  const bits = lengthOf(tool, options, digest);
  for (const name of names(options)) {
    const bytes = await tool.attempt(name, () => tool.readBytes(name));
    if (bytes === undefined) continue;
    tool.print(digestLine(digest, bits, hexDigest(digest, bytes, bits), name, form));
    await tool.pulse();
  }
}

async function checkLists(
  tool: Tool,
  options: Options,
  expected: Digest | undefined,
): Promise<undefined> {
  if (options.has('tag'))
    throw new UsageError('the --tag option is meaningless when verifying checksums');
  if (options.has('b') || options.has('t')) {
    throw new UsageError(
      'the --binary and --text options are meaningless when verifying checksums',
    );
  }
  const checker = new Checker(tool, options, expected);
  for (const list of names(options)) await checker.check(list);
}

/** What `md5sum` and its kin do. */
function digestCommand(digest: Digest): (tool: Tool) => Promise<undefined> {
  const sized = digest.tag === 'BLAKE2b';
  return async (tool) => {
    const options = tool.options({
      short: sized ? 'bcl:twz' : 'bctwz',
      long: { ...CHECKING, binary: 'b', text: 't', ...(sized ? { length: 'l:' } : {}) },
    });
    if (options.has('c')) return checkLists(tool, options, digest);
    const tagged = options.has('tag');
    const last = options.seen.findLast(([key]) => key === 'b' || key === 't')?.[0];
    if (tagged && last === 't') throw new UsageError('--tag does not support --text mode');
    return digestFiles(tool, options, digest, {
      tagged,
      binary: last === 'b',
      zero: options.has('z'),
    });
  };
}

/** One of the three old sums: what is printed for some bytes, without the name. */
function oldSum(algorithm: string, bytes: Buffer): string {
  if (algorithm === 'crc') return `${posixCrc(bytes)} ${bytes.length}`;
  if (algorithm === 'sysv') return `${sysvSum(bytes)} ${Math.ceil(bytes.length / 512)}`;
  const blocks = String(Math.ceil(bytes.length / 1024));
  const sum = String(bsdSum(bytes)).padStart(5, '0');
  return `${sum} ${blocks.padStart(5)}`;
}

async function oldSums(tool: Tool, options: Options, algorithm: string): Promise<undefined> {
  for (const name of names(options)) {
    const bytes = await tool.attempt(name, () => tool.readBytes(name));
    if (bytes === undefined) continue;
    // Standard input is named only where it was asked for by name.
    const label = options.operands.length === 0 ? '' : ` ${name}`;
    tool.print(`${oldSum(algorithm, bytes)}${label}\n`);
    await tool.pulse();
  }
}

async function sum(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'rs', long: { sysv: 's' } });
  const last = options.seen.at(-1)?.[0];
  return oldSums(tool, options, last === 's' ? 'sysv' : 'bsd');
}

async function cksum(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'a:bcl:twz',
    long: {
      ...CHECKING,
      algorithm: 'a:',
      binary: 'b',
      debug: 'debug',
      length: 'l:',
      text: 't',
      untagged: 'untagged',
    },
  });
  const algorithm = options.get('a') ?? 'crc';
  if (!ALGORITHMS.includes(algorithm)) throw wrongWord('--algorithm', algorithm, ALGORITHMS);
  const digest = Object.hasOwn(DIGESTS, algorithm) ? DIGESTS[algorithm] : undefined;
  if (options.has('c')) {
    if (digest === undefined && options.has('a'))
      throw new UsageError('--check is not supported with --algorithm={bsd,sysv,crc}', {
        hint: false,
      });
    return checkLists(tool, options, digest);
  }
  if (digest !== undefined) {
    const form = options.seen.findLast(([key]) => key === 'tag' || key === 'untagged')?.[0];
    return digestFiles(tool, options, digest, {
      tagged: form !== 'untagged',
      binary: options.has('b'),
      zero: options.has('z'),
    });
  }
  refuseStray(options);
  return oldSums(tool, options, algorithm);
}

const usage = (name: string, what: string): string =>
  `Usage: ${name} [OPTION]... [FILE]...\nPrint or check ${what} checksums. With no FILE, or when FILE is -, read standard input.\n
  -b, --binary          print * before the name
  -c, --check           read checksums from the FILEs and check them
      --tag             print as TAG (FILE) = CHECKSUM
  -z, --zero            end each line with NUL, and escape no names
      --ignore-missing, --quiet, --status, --strict, -w, --warn    with --check`;

const digestTool = (name: string, digest: string): [string, Digest] => [
  name,
  DIGESTS[digest] as Digest,
];

const KIN = [
  digestTool('md5sum', 'md5'),
  digestTool('sha1sum', 'sha1'),
  digestTool('sha224sum', 'sha224'),
  digestTool('sha256sum', 'sha256'),
  digestTool('sha384sum', 'sha384'),
  digestTool('sha512sum', 'sha512'),
  digestTool('b2sum', 'blake2b'),
];

/** cksum, sum, md5sum, sha1sum … sha512sum, b2sum. */
export const cksumShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'cksum',
      usage: `${usage('cksum', 'CRC or other')}\n  -a, --algorithm=TYPE  ${ALGORITHMS.join(', ')}\n      --untagged        print as CHECKSUM  FILE\n  -l, --length=BITS     of blake2b`,
    },
    cksum,
  ),
  defineTool(
    host,
    {
      name: 'sum',
      usage:
        'Usage: sum [OPTION]... [FILE]...\nPrint checksums of 16 bits, and counts of blocks.\n\n  -r          as BSD, in blocks of 1 KiB (the default)\n  -s, --sysv  as System V, in blocks of 512 bytes',
    },
    sum,
  ),
  ...KIN.map(([name, digest]) =>
    defineTool(host, { name, usage: usage(name, digest.tag) }, digestCommand(digest)),
  ),
];
