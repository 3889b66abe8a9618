/** head and tail, with counts from either end. They look at bytes, since a file may be longer than a string can be. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, parseSize, type Tool } from '../support/tool.ts';
import { endlessLine } from '../yes/index.ts';

interface Count {
  unit: 'lines' | 'bytes';
  /** `-`: all but the last (head); `+`: from the Nth on (tail). */
  sign: '' | '-' | '+';
  value: number;
}

function countOf(options: Options, tail: boolean): Count {
  const found = options.seen.filter(([key]) => ['n', 'c', 'digits'].includes(key)).at(-1);
  if (found === undefined) return { unit: 'lines', sign: '', value: 10 };
  const unit = found[0] === 'c' ? 'bytes' : 'lines';
  const sign = /^[-+]/.exec(found[1])?.[0] ?? '';
  const value = parseSize(found[1].slice(sign.length));
  if (value === undefined) {
    const shown = tail && sign === '+' ? found[1] : found[1].slice(sign.length);
    throw new UsageError(`invalid number of ${unit}: '${shown}'`, { hint: false });
  }
  const matters = tail ? sign === '+' : sign === '-';
  return { unit, sign: matters ? (sign as Count['sign']) : '', value };
}

/** Where the Nth line ends, counted from the front; the length when there are fewer. */
function afterLines(text: Buffer, count: number, end: number): number {
  let at = 0;
  for (let i = 0; i < count; i++) {
    const next = text.indexOf(end, at);
    if (next < 0) return text.length;
    at = next + 1;
  }
  return at;
}

/** Where the last N lines begin. */
function beforeLines(text: Buffer, count: number, end: number): number {
  if (count === 0) return text.length;
  let at = text.at(-1) === end ? text.length - 1 : text.length;
  for (let i = 0; i < count; i++) {
    const before = at === 0 ? -1 : text.lastIndexOf(end, at - 1);
    if (before < 0) return 0;
    at = before;
  }
  return at + 1;
}

/** What head shows. */
function headOf(text: Buffer, { unit, sign, value }: Count, end: number): Buffer {
  if (unit === 'bytes')
    return sign === '-'
      ? text.subarray(0, Math.max(0, text.length - value))
      : text.subarray(0, value);
  return text.subarray(
    0,
    sign === '-' ? beforeLines(text, value, end) : afterLines(text, value, end),
  );
}

/** Is that as much as was asked for? */
function hasEnough(text: Buffer, { unit, value }: Count, end: number): boolean {
  if (unit === 'bytes') return text.length >= value;
  return value === 0 || (text.at(-1) === end && linesOf(text, end) >= value);
}

function linesOf(text: Buffer, end: number): number {
  let count = 0;
  for (let at = text.indexOf(end); at >= 0; at = text.indexOf(end, at + 1)) count += 1;
  return count;
}

/** What tail shows. */
function tailOf(text: Buffer, { unit, sign, value }: Count, end: number): Buffer {
  const skip = Math.max(0, value - 1);
  if (unit === 'bytes')
    return sign === '+' ? text.subarray(skip) : text.subarray(Math.max(0, text.length - value));
  return text.subarray(sign === '+' ? afterLines(text, skip, end) : beforeLines(text, value, end));
}

/** The most that head asks of one of them. Bytes. */
const MOST = 256 * 1024 * 1024;

/** As much of an endless device as is asked for, by reading it again. */
async function filled(tool: Tool, name: string, content: Buffer, { sign, value }: Count) {
  if (name === '-' || sign === '-' || value <= content.length || content.length === 0)
    return content;
  if (tool.fs.endlessRead() === null) return content;
  if (value > MOST) {
    throw new UsageError(`${name}: at most ${MOST} bytes of it can be had at once`, {
      hint: false,
    });
  }
  const blocks = [content];
  for (let size = content.length; size < value; ) {
    const block = await tool.readBytes(name);
    if (block.length === 0) break;
    blocks.push(block);
    size += block.length;
  }
  return Buffer.concat(blocks);
}

/** What `yes` would have gone on to give, had it known that head wants more. */
function continued(content: Buffer, { unit, sign, value }: Count): Buffer {
  const line = sign === '-' ? null : endlessLine(content);
  if (line === null) return content;
  const wanted = unit === 'bytes' ? value : value * line.length;
  if (wanted <= content.length) return content;
  if (wanted > MOST) {
    throw new UsageError(`standard input: at most ${MOST} bytes of it can be had at once`, {
      hint: false,
    });
  }
  return Buffer.alloc(Math.ceil(wanted / line.length) * line.length, line);
}

async function run(tool: Tool, options: Options, isTail: boolean): Promise<undefined> {
  const count = countOf(options, isTail);
  const end = options.has('z') ? 0 : 0x0a;
  const names = options.operands.length === 0 ? ['-'] : options.operands;
  const last = options.seen.filter(([key]) => key === 'q' || key === 'v').at(-1)?.[0];
  const headers = last === 'v' || (last !== 'q' && names.length > 1);
  let shown = 0;
  for (const name of names) {
    let content: Buffer;
    try {
      content = await tool.readBytes(name);
    } catch (error) {
      // GNU opens a directory before it fails to read it, and says so after the header.
      const isDir = error instanceof Error && error.message.startsWith('EISDIR');
      if (isDir && headers) tool.print(`${shown++ > 0 ? '\n' : ''}==> ${name} <==\n`);
      tool.complain(isDir ? `error reading '${name}'` : `cannot open '${name}' for reading`, error);
      continue;
    }
    if (!isTail && name === '-') content = continued(content, count);
    if (!isTail && count.unit === 'bytes') content = await filled(tool, name, content, count);
    if (headers) {
      tool.print(`${shown++ > 0 ? '\n' : ''}==> ${name === '-' ? 'standard input' : name} <==\n`);
    }
    const shownPart = (isTail ? tailOf : headOf)(content, count, end);
    // It looked no further.
    if (!isTail && count.sign === '' && hasEnough(shownPart, count, end)) tool.enough();
    tool.write(shownPart.toString('latin1'));
  }
}

/** The old form, which stands first: `-1c`, `-5lq`, and for tail `+2c` and `-f`, too. */
function withoutOldForm(args: readonly string[], isTail: boolean): readonly string[] {
  const [first = '', ...rest] = args;
  const match = (isTail ? /^([-+])(\d+)([bcl]?)(f?)$/ : /^(-)(\d+)([bkmcl]?)([qvz]*)$/).exec(first);
  if (match === null) return args;
  const [, sign, count, unit = '', flags = ''] = match;
  if (sign === '-' && unit === '' && flags === '') return args;
  const isBytes = unit !== '' && unit !== 'l';
  const size = `${count}${unit === 'c' || unit === 'l' ? '' : unit}`;
  const option = `-${isBytes ? 'c' : 'n'}${sign === '+' ? '+' : ''}${size}`;
  return [option, ...(flags === '' ? [] : [`-${flags}`]), ...rest];
}

async function head(tool: Tool): Promise<undefined> {
  const options = tool.options(
    {
      short: 'c:n:qvz',
      long: {
        bytes: 'c:',
        lines: 'n:',
        quiet: 'q',
        silent: 'q',
        verbose: 'v',
        'zero-terminated': 'z',
      },
      digits: true,
    },
    withoutOldForm(tool.args, false),
  );
  return run(tool, options, false);
}

async function tail(tool: Tool): Promise<undefined> {
  const options = tool.options(
    {
      short: 'c:fFn:qs:vz',
      long: {
        bytes: 'c:',
        follow: 'f::',
        lines: 'n:',
        'max-unchanged-stats': 'ignored:',
        pid: 'pid:',
        quiet: 'q',
        silent: 'q',
        retry: 'retry',
        'sleep-interval': 's:',
        verbose: 'v',
        'zero-terminated': 'z',
      },
      digits: true,
    },
    withoutOldForm(tool.args, true),
  );
  const [pid, pause] = [options.get('pid') ?? '0', options.get('s') ?? '0'];
  if (!/^\d+$/.test(pid)) throw new UsageError(`invalid PID: '${pid}'`, { hint: false });
  if (!/^(\d+\.?\d*|\.\d+)$/.test(pause))
    throw new UsageError(`invalid number of seconds: '${pause}'`, { hint: false });
  if (options.has('f') || options.has('F')) {
    tool.warn('warning: following is not possible here; showing what there is now');
  } else {
    if (options.has('retry'))
      tool.warn('warning: --retry ignored; --retry is useful only when following');
    if (options.has('pid'))
      tool.warn('warning: PID ignored; --pid=PID is useful only when following');
  }
  return run(tool, options, true);
}

/** head and tail. */
export const headShims: ShimFactory = (host) => [
  defineTool(host, { name: 'head', usage: 'Usage: head [OPTION]... [FILE]...' }, head),
  defineTool(host, { name: 'tail', usage: 'Usage: tail [OPTION]... [FILE]...' }, tail),
];
