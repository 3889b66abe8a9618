/** basename and dirname, with GNU's treatment of slashes, -a, -s and -z. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool } from '../support/tool.ts';

/** The last component of a path; `/` for the root. */
export function baseOf(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  if (trimmed === '') return path === '' ? '' : '/';
  return trimmed.slice(trimmed.lastIndexOf('/') + 1);
}

/** All but the last component of a path. */
export function dirOf(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  if (trimmed === '') return path === '' ? '.' : '/';
  const slash = trimmed.lastIndexOf('/');
  if (slash < 0) return '.';
  return trimmed.slice(0, slash).replace(/\/+$/, '') || '/';
}

function strip(name: string, suffix: string): string {
  return suffix !== '' && name !== suffix && name.endsWith(suffix)
    ? name.slice(0, -suffix.length)
    : name;
}

async function basename(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'as:z',
    long: { multiple: 'a', suffix: 's:', zero: 'z' },
    stopAtOperand: true,
  });
  const [first, second, third] = options.operands;
  if (first === undefined) throw new UsageError('missing operand');
  const end = options.has('z') ? '\0' : '\n';
  if (options.has('a') || options.has('s')) {
    const suffix = options.get('s') ?? '';
    for (const path of options.operands) tool.print(strip(baseOf(path), suffix) + end);
    return;
  }
  if (third !== undefined) throw new UsageError(`extra operand '${third}'`);
  tool.print(strip(baseOf(first), second ?? '') + end);
}

async function dirname(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'z', long: { zero: 'z' } });
  if (options.operands.length === 0) throw new UsageError('missing operand');
  const end = options.has('z') ? '\0' : '\n';
  for (const path of options.operands) tool.print(dirOf(path) + end);
}

/** basename and dirname. */
export const basenameShims: ShimFactory = (host) => [
  defineTool(host, { name: 'basename', usage: 'Usage: basename NAME [SUFFIX]' }, basename),
  defineTool(host, { name: 'dirname', usage: 'Usage: dirname [OPTION] NAME...' }, dirname),
];
