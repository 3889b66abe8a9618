/** sponge, ts, ifne, pee, chronic, combine, vipe: what moreutils has. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, splitLines, type Tool, toBuffer, toBytes } from '../support/tool.ts';
import { ts } from './ts.ts';

async function sponge(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'a' });
  const [file] = options.operands;
  if (file === undefined) {
    tool.write(tool.stdin);
    return;
  }
  const path = tool.path(file);
  await tool.attempt(file, () =>
    options.has('a')
      ? tool.fs.appendFile(path, toBuffer(tool.stdin))
      : tool.fs.writeFile(path, toBuffer(tool.stdin)),
  );
}

async function ifne(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'n', stopAtOperand: true });
  if (options.operands.length === 0) throw new UsageError('a command is needed');
  const empty = tool.stdin === '';
  if (empty !== options.has('n')) {
    // With -n what is not empty goes through.
    if (options.has('n')) tool.write(tool.stdin);
    return;
  }
  const { stdout, stderr, exitCode } = await tool.spawn(options.operands, tool.stdin);
  tool.write(stdout);
  tool.stderr += stderr;
  tool.status = exitCode;
}

async function pee(tool: Tool): Promise<undefined> {
  for (const command of tool.args.filter((arg) => !/^--(?:no-)?ignore-/.test(arg))) {
    const { stdout, stderr, exitCode } = await tool.spawn(['sh', '-c', command], tool.stdin);
    tool.write(stdout);
    tool.stderr += stderr;
    tool.status |= exitCode;
  }
}

async function chronic(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'ev', stopAtOperand: true });
  if (options.operands.length === 0) throw new UsageError('a command is needed');
  const { stdout, stderr, exitCode } = await tool.spawn(options.operands, tool.stdin);
  // What speaks on stderr failed in the eyes of -e.
  tool.status = exitCode === 0 && options.has('e') && stderr !== '' ? 2 : exitCode;
  if (tool.status === 0) return;
  tool.write(stdout);
  tool.stderr += stderr;
}

async function combine(tool: Tool): Promise<undefined> {
  const [first, operator, second, extra] = tool.args;
  if (first === undefined || operator === undefined || second === undefined || extra !== undefined)
    throw new UsageError('usage: combine FILE and|not|or|xor FILE');
  const left = await tool.tryRead(first);
  const right = await tool.tryRead(second);
  if (left === undefined || right === undefined) return;
  const [a, b] = [splitLines(left), splitLines(right)];
  const [inA, inB] = [new Set(a), new Set(b)];
  const rows: Readonly<Record<string, () => string[]>> = {
    and: () => a.filter((line) => inB.has(line)),
    not: () => a.filter((line) => !inB.has(line)),
    or: () => [...a, ...b],
    xor: () => [...a.filter((line) => !inB.has(line)), ...b.filter((line) => !inA.has(line))],
  };
  const made = Object.hasOwn(rows, operator.toLowerCase())
    ? rows[operator.toLowerCase()]
    : undefined;
  if (made === undefined) throw new UsageError(`unknown operation '${operator}'`);
  for (const line of made()) tool.write(`${line}\n`);
}

async function vipe(): Promise<undefined> {
  throw new UsageError(
    'there is no editor in a pipe here: write the text to a file, and use edit FILE at a terminal, or sed -i',
    { hint: false },
  );
}

async function mispipe(tool: Tool): Promise<undefined> {
  const [first, second] = tool.args;
  if (first === undefined || second === undefined)
    throw new UsageError('usage: mispipe COMMAND COMMAND');
  const left = await tool.spawn(['sh', '-c', first], tool.stdin);
  const right = await tool.spawn(['sh', '-c', second], left.stdout);
  tool.write(right.stdout);
  tool.stderr += left.stderr + right.stderr;
  tool.status = left.exitCode;
}

async function isutf8(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'qli', long: { quiet: 'q', list: 'l', invert: 'i' } });
  for (const name of options.operands.length === 0 ? ['-'] : options.operands) {
    const content = await tool.tryRead(name);
    if (content === undefined) continue;
    const valid = toBytes(toBuffer(content).toString('utf8')) === content;
    if (!valid) tool.status = 1;
    if (options.has('q')) continue;
    if (options.has('i')) tool.print(valid ? `${name}\n` : '');
    else if (!valid) tool.print(options.has('l') ? `${name}\n` : `${name}: invalid UTF-8 code\n`);
  }
}

const TOOLS: ReadonlyArray<
  readonly [name: string, usage: string, body: (tool: Tool) => Promise<undefined>]
> = [
  [
    'sponge',
    'Usage: sponge [-a] [FILE]\nSoak up standard input, and write it to FILE at its end; -a appends.',
    sponge,
  ],
  [
    'ts',
    'Usage: ts [-r] [-i | -s] [-m] [-u] [FORMAT]\nPut the time before each line of standard input.\n\n  -i  since the last line   -s  since the beginning   -u  in UTC   FORMAT  of strftime ("%b %d %H:%M:%S")',
    ts,
  ],
  [
    'ifne',
    'Usage: ifne [-n] COMMAND\nRun COMMAND if standard input is not empty; -n: if it is.',
    ifne,
  ],
  ['pee', 'Usage: pee COMMAND...\nRun each COMMAND with standard input.', pee],
  [
    'chronic',
    'Usage: chronic [-e] COMMAND\nRun COMMAND, and print what it says only if it fails; -e: or speaks on stderr.',
    chronic,
  ],
  [
    'combine',
    'Usage: combine FILE and|not|or|xor FILE\nLines that both files, or one of them, have.',
    combine,
  ],
  ['vipe', 'Usage: vipe\nNot here: use edit FILE.', vipe],
  [
    'mispipe',
    'Usage: mispipe COMMAND1 COMMAND2\nPipe one into the other, with the status of the first.',
    mispipe,
  ],
  ['isutf8', 'Usage: isutf8 [-q] [-l] [-i] [FILE]...\nCheck whether files are UTF-8.', isutf8],
];

/** sponge, ts, ifne, pee, chronic, combine, vipe, mispipe, isutf8. */
export const spongeShims: ShimFactory = (host) =>
  TOOLS.map(([name, usage, body]) => defineTool(host, { name, usage }, body));
