/** shuf. */
import { randomInt } from 'node:crypto';
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, splitLines, type Tool, toBytes } from '../support/tool.ts';

function range(text: string): string[] {
  const match = /^(\d+)-(\d+)$/.exec(text);
  const [low, high] = [Number(match?.[1]), Number(match?.[2])];
  if (match === null || low > high + 1) {
    throw new UsageError(`invalid input range: '${text}'`, { hint: false });
  }
  return Array.from({ length: high - low + 1 }, (_, i) => String(low + i));
}

async function shuf(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'ei:n:o:rz',
    long: {
      echo: 'e',
      'input-range': 'i:',
      'head-count': 'n:',
      output: 'o:',
      repeat: 'r',
      'random-source': 'ignored:',
      'zero-terminated': 'z',
    },
  });
  const end = options.has('z') ? '\0' : '\n';
  const span = options.get('i');
  if (options.all('i').length > 1)
    throw new UsageError('multiple -i options specified', { hint: false });
  const limits = options.all('n').map((text) => {
    if (!/^\d+$/.test(text)) throw new UsageError(`invalid line count: '${text}'`, { hint: false });
    return Number(text);
  });
  const limit = Math.min(...limits, Infinity);
  if (span !== undefined && options.has('e'))
    throw new UsageError('cannot combine -e and -i options');
  if (span !== undefined && options.operands[0] !== undefined)
    throw new UsageError(`extra operand '${options.operands[0]}'`);
  let lines: string[];
  if (options.has('e')) lines = options.operands.map(toBytes);
  else if (span !== undefined) lines = range(span);
  else {
    const [name = '-', extra] = options.operands;
    if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
    const content = await tool.tryRead(name);
    if (content === undefined) return;
    lines = splitLines(content, end);
  }
  if (options.has('r')) {
    if (limit === Infinity)
      throw new UsageError('-r needs -n COUNT here: there is nobody to stop it');
    const pool = lines;
    if (pool.length === 0 && limit > 0) throw new UsageError('no lines to repeat', { hint: false });
    lines = Array.from({ length: limit }, () => pool[randomInt(pool.length)] ?? '');
  } else {
    for (let i = lines.length - 1; i > 0; i--) {
      const j = randomInt(i + 1);
      [lines[i], lines[j]] = [lines[j] ?? '', lines[i] ?? ''];
    }
  }
  const text = lines
    .slice(0, limit)
    .map((line) => line + end)
    .join('');
  const output = options.get('o');
  if (output === undefined) tool.write(text);
  else await tool.attempt(output, () => tool.save(output, text));
}

/** shuf. */
export const shufShims: ShimFactory = (host) => [
  defineTool(host, { name: 'shuf', usage: 'Usage: shuf [OPTION]... [FILE]' }, shuf),
];
