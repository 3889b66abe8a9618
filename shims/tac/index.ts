/** tac. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { posixRegex } from '../support/regex.ts';
import { defineTool, type Tool, toBytes, toText } from '../support/tool.ts';

/** Where separators stand in a text, from the first to the last. */
function* separators(
  text: string,
  separator: string | RegExp,
): Generator<[from: number, to: number]> {
  if (typeof separator !== 'string') {
    for (const match of text.matchAll(separator)) {
      if (match[0] !== '') yield [match.index, match.index + match[0].length];
    }
    return;
  }
  for (let at = text.indexOf(separator); at >= 0; ) {
    yield [at, at + separator.length];
    at = text.indexOf(separator, at + separator.length);
  }
}

/** A text cut behind its separators, or before them. */
function records(text: string, separator: string | RegExp, before: boolean): string[] {
  const out: string[] = [];
  let start = 0;
  for (const [from, to] of separators(text, separator)) {
    const end = before ? from : to;
    out.push(text.slice(start, end));
    start = end;
  }
  out.push(text.slice(start));
  return out;
}

async function tac(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'brs:',
    long: { before: 'b', regex: 'r', separator: 's:' },
  });
  const given = options.get('s') ?? '\n';
  const isRegex = options.has('r');
  if (given === '' && isRegex) throw new UsageError('separator cannot be empty', { hint: false });
  // An empty separator is a NUL, as to GNU.
  const separator = isRegex ? posixRegex(given, 'emacs', 'gm') : toBytes(given || '\0');
  for (const name of options.operands.length === 0 ? ['-'] : options.operands) {
    const content = await tool.attempt(`failed to open '${name}' for reading`, () =>
      tool.read(name),
    );
    if (content === undefined) continue;
    const text = isRegex ? toText(content) : content;
    const backward = records(text, separator, options.has('b')).reverse().join('');
    if (isRegex) tool.print(backward);
    else tool.write(backward);
  }
}

/** tac. */
export const tacShims: ShimFactory = (host) => [
  defineTool(host, { name: 'tac', usage: 'Usage: tac [OPTION]... [FILE]...' }, tac),
];
