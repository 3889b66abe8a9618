/** paste. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, splitLines, type Tool, toBytes } from '../support/tool.ts';

function delimiters(text: string): string[] {
  const escapes: Readonly<Record<string, string>> = {
    n: '\n',
    t: '\t',
    b: '\b',
    f: '\f',
    r: '\r',
    v: '\v',
    '\\': '\\',
    '0': '',
  };
  if (/^(?:[^\\]|\\[\s\S])*\\$/.test(text)) {
    throw new UsageError(`delimiter list ends with an unescaped backslash: ${text}`, {
      hint: false,
    });
  }
  const out = [...text.matchAll(/\\([\s\S])|[\s\S]/gu)].map(([whole, letter]) =>
    letter === undefined ? toBytes(whole) : (escapes[letter] ?? letter),
  );
  return out.length === 0 ? [''] : out;
}

async function paste(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'd:sz',
    long: { delimiters: 'd:', serial: 's', 'zero-terminated': 'z' },
  });
  const end = options.has('z') ? '\0' : '\n';
  const between = delimiters(options.get('d') ?? '\t');
  const names = options.operands.length === 0 ? ['-'] : options.operands;
  const files: string[][] = [];
  let stdin: string[] | undefined;
  for (const name of names) {
    if (name === '-' && stdin !== undefined) {
      files.push(stdin);
      continue;
    }
    const content = await tool.tryRead(name);
    if (content === undefined) {
      if (options.has('s')) continue;
      return;
    }
    const lines = splitLines(content, end);
    if (name === '-') stdin = lines;
    files.push(lines);
  }
  const join = (cells: readonly string[]): string =>
    cells.reduce(
      (line, cell, i) => (i === 0 ? cell : line + between[(i - 1) % between.length] + cell),
      '',
    );
  if (options.has('s')) {
    for (const lines of files) tool.write(join(lines) + end);
    return;
  }
  // One `-` after another takes turns at the same lines.
  const at = new Map<string[], number>(files.map((lines) => [lines, 0]));
  while ([...at].some(([lines, next]) => next < lines.length)) {
    const cells = files.map((lines) => {
      const next = at.get(lines) ?? 0;
      at.set(lines, next + 1);
      return lines[next] ?? '';
    });
    tool.write(join(cells) + end);
    const rest = tool.pulse();
    if (rest !== undefined) await rest;
  }
}

/** paste. */
export const pasteShims: ShimFactory = (host) => [
  defineTool(host, { name: 'paste', usage: 'Usage: paste [OPTION]... [FILE]...' }, paste),
];
