/** yes and nproc. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool, toBytes } from '../support/tool.ts';

/** A pipeline's stages run one after the other, so what is endless elsewhere ends here. Bytes. */
const MOST = 16 * 1024 * 1024;

/** The line that fills an input, if it is as much as `yes` gives; else null. Both are bytes. */
export function endlessLine(input: Buffer): Buffer | null {
  if (input.length < MOST) return null;
  const line = input.subarray(0, input.indexOf(0x0a) + 1);
  if (line.length === 0 || input.length !== Math.ceil(MOST / line.length) * line.length)
    return null;
  return input.subarray(line.length).equals(input.subarray(0, -line.length)) ? line : null;
}

async function yes(tool: Tool): Promise<undefined> {
  const { operands } = tool.options({ short: '' });
  const line = `${toBytes(operands.length === 0 ? 'y' : operands.join(' '))}\n`;
  tool.write(line.repeat(Math.ceil(MOST / line.length)));
  tool.fs.noteEndless(tool.name);
  // As if its reader had gone: `yes | head` never sees this.
  tool.status = 141;
}

async function nproc(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: '', long: { all: 'all', ignore: 'ignore:' } });
  const [extra] = options.operands;
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
  const ignored = options.get('ignore') ?? '0';
  if (!/^\d+$/.test(ignored)) throw new UsageError(`invalid number: '${ignored}'`, { hint: false });
  // There is one, and that cannot be ignored.
  tool.print('1\n');
}

/** yes and nproc. */
export const yesShims: ShimFactory = (host) => [
  defineTool(host, { name: 'yes', usage: 'Usage: yes [STRING]...' }, yes),
  defineTool(host, { name: 'nproc', usage: 'Usage: nproc [OPTION]...' }, nproc),
];
