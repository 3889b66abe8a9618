/** tee, with -a. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { wordOf } from '../support/getopt.ts';
import { defineTool, type Tool, toBuffer } from '../support/tool.ts';

const MODES = ['warn', 'warn-nopipe', 'exit', 'exit-nopipe'];

async function tee(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'aip',
    long: { append: 'a', 'ignore-interrupts': 'i', 'output-error': 'p::' },
  });
  const mode = wordOf('--output-error', options.get('p') || 'warn', MODES);
  const input = tool.stdin;
  tool.write(input);
  for (const name of options.operands) {
    await tool.attempt(name, async () => {
      if (options.has('a')) await tool.fs.appendFile(tool.path(name), toBuffer(input));
      else await tool.save(name, input);
    });
    if (tool.status !== 0 && mode.startsWith('exit')) return;
  }
}

/** tee. */
export const teeShims: ShimFactory = (host) => [
  defineTool(host, { name: 'tee', usage: 'Usage: tee [OPTION]... [FILE]...' }, tee),
];
