/** look: lines that begin with a string. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, splitLines, type Tool, toBytes } from '../support/tool.ts';

const WORDS = '/usr/share/dict/words';

async function look(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'abdft:',
    long: { alternative: 'a', alphanum: 'd', 'ignore-case': 'f', terminate: 't:', binary: 'b' },
  });
  const [prefix, file] = options.operands;
  if (prefix === undefined) throw new UsageError('bad usage');
  const content = await tool.tryRead(file ?? WORDS, 1, file ?? WORDS);
  if (content === undefined) return;
  const alphanum = options.has('d') || file === undefined;
  const fold = options.has('f') || file === undefined;
  const stop = options.get('t');
  const key = (line: string): string => {
    const kept = alphanum ? line.replace(/[^A-Za-z0-9\s\x80-\xff]/g, '') : line;
    return fold ? kept.toLowerCase() : kept;
  };
  const wanted = key(
    toBytes(stop === undefined ? prefix : prefix.slice(0, prefix.indexOf(stop) + 1 || undefined)),
  );
  tool.status = 1;
  for (const line of splitLines(content)) {
    if (!key(line).startsWith(wanted)) continue;
    tool.status = 0;
    tool.write(`${line}\n`);
  }
}

/** look. */
export const lookShims: ShimFactory = (host) => [
  defineTool(host, { name: 'look', usage: 'Usage: look [options] <string> [<file>]' }, look),
];
