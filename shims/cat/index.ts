/** cat: the built-in one, which calls a directory a file that is not there. */
import type { ExecResult } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import { defineTool, errnoOf, type Tool } from '../support/tool.ts';

const MISSING = ': No such file or directory';

async function cat(tool: Tool): Promise<ExecResult> {
  const result = await tool.original();
  if (result.exitCode === 0) return result;
  const lines: string[] = [];
  for (const line of result.stderr.split('\n')) {
    const name =
      line.startsWith('cat: ') && line.endsWith(MISSING)
        ? line.slice('cat: '.length, -MISSING.length)
        : null;
    lines.push(
      name !== null && (await isDirectory(tool, name)) ? `cat: ${name}: Is a directory` : line,
    );
    if (/^cat: (?:invalid|unrecognized) option/.test(line)) {
      lines.push("Try 'cat --help' for more information.");
    }
  }
  return { ...result, stderr: lines.join('\n') };
}

async function isDirectory(tool: Tool, name: string): Promise<boolean> {
  try {
    return (await tool.fs.stat(tool.path(name))).isDirectory;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** cat. */
export const catShims: ShimFactory = (host) => [
  defineTool(host, { name: 'cat', usage: 'Usage: cat [OPTION]... [FILE]...' }, cat),
];
