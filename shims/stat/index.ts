/** stat, and truncate. */
import type { FsStat } from 'just-bash';
import { FsError } from '../../src/errors.ts';
import type { ShimFactory } from '../../src/shell/command.ts';
import { diskKiB, inodeOf, kindOf, modeText, OWNER, OWNER_ID, sizeOf } from '../support/files.ts';
import { UsageError } from '../support/getopt.ts';
import { nanoseconds, strftime, zoned } from '../support/time.ts';
import { defineTool, errnoOf, parseSize, type Tool } from '../support/tool.ts';

function timeText(tool: Tool, date: Date): string {
  const time = zoned(date, tool.ctx.env.get('TZ'));
  return strftime(`%Y-%m-%d %H:%M:%S.${nanoseconds(date)} %z`, time, date);
}

const TYPE_BITS = { link: 0o120000, directory: 0o040000, file: 0o100000 };

function rawMode(stat: FsStat): number {
  const type = stat.isSymbolicLink ? 'link' : stat.isDirectory ? 'directory' : 'file';
  return TYPE_BITS[type] | (stat.mode & 0o7777);
}

async function directive(tool: Tool, letter: string, name: string, stat: FsStat): Promise<string> {
  const seconds = String(Math.floor(stat.mtime.getTime() / 1000));
  const link = async () => `'${name}' -> '${await tool.fs.readlink(tool.path(name))}'`;
  switch (letter) {
    case 'n':
      return name;
    case 'N':
      return stat.isSymbolicLink ? link() : `'${name}'`;
    case 's':
      return String(sizeOf(stat));
    case 'F':
      return kindOf(stat);
    case 'a':
      return (stat.mode & 0o7777).toString(8);
    case 'A':
      return modeText(stat);
    case 'f':
      return rawMode(stat).toString(16);
    case 'h':
      return stat.isDirectory ? '2' : '1';
    case 'i':
      return String(inodeOf(stat));
    case 'd':
      return String(stat.dev ?? 1);
    case 'D':
      return Number(stat.dev ?? 1).toString(16);
    case 'u':
    case 'g':
      return String(OWNER_ID);
    case 'U':
    case 'G':
      return OWNER;
    case 'b':
      return String(diskKiB(stat) * 2);
    case 'B':
      return '512';
    case 'o':
      return '4096';
    case 'm':
      return '/';
    case 't':
    case 'T':
      return '0';
    case 'w':
      return '-';
    case 'W':
      return '0';
    case 'x':
    case 'y':
    case 'z':
      return timeText(tool, stat.mtime);
    case 'X':
    case 'Y':
    case 'Z':
      return seconds;
    case '%':
      return '%';
    default:
      return '?';
  }
}

/** Directives that are text, of which a precision takes a beginning. */
const TEXTS = /[nNFAUGxyzw]/;
/** What `#` puts before a number: it is octal, or hexadecimal. */
const BASES: Readonly<Record<string, string>> = { a: '0', f: '0x', D: '0x', t: '0x', T: '0x' };

const invalid = (text: string): UsageError =>
  new UsageError(`'${text}': invalid directive`, { hint: false });

async function expand(tool: Tool, format: string, name: string, stat: FsStat): Promise<string> {
  let out = '';
  for (const [whole, flags, width, precision, letter] of format.matchAll(
    /%([-+ 0#']*)(\d*)(?:\.(\d+))?([a-zA-Z%])|%[-+ 0#'\d.]*|[^%]+/g,
  )) {
    if (letter === undefined) {
      // A width without a letter behind it; a `%` at the end stands for itself.
      if (whole.startsWith('%') && whole !== '%') throw invalid(whole);
      out += whole;
      continue;
    }
    let text = await directive(tool, letter, name, stat);
    if (/[XYZ]/.test(letter) && Number(precision) > 0) {
      text += `.${nanoseconds(stat.mtime).padEnd(9, '0').slice(0, Number(precision))}`;
    }
    if (TEXTS.test(letter) && precision !== undefined) text = text.slice(0, Number(precision));
    if (flags?.includes('#')) text = `${BASES[letter] ?? ''}${text}`;
    const size = Number(width || 0);
    out += flags?.includes('-')
      ? text.padEnd(size)
      : text.padStart(size, flags?.includes('0') ? '0' : ' ');
  }
  return out;
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  '\\': '\\',
  '"': '"',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  r: '\r',
  v: '\v',
};

function unescaped(text: string): string {
  return text.replace(/\\(?:x([0-9a-fA-F]{1,2})|([0-7]{1,3})|([\s\S]))/g, (_, hex, octal, one) => {
    if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
    return octal === undefined ? (ESCAPES[one] ?? one) : String.fromCharCode(parseInt(octal, 8));
  });
}

async function full(tool: Tool, name: string, stat: FsStat): Promise<string> {
  const cell = (letter: string) => directive(tool, letter, name, stat);
  const mode = (stat.mode & 0o7777).toString(8).padStart(4, '0');
  const shown = stat.isSymbolicLink ? (await cell('N')).replaceAll("'", '') : name;
  const owner = `(${String(OWNER_ID).padStart(5)}/${OWNER.padStart(8)})`;
  const size = String(sizeOf(stat)).padEnd(10);
  const blocks = (await cell('b')).padEnd(10);
  const time = await cell('y');
  return [
    `  File: ${shown}`,
    `  Size: ${size}\tBlocks: ${blocks} IO Block: 4096   ${kindOf(stat)}`,
    `Device: 0,${stat.dev ?? 1}\tInode: ${(await cell('i')).padEnd(11)} Links: ${await cell('h')}`,
    `Access: (${mode}/${modeText(stat)})  Uid: ${owner}   Gid: ${owner}`,
    `Access: ${time}`,
    `Modify: ${time}`,
    `Change: ${time}`,
    ' Birth: -',
    '',
  ].join('\n');
}

/** A format that asks when a file was last read. */
const ACCESSED = /%[-+ 0#'.\d]*[xX]/;

async function stat(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'c:fLt',
    long: {
      format: 'c:',
      printf: 'printf:',
      dereference: 'L',
      'file-system': 'f',
      terse: 't',
      cached: 'ignored:',
    },
  });
  if (options.operands.length === 0) throw new UsageError('missing operand');
  const format = options.get('c');
  const raw = options.get('printf');
  if (ACCESSED.test(raw ?? format ?? '')) {
    tool.warn('there are no times of access here: %x and %X are those of the last change');
  }
  const terse = '%n %s %b %f %u %g %D %i %h %t %T %X %Y %Z %W %o\n';
  for (const name of options.operands) {
    await tool.attempt(`cannot statx '${name}'`, async () => {
      const path = tool.path(name);
      const found =
        options.has('L') || name.endsWith('/')
          ? await tool.fs.stat(path)
          : await tool.fs.lstat(path);
      if (name.endsWith('/') && !found.isDirectory)
        throw new FsError('ENOTDIR', { op: 'stat', path });
      if (raw !== undefined) tool.print(await expand(tool, unescaped(raw), name, found));
      else if (format !== undefined) tool.print(`${await expand(tool, format, name, found)}\n`);
      else if (options.has('t')) tool.print(await expand(tool, terse, name, found));
      else tool.print(await full(tool, name, found));
    });
  }
}

async function truncate(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'cor:s:',
    long: { 'no-create': 'c', 'io-blocks': 'o', reference: 'r:', size: 's:' },
  });
  if (options.operands.length === 0) throw new UsageError('missing file operand');
  const text = options.get('s');
  const reference = options.get('r');
  if (text === undefined && reference === undefined) {
    throw new UsageError("you must specify either '--size' or '--reference'");
  }
  const match = /^([-+<>/%]?)(.*)$/.exec(text ?? '0');
  const amount = parseSize(match?.[2] ?? '');
  if (amount === undefined) throw new UsageError(`Invalid number: '${text}'`, { hint: false });
  if (/^[/%]/.test(text ?? '') && amount === 0)
    throw new UsageError('division by zero', { hint: false });
  const base = reference === undefined ? 0 : (await tool.fs.stat(tool.path(reference))).size;
  const sign = match?.[1] ?? '';
  for (const name of options.operands) {
    await tool.attempt(`cannot open '${name}' for writing`, async () => {
      let old = '';
      try {
        old = await tool.read(name);
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT') throw error;
        if (options.has('c')) return;
      }
      const now = reference === undefined ? old.length : base;
      let size = amount;
      if (sign === '+' || (reference !== undefined && text === undefined)) size = now + amount;
      else if (sign === '-') size = Math.max(0, now - amount);
      else if (sign === '<') size = Math.min(now, amount);
      else if (sign === '>') size = Math.max(now, amount);
      else if (sign === '/') size = Math.floor(now / amount) * amount;
      else if (sign === '%') size = Math.ceil(now / amount) * amount;
      await tool.save(name, old.slice(0, size).padEnd(size, '\0'));
    });
  }
}

/** stat and truncate. */
export const statShims: ShimFactory = (host) => [
  defineTool(host, { name: 'stat', usage: 'Usage: stat [OPTION]... FILE...' }, stat),
  defineTool(host, { name: 'truncate', usage: 'Usage: truncate OPTION... FILE...' }, truncate),
];
