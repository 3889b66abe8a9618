/** xxd: dumps, plain and bit forms, C arrays, and back again. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, type Tool } from '../support/tool.ts';

function number(options: Options, key: string): number | undefined {
  const text = options.get(key);
  if (text === undefined) return undefined;
  const value = Number(text.replace(/^\+/, '').replace(/^(-?)0([0-7]+)$/, '$10o$2'));
  if (!Number.isInteger(value)) throw new UsageError(`invalid number '${text}'`, { hint: false });
  return value;
}

const printable = (bytes: string): string => bytes.replace(/[^\x20-\x7e]/g, '.');

interface Layout {
  columns: number;
  group: number;
  bits: boolean;
  upper: boolean;
  little: boolean;
  start: number;
  decimal: boolean;
  /** Of lines of zeros that follow each other only the first is shown, and a `*`. */
  skips: boolean;
}

function cell(byte: number, layout: Layout): string {
  if (layout.bits) return byte.toString(2).padStart(8, '0');
  const hex = byte.toString(16).padStart(2, '0');
  return layout.upper ? hex.toUpperCase() : hex;
}

function row(bytes: string, at: number, layout: Layout): string {
  const digits = layout.bits ? 8 : 2;
  const groups: string[] = [];
  for (let i = 0; i < bytes.length; i += layout.group) {
    const codes = [...bytes.slice(i, i + layout.group)].map((char) => char.charCodeAt(0));
    if (layout.little) codes.reverse();
    const text = codes.map((code) => cell(code, layout)).join('');
    groups.push(layout.little ? text.padStart(layout.group * digits) : text);
  }
  const full = Math.ceil(layout.columns / layout.group);
  // The last group is as wide as the others where its bytes stand from the right.
  const width = (layout.little ? full * layout.group : layout.columns) * digits + full - 1;
  const address = (layout.start + at).toString(layout.decimal ? 10 : 16).padStart(8, '0');
  return `${address}: ${groups.join(' ').padEnd(width)}  ${printable(bytes)}\n`;
}

async function dump(tool: Tool, bytes: string, layout: Layout): Promise<void> {
  // The last line is shown in any case.
  const isSkippable = (at: number): boolean =>
    layout.skips &&
    at + layout.columns < bytes.length &&
    /^\0*$/.test(bytes.slice(at, at + layout.columns));
  let zeros = 0;
  for (let i = 0; i < bytes.length; i += layout.columns) {
    zeros = isSkippable(i) ? zeros + 1 : 0;
    // Two lines of zeros are both shown: a `*` would save nothing.
    if (zeros === 2 && isSkippable(i + layout.columns)) tool.write('*\n');
    else if (zeros <= 2) tool.write(row(bytes.slice(i, i + layout.columns), i, layout));
    const rest = tool.pulse();
    if (rest !== undefined) await rest;
  }
}

function plain(bytes: string, columns: number, upper: boolean): string {
  const hex = Buffer.from(bytes, 'latin1').toString('hex');
  const text = upper ? hex.toUpperCase() : hex;
  if (columns === 0) return text === '' ? '' : `${text}\n`;
  return text.replace(new RegExp(`.{1,${columns * 2}}`, 'g'), '$&\n');
}

function include(
  bytes: string,
  name: string,
  { columns, upper, capital }: { columns: number; upper: boolean; capital: boolean },
): string {
  const plainId = name.replace(/[^A-Za-z0-9]/g, '_').replace(/^(?=\d)/, '__');
  const id = capital ? plainId.toUpperCase() : plainId;
  const length = capital ? '_LEN' : '_len';
  const codes = [...bytes].map((char) => {
    const hex = char.charCodeAt(0).toString(16).padStart(2, '0');
    return upper ? `0X${hex.toUpperCase()}` : `0x${hex}`;
  });
  const lines: string[] = [];
  for (let i = 0; i < codes.length; i += columns)
    lines.push(`  ${codes.slice(i, i + columns).join(', ')}`);
  const body = lines.join(',\n');
  if (name === '-') return `${body}\n`;
  return `unsigned char ${id}[] = {\n${body}\n};\nunsigned int ${id}${length} = ${bytes.length};\n`;
}

/** Reads bare digits back. What is none of them ends a byte; two of those together end their line. */
function revertPlain(text: string): string {
  const bytes: number[] = [];
  for (let at = 0, first = '', strange = 0; at < text.length; at++) {
    const char = text[at] ?? '';
    if (/\s/.test(char)) continue;
    if (!/[0-9a-fA-F]/.test(char)) {
      first = '';
      strange += 1;
      const end = text.indexOf('\n', at);
      if (strange > 1) at = end < 0 ? text.length : end;
      continue;
    }
    strange = 0;
    if (first !== '') bytes.push(Number.parseInt(first + char, 16));
    first = first === '' ? char : '';
  }
  return Buffer.from(bytes).toString('latin1');
}

/** Reads a dump back; addresses are honoured, missing parts are zeros. */
function revert(text: string, isPlain: boolean, columns: number, offset: number): string {
  if (isPlain) return revertPlain(text);
  let out = '';
  for (const line of text.split('\n')) {
    const match = /^\s*([0-9a-fA-F]+):?\s([\s\S]*)$/.exec(line);
    if (match === null) continue;
    // Behind two blanks stands the text, and a line has no more bytes than its columns.
    const [, digits = ''] = /^\s*((?:[0-9a-fA-F]\s?)*)/.exec(match[2] ?? '') ?? [];
    const hex = digits.replace(/\s/g, '').slice(0, 2 * columns);
    const at = parseInt(match[1] ?? '0', 16) + offset;
    out =
      out.padEnd(at, '\0').slice(0, at) +
      Buffer.from(hex, 'hex').toString('latin1') +
      out.slice(at + hex.length / 2);
  }
  return out;
}

/** xxd takes long names with one dash and lets -r, -p and others stand alone. */
function normalise(args: readonly string[]): string[] {
  const words: Readonly<Record<string, string>> = {
    '-ps': '-p',
    '-plain': '-p',
    '-postscript': '-p',
    '-revert': '-r',
    '-capitalize': '-C',
    '-include': '-i',
    '-bits': '-b',
    '-upper': '-u',
    '-len': '-l',
    '-cols': '-c',
    '-seek': '-s',
    '-groupsize': '-g',
  };
  return args.map((arg) => words[arg] ?? arg);
}

async function emit(tool: Tool, options: Options, input: string): Promise<void> {
  const content = await tool.tryRead(input, 2);
  if (content === undefined) return;
  const given = number(options, 'c');
  if (given !== undefined && given > 256 && !options.has('p'))
    throw new UsageError('invalid number of columns (max. 256).', { hint: false });
  if (options.has('r') && (options.has('b') || options.has('e')))
    throw new UsageError('Sorry, cannot revert this type of hexdump', { status: 255, hint: false });
  if (options.has('r')) {
    tool.write(revert(content, options.has('p'), given ?? 16, number(options, 's') ?? 0));
    return;
  }
  const seek = number(options, 's') ?? 0;
  if (seek < 0 && content.length + seek < 0)
    throw new UsageError('Sorry, cannot seek.', { status: 4, hint: false });
  const start = seek < 0 ? content.length + seek : seek;
  const length = number(options, 'l');
  if (length !== undefined && start + length <= content.length) tool.enough();
  const bytes = content.slice(start, length === undefined ? undefined : start + length);
  const columns = given ?? (options.has('b') ? 6 : options.has('i') ? 12 : 16);
  if (options.has('p')) {
    tool.write(plain(bytes, given ?? 30, options.has('u')));
  } else if (options.has('i'))
    tool.write(
      include(bytes, options.get('n') ?? input, {
        columns,
        upper: options.has('u'),
        capital: options.has('C'),
      }),
    );
  else {
    const group = number(options, 'g') ?? (options.has('b') ? 1 : options.has('e') ? 4 : 2);
    if (options.has('e') && (group & (group - 1)) !== 0) {
      throw new UsageError('number of octets per group must be a power of 2 with -e.', {
        hint: false,
      });
    }
    await dump(tool, bytes, {
      columns: columns < 1 ? 16 : columns,
      group: group < 1 ? columns : group,
      bits: options.has('b'),
      upper: options.has('u'),
      little: options.has('e'),
      start: start + (number(options, 'o') ?? 0),
      decimal: options.has('d'),
      skips: options.has('a'),
    });
  }
}

async function xxd(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'abc:Cdeg:il:n:o:prs:u', long: {} }, normalise(tool.args));
  const [input = '-', output] = options.operands;
  await emit(tool, options, input);
  if (output === undefined || tool.status !== 0) return;
  const bytes = tool.take();
  await tool.attempt(output, () => tool.save(output, bytes), 3);
}

/** xxd. */
export const xxdShims: ShimFactory = (host) => [
  defineTool(host, { name: 'xxd', usage: 'Usage: xxd [options] [infile [outfile]]' }, xxd),
];
