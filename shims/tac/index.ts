/** tac. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { posixRegex } from '../support/regex.ts';
import { defineTool, type Tool, toBytes, toText } from '../support/tool.ts';

/** Where separators stand in a text, looked for from its end: of `XXX` the last `XX` is one. */
function* separators(
  text: string,
  separator: string | RegExp,
): Generator<[from: number, to: number]> {
  if (typeof separator === 'string') {
    for (let end = text.length; end >= separator.length; ) {
      const at = text.lastIndexOf(separator, end - separator.length);
      if (at < 0) return;
      yield [at, at + separator.length];
      end = at;
    }
    return;
  }
  let before = text;
  for (let at = text.length - 1; at >= 0; at--) {
    separator.lastIndex = at;
    const match = separator.exec(before);
    if (match === null) continue;
    yield [at, at + match[0].length];
    before = text.slice(0, at);
  }
}

/** A text cut behind its separators, or before them, from the last piece to the first. */
function records(text: string, separator: string | RegExp, before: boolean): string[] {
  const out: string[] = [];
  let end = text.length;
  for (const [from, to] of separators(text, separator)) {
    const start = before ? from : to;
    out.push(text.slice(start, end));
    end = start;
  }
  out.push(text.slice(0, end));
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
  const separator = isRegex ? posixRegex(given, 'emacs', 'my') : toBytes(given || '\0');
  for (const name of options.operands.length === 0 ? ['-'] : options.operands) {
    const content = await tool.attempt(`failed to open '${name}' for reading`, () =>
      tool.read(name),
    );
    if (content === undefined) continue;
    const text = isRegex ? toText(content) : content;
    const backward = records(text, separator, options.has('b')).join('');
    if (isRegex) tool.print(backward);
    else tool.write(backward);
  }
}

/** tac. */
export const tacShims: ShimFactory = (host) => [
  defineTool(host, { name: 'tac', usage: 'Usage: tac [OPTION]... [FILE]...' }, tac),
];
