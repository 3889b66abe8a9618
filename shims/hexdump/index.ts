/** hexdump, and hd, which is hexdump -C. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, parseSize, type Tool, toText } from '../support/tool.ts';
import { type Format, parseFormat, render, renderEnd, stretched } from './format.ts';

/** The formats of the letters, as hexdump's manual gives them. */
const LETTERS: Readonly<Record<string, readonly string[]>> = {
  b: ['"%07.7_ax " 16/1 "%03o " "\\n"'],
  c: ['"%07.7_ax " 16/1 "%3_c " "\\n"'],
  C: ['"%08.8_ax  " 8/1 "%02x " "  " 8/1 "%02x " ', '"  |" 16/1 "%_p" "|\\n"'],
  d: ['"%07.7_ax " 8/2 "  %05u " "\\n"'],
  o: ['"%07.7_ax " 8/2 " %06o " "\\n"'],
  x: ['"%07.7_ax " 8/2 "   %04x " "\\n"'],
};
const DEFAULT = '"%07.7_ax " 8/2 "%04x " "\\n"';
const END = { short: '"%07.7_Ax\\n"', long: '"%08.8_Ax\\n"' };

function bytesOf(options: Options, key: string): number | undefined {
  const text = options.get(key);
  if (text === undefined) return undefined;
  const isOctal = /^0[0-7]+$/.test(text);
  const value = isOctal
    ? parseInt(text, 8)
    : /^0x[0-9a-f]+$/i.test(text)
      ? Number(text)
      : parseSize(text);
  if (value === undefined)
    throw new UsageError(`failed to parse ${key === 'n' ? 'length' : 'offset'}: '${text}'`);
  return value;
}

/** The formats in their order; those of a file come one to a line. */
async function formats(
  tool: Tool,
  options: Options,
  canonical: boolean,
): Promise<Format[] | undefined> {
  const sources: string[] = [];
  const add = (letter: string): void => {
    sources.push(letter === 'C' ? END.long : END.short, ...(LETTERS[letter] ?? []));
  };
  if (canonical) add('C');
  for (const [key, value] of options.seen) {
    if (Object.hasOwn(LETTERS, key)) add(key);
    else if (key === 'e') sources.push(value);
    else if (key === 'f') {
      const text = await tool.tryRead(value, 1, `can't read ${value}`);
      if (text === undefined) return undefined;
      sources.push(
        ...toText(text)
          .split('\n')
          .filter((line) => !/^\s*(?:#|$)/.test(line)),
      );
    }
  }
  if (sources.length === 0) sources.push(END.short, DEFAULT);
  return sources.map(parseFormat);
}

/** Prints bytes block by block; blocks that are equal to the one before are a star. */
async function dump(
  tool: Tool,
  bytes: Buffer,
  start: number,
  list: readonly Format[],
  squeeze: boolean,
): Promise<void> {
  const block = Math.max(...list.map(({ size }) => size));
  const fitted = list.map((format) => stretched(format, block));
  if (block <= 0) return;
  let before: Buffer | undefined;
  let starred = false;
  for (let at = 0; at < bytes.length; at += block) {
    const piece = bytes.subarray(at, at + block);
    if (squeeze && before !== undefined && piece.length === block && piece.equals(before)) {
      if (!starred) tool.write('*\n');
      starred = true;
      continue;
    }
    starred = false;
    before = piece;
    tool.write(fitted.map((format) => line(format, piece, start + at)).join(''));
    const rest = tool.pulse();
    if (rest !== undefined) await rest;
  }
  // Behind its end, a file has its end alone.
  if (start + bytes.length > 0) tool.write(renderEnd(list, start + bytes.length));
}

/** A format with the offset of the end belongs to the end alone. */
function line(format: Format, piece: Buffer, at: number): string {
  const parts = format.units.flatMap((unit) => unit.parts);
  if (parts.some((part) => part.kind === 'address' && part.last)) return '';
  return render(format, piece, at);
}

async function hexdump(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'bcCde:f:L::n:os:vx',
    long: {
      'one-byte-octal': 'b',
      'one-byte-char': 'c',
      canonical: 'C',
      'two-bytes-decimal': 'd',
      'two-bytes-octal': 'o',
      'two-bytes-hex': 'x',
      color: 'L::',
      format: 'e:',
      'format-file': 'f:',
      length: 'n:',
      skip: 's:',
      'no-squeezing': 'v',
    },
  });
  const list = await formats(tool, options, tool.name === 'hd');
  if (list === undefined) return;
  const parts: Buffer[] = [];
  for (const name of options.operands.length === 0 ? ['-'] : options.operands) {
    const content = await tool.attempt(name, () => tool.readBytes(name));
    if (content !== undefined) parts.push(content);
  }
  if (parts.length === 0) {
    tool.fail('all input file arguments failed');
    return;
  }
  const skip = bytesOf(options, 's') ?? 0;
  const length = bytesOf(options, 'n');
  const all = Buffer.concat(parts);
  if (length !== undefined && skip + length <= all.length) tool.enough();
  const start = Math.min(skip, all.length);
  const bytes = all.subarray(start, length === undefined ? undefined : start + length);
  await dump(tool, bytes, start, list, !options.has('v'));
}

const usage = (
  name: string,
): string => `Usage: ${name} [options] <file>...\nDisplay file contents in hexadecimal, decimal, octal, or ascii.

  -b, -c, -C, -d, -o, -x    bytes in octal, characters, canonical; two bytes in decimal, octal, hex
  -e FORMAT, -f FILE        format strings
  -n LENGTH, -s OFFSET      so many bytes, from there
  -v                        equal lines, too`;

/** hexdump, hd. */
export const hexdumpShims: ShimFactory = (host) => [
  defineTool(host, { name: 'hexdump', usage: usage('hexdump') }, hexdump),
  defineTool(host, { name: 'hd', usage: usage('hd') }, hexdump),
];
