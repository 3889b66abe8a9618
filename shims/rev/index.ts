/** rev: the characters of every line in reverse. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { defineTool, splitLines, type Tool, toBytes, toText } from '../support/tool.ts';

/** Characters of a line; undefined where it is no UTF-8. */
function charactersOf(line: string): string[] | undefined {
  const text = toText(line);
  return toBytes(text) === line ? Array.from(text) : undefined;
}

/** Reverses the lines of a file; null is stdin, of which there is no name. */
async function reversed(tool: Tool, name: string | null): Promise<void> {
  const content =
    name === null
      ? tool.stdin
      : await tool.attempt(`cannot open ${name}`, async () =>
          (await tool.readBytes(name === '-' ? './-' : name)).toString('latin1'),
        );
  if (content === undefined) return;
  for (const [index, line] of splitLines(content).entries()) {
    const characters = charactersOf(line);
    if (characters === undefined) {
      tool.fail(`${name ?? 'stdin'}: ${index}: Invalid or incomplete multibyte or wide character`);
      return;
    }
    tool.print(`${characters.reverse().join('')}\n`);
    const rest = tool.pulse();
    if (rest !== undefined) await rest;
  }
  // As it came: a last line without its newline keeps none.
  if (content !== '' && !content.endsWith('\n')) tool.write(tool.take().slice(0, -1));
}

async function rev(tool: Tool): Promise<undefined> {
  const { operands } = tool.options({ short: '', long: {} });
  for (const name of operands.length === 0 ? [null] : operands) await reversed(tool, name);
}

/** rev. */
export const revShims: ShimFactory = (host) => [
  defineTool(
    host,
    { name: 'rev', usage: 'Usage: rev [FILE]...\nReverse the characters of every line.' },
    rev,
  ),
];
