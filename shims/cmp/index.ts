/** cmp. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, parseSize, type Tool } from '../support/tool.ts';

function size(text: string | undefined, what: string): number | undefined {
  if (text === undefined) return undefined;
  const value = parseSize(text);
  if (value === undefined) throw new UsageError(`invalid ${what} '${text}'`);
  return value;
}

function skips(options: Options): [number, number] {
  const [first, second] = (options.get('i') ?? '0').split(':');
  const a = size(options.operands[2] ?? first, '--ignore-initial value') ?? 0;
  const b = size(
    options.operands[3] ?? second ?? (options.operands[2] === undefined ? first : '0'),
    '--ignore-initial value',
  );
  return [a, b ?? 0];
}

function visible(code: number): string {
  if (code >= 128) return `M-${visible(code - 128)}`;
  if (code === 127) return '^?';
  return code < 32 ? `^${String.fromCharCode(code + 64)}` : String.fromCharCode(code);
}

async function each(
  tool: Tool,
  a: string,
  b: string,
  offset: number,
  bytes: boolean,
): Promise<void> {
  const length = Math.min(a.length, b.length);
  const width = String(length + offset).length;
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x === y) continue;
    tool.status = 1;
    const [p, q] = [x, y].map((code) => code.toString(8).padStart(3));
    const line = bytes ? `${p} ${visible(x).padEnd(4)} ${q} ${visible(y)}` : `${p} ${q}`;
    tool.write(`${String(i + 1).padStart(width)} ${line}\n`);
    const rest = tool.pulse();
    if (rest !== undefined) await rest;
  }
}

function firstDifference(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a.charCodeAt(i) !== b.charCodeAt(i)) return i;
  return -1;
}

async function cmp(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'bi:ln:sv',
    long: {
      'print-bytes': 'b',
      'ignore-initial': 'i:',
      verbose: 'l',
      bytes: 'n:',
      quiet: 's',
      silent: 's',
    },
  });
  const [nameA, nameB = '-', , , extra] = options.operands;
  if (nameA === undefined) throw new UsageError("missing operand after 'cmp'");
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
  if (options.has('l') && options.has('s'))
    throw new UsageError('options -l and -s are incompatible');
  const limit = size(options.get('n'), '--bytes value') ?? Infinity;
  const [skipA, skipB] = skips(options);
  const fullA = await tool.tryRead(nameA, 2);
  const fullB = fullA === undefined ? undefined : await tool.tryRead(nameB, 2);
  if (fullA === undefined || fullB === undefined) {
    // -s says nothing, not even this; the status does.
    if (options.has('s') && !tool.stderr.includes('\ndirigent: ')) tool.stderr = '';
    return;
  }
  const a = fullA.slice(skipA, skipA + limit);
  const b = fullB.slice(skipB, skipB + limit);
  const differs = firstDifference(a, b) >= 0 && !options.has('l');
  if (differs || (a.length === limit && b.length === limit)) tool.enough();
  if (a === b) return;
  tool.status = 1;
  if (options.has('s')) return;
  const at = firstDifference(a, b);
  if (options.has('l')) await each(tool, a, b, 0, options.has('b'));
  if (at >= 0 && !options.has('l')) {
    const line = a.slice(0, at).split('\n').length;
    tool.print(`${nameA} ${nameB} differ: byte ${at + 1}, line ${line}`);
    if (options.has('b')) {
      const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
      tool.print(
        ` is ${x.toString(8).padStart(3)} ${visible(x)} ${y.toString(8).padStart(3)} ${visible(y)}`,
      );
    }
    tool.print('\n');
    return;
  }
  if (a.length === b.length) return;
  const [short, bytes] = a.length < b.length ? [nameA, a] : [nameB, b];
  const lines = bytes.split('\n').length;
  const where = bytes.endsWith('\n') ? `line ${lines - 1}` : `in line ${lines}`;
  tool.stderr +=
    bytes.length === 0
      ? `cmp: EOF on ${short} which is empty\n`
      : options.has('l')
        ? `cmp: EOF on ${short} after byte ${bytes.length}\n`
        : `cmp: EOF on ${short} after byte ${bytes.length}, ${where}\n`;
}

/** cmp. */
export const cmpShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'cmp',
      usage: 'Usage: cmp [OPTION]... FILE1 [FILE2 [SKIP1 [SKIP2]]]',
      usageStatus: 2,
      prefixHint: true,
    },
    cmp,
  ),
];
