/** file: the built-in one, save for what it takes for text and is none, and the words for JSON. */
import { latin1FromBytes, stdoutAsBytes } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import { defineTool, type Tool, toText } from '../support/tool.ts';

/** A byte that no text has: to file(1) those are all controls but these few. */
const NO_TEXT = /[\x00-\x06\x0e-\x1a\x1c-\x1f\x7f]/;

/** What the built-in one says of a text, in each of its forms. */
const TEXT = /: +(?:.*\btext\b.*|text\/plain.*)$/;

function mended(line: string, content: string | undefined, isMime: boolean): string {
  const isText = TEXT.test(line);
  if (isText && content !== undefined && NO_TEXT.test(content)) {
    return line.replace(/(: +).*$/, isMime ? '$1application/octet-stream' : '$1data');
  }
  return line.replace(/(: +)JSON data$/, '$1JSON text data');
}

async function file(tool: Tool): Promise<undefined> {
  const result = await tool.original();
  tool.stderr += result.stderr;
  tool.status = result.exitCode;
  const isMime = tool.args.some((arg) => /^(?:-i|--mime)/.test(arg));
  const lines = toText(latin1FromBytes(stdoutAsBytes(result))).split('\n');
  const isBrief = tool.args.some((arg) => /^(?:-[a-zA-Z]*b|--brief)/.test(arg));
  const names = tool.args.filter((arg) => arg === '-' || !arg.startsWith('-'));
  for (const [i, line] of lines.entries()) {
    const name = names[i];
    const end = i + 1 < lines.length ? '\n' : '';
    if (name === undefined) {
      tool.print(line + end);
      continue;
    }
    const content = TEXT.test(isBrief ? `: ${line}` : line)
      ? await contentOf(tool, name)
      : undefined;
    const whole = mended(isBrief ? `: ${line}` : line, content, isMime);
    tool.print((isBrief ? whole.slice(2) : whole) + end);
  }
}

/** What is in a file that the built-in one could read, too. */
async function contentOf(tool: Tool, name: string): Promise<string | undefined> {
  const path = tool.path(name);
  const isFile =
    name === '-' || ((await tool.fs.exists(path)) && (await tool.fs.stat(path)).isFile);
  return isFile ? (await tool.readBytes(name)).subarray(0, 65_536).toString('latin1') : undefined;
}

/** file. */
export const fileShims: ShimFactory = (host) => [
  defineTool(host, { name: 'file', usage: 'Usage: file [OPTION...] [FILE...]' }, file),
];
