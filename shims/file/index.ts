/** file: the built-in one, save for what it takes for text and is none, and the words for JSON. */
import { latin1FromBytes, stdoutAsBytes } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import { defineTool, type Tool, toText } from '../support/tool.ts';

/** A byte that no text has: to file(1) those are all controls but these few. */
const NO_TEXT = /[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]/;

/** What the built-in one says of a text, in each of its forms. */
const TEXT = /: +(?:.*\btext\b.*|text\/plain.*)$/;

function mended(line: string, content: string | undefined, isMime: boolean): string {
  const isText = TEXT.test(line);
  if (isText && content !== undefined && NO_TEXT.test(content)) {
    return line.replace(/(: +).*$/, isMime ? '$1application/octet-stream' : '$1data');
  }
  return line.replace(/(: +)JSON data$/, '$1JSON text data');
}

/** Systems by their number in a gzip header. */
const SYSTEMS: Readonly<Record<number, string>> = {
  0: 'FAT filesystem (MS-DOS, OS/2, NT)',
  3: 'Unix',
  7: 'MacOS',
  10: 'NTFS filesystem (NT)',
  11: 'NTFS filesystem (NT)',
};
const HAS_NAME = 8;
const EXTRA_FIELD = 4;

/** What file(1) says of a gzip file: the built-in one leaves a stream open on it, which ends the shell. */
function gzipText(bytes: Buffer): string {
  const facts = ['gzip compressed data'];
  const flags = bytes.length > 3 ? bytes.readUInt8(3) : 0;
  if ((flags & HAS_NAME) !== 0) {
    const start =
      (flags & EXTRA_FIELD) === 0 ? 10 : 12 + (bytes.length > 11 ? bytes.readUInt16LE(10) : 0);
    const end = bytes.indexOf(0, start);
    if (end > start) facts.push(`was "${bytes.toString('utf8', start, end)}"`);
  }
  const seconds = bytes.length > 7 ? bytes.readUInt32LE(4) : 0;
  if (seconds !== 0) {
    const [, day = '', date = '', month = '', year = '', clock = ''] =
      /^(\w+), (\d+) (\w+) (\d+) ([\d:]+)/.exec(new Date(seconds * 1000).toUTCString()) ?? [];
    facts.push(`last modified: ${day} ${month} ${date.replace(/^0/, ' ')} ${clock} ${year}`);
  }
  const level = bytes.length > 8 ? bytes.readUInt8(8) : 0;
  if (level === 2) facts.push('max compression');
  if (level === 4) facts.push('max speed');
  const system = bytes.length > 9 ? SYSTEMS[bytes.readUInt8(9)] : undefined;
  if (system !== undefined) facts.push(`from ${system}`);
  // The last four bytes, of what is more than a header.
  if (bytes.length > 18)
    facts.push(`original size modulo 2^32 ${bytes.readUInt32LE(bytes.length - 4)}`);
  return facts.join(', ');
}

/** A gzip file's bytes; undefined for any other. */
async function gzipBytes(tool: Tool, name: string): Promise<Buffer | undefined> {
  const path = tool.path(name);
  if (name !== '-' && !((await tool.fs.exists(path)) && (await tool.fs.stat(path)).isFile)) return;
  const bytes = await tool.readBytes(name);
  return bytes[0] === 0x1f && bytes[1] === 0x8b ? bytes : undefined;
}

/** Files one by one, where the built-in one must not see them all. */
async function apart(
  tool: Tool,
  names: readonly string[],
  gzips: ReadonlyMap<string, Buffer>,
): Promise<undefined> {
  const flags = tool.args.filter((arg) => arg !== '-' && arg.startsWith('-'));
  const short = flags.filter((arg) => /^-[a-zA-Z]+$/.test(arg)).join('');
  const brief = short.includes('b') || flags.includes('--brief');
  const type = flags.includes('--mime-type');
  const mime = short.includes('i') || flags.includes('--mime');
  const room = Math.max(...names.map((name) => [...name].length));
  for (const name of names) {
    const gzip = gzips.get(name);
    const shown = name === '-' ? '/dev/stdin' : name;
    const label = brief ? '' : `${shown}: ${' '.repeat(room - [...name].length)}`;
    if (gzip === undefined) {
      const result = await tool.original([...flags, name]);
      tool.stderr += result.stderr;
      tool.status = Math.max(tool.status, result.exitCode);
      const line = toText(latin1FromBytes(stdoutAsBytes(result)));
      tool.print(brief ? line : line.replace(/^.*?: +/, () => label));
    } else if (type) tool.print(`${label}application/gzip\n`);
    else if (mime) tool.print(`${label}application/gzip; charset=binary\n`);
    else tool.print(`${label}${gzipText(gzip)}\n`);
  }
}

async function file(tool: Tool): Promise<undefined> {
  const given = tool.args.filter((arg) => arg === '-' || !arg.startsWith('-'));
  const gzips = new Map<string, Buffer>();
  for (const name of given) {
    const bytes = await gzipBytes(tool, name);
    if (bytes !== undefined) gzips.set(name, bytes);
  }
  if (gzips.size > 0) return apart(tool, given, gzips);
  const result = await tool.original();
  tool.stderr += result.stderr;
  tool.status = result.exitCode;
  const isMime = tool.args.some((arg) => /^(?:-i|--mime)/.test(arg));
  const lines = toText(latin1FromBytes(stdoutAsBytes(result))).split('\n');
  const isBrief = tool.args.some((arg) => /^(?:-[a-zA-Z]*b|--brief)/.test(arg));
  const names = tool.args.filter((arg) => arg === '-' || !arg.startsWith('-'));
  for (const [i, line] of lines.entries()) {
    const name = names[i];
    const end = i + 1 < lines.length ? '\n' : '';
    if (name === undefined) {
      tool.print(line + end);
      continue;
    }
    const content = TEXT.test(isBrief ? `: ${line}` : line)
      ? await contentOf(tool, name)
      : undefined;
    const whole = mended(isBrief ? `: ${line}` : line, content, isMime);
    tool.print((isBrief ? whole.slice(2) : whole) + end);
  }
}

/** What is in a file that the built-in one could read, too. */
async function contentOf(tool: Tool, name: string): Promise<string | undefined> {
  const path = tool.path(name);
  const isFile =
    name === '-' || ((await tool.fs.exists(path)) && (await tool.fs.stat(path)).isFile);
  return isFile ? (await tool.readBytes(name)).subarray(0, 65_536).toString('latin1') : undefined;
}

/** file. */
export const fileShims: ShimFactory = (host) => [
  defineTool(host, { name: 'file', usage: 'Usage: file [OPTION...] [FILE...]' }, file),
];
