/** bat: cat with numbers, ranges and signs for what cannot be seen. Nothing is coloured here. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, splitLines, type Tool, toText } from '../support/tool.ts';

/** A range of lines, from 1, both ends in it. */
type Range = [first: number, last: number];

function rangeOf(text: string, count: number): Range {
  const match = /^(-?\d+)?(?:(:)(\+)?(-?\d+)?)?$/.exec(text);
  if (match === null || text === '' || text === ':')
    throw new UsageError(`Invalid line range '${text}'`, { hint: false });
  const [, first, colon, plus, last] = match;
  const from =
    first === undefined ? 1 : Number(first) < 0 ? count + Number(first) + 1 : Number(first);
  if (colon === undefined) return [from, from];
  if (last === undefined) return [from, Infinity];
  if (plus !== undefined) return [from, from + Number(last)];
  return [from, Number(last) < 0 ? count + Number(last) : Number(last)];
}

const TAB = 4;

/** Tabs, blanks and control characters as signs. */
function visible(line: string): string {
  let out = '';
  let column = 0;
  for (const char of line) {
    const code = char.codePointAt(0) ?? 0;
    let sign = char;
    if (char === '\t') {
      const width = TAB - (column % TAB);
      sign = width === 1 ? '↹' : `├${'─'.repeat(width - 2)}┤`;
    } else if (char === ' ') sign = '·';
    else if (code < 0x20) sign = String.fromCodePoint(0x2400 + code);
    else if (code === 0x7f) sign = '␡';
    out += sign;
    column += [...sign].length;
  }
  return out;
}

interface Style {
  numbers: boolean;
  header: boolean;
  grid: boolean;
  /** A column for what changed since the last commit, of which nothing is known here. */
  changes: boolean;
}

/** What stands around the text: nothing, unless it is asked for, or seen at a terminal. */
function styleOf(options: Options, seen: boolean): Style {
  const plain = { numbers: false, header: false, grid: false, changes: false };
  if (options.has('p')) return plain;
  const decorations = options.get('decorations') ?? 'auto';
  if (decorations === 'never') return plain;
  const shown = decorations === 'always' || seen || options.has('f');
  if (options.has('n')) return { ...plain, numbers: shown || decorations === 'auto' };
  if (!shown) return plain;
  const words = (options.get('style') ?? 'full').split(',');
  const has = (...names: string[]): boolean => names.some((name) => words.includes(name));
  return {
    numbers: has('full', 'default', 'auto', 'numbers'),
    header: has('full', 'default', 'auto', 'header', 'header-filename'),
    grid: has('full', 'default', 'auto', 'grid'),
    changes: has('full', 'default', 'auto', 'changes'),
  };
}

function show(tool: Tool, options: Options, name: string, content: string, style: Style): void {
  const lines = splitLines(content).map(toText);
  const ranges = options.all('r').map((text) => rangeOf(text, lines.length));
  const takes = (number: number): boolean =>
    ranges.length === 0 || ranges.some(([first, last]) => number >= first && number <= last);
  const gutter = style.changes ? 7 : 5;
  const rule = (cross: string): string =>
    style.numbers
      ? `${'─'.repeat(gutter)}${cross}${'─'.repeat(79 - gutter)}\n`
      : `${'─'.repeat(80)}\n`;
  if (style.grid) tool.print(rule('┬'));
  if (style.header)
    tool.print(`${style.grid && style.numbers ? `${' '.repeat(gutter)}│ ` : ''}File: ${name}\n`);
  if (style.grid && style.header) tool.print(rule('┼'));
  const squeeze = options.has('s');
  let blank = false;
  for (const [index, line] of lines.entries()) {
    if (!takes(index + 1)) continue;
    if (squeeze && line === '' && blank) continue;
    blank = line === '';
    const number = style.numbers
      ? `${String(index + 1).padStart(4)}${style.grid ? `${' '.repeat(gutter - 4)}│` : ''} `
      : '';
    const ended = index < lines.length - 1 || content.endsWith('\n');
    const text = options.has('A') ? visible(ended ? `${line}\n` : line) : line;
    tool.print(`${number}${text}${ended || style.numbers ? '\n' : ''}`);
  }
  if (style.grid) tool.print(rule('┴'));
}

async function bat(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'Ad:fH:l:m:np::Pr:s',
    long: {
      color: 'ignored:',
      decorations: 'decorations:',
      diff: 'diff',
      'file-name': 'file-name:',
      'force-colorization': 'f',
      'highlight-line': 'H:',
      'italic-text': 'ignored:',
      language: 'l:',
      'line-range': 'r:',
      'list-languages': 'list',
      'list-themes': 'list',
      'map-syntax': 'm:',
      'no-paging': 'P',
      number: 'n',
      pager: 'ignored:',
      paging: 'ignored:',
      plain: 'p::',
      'show-all': 'A',
      'squeeze-blank': 's',
      style: 'style:',
      tabs: 'ignored:',
      'terminal-width': 'ignored:',
      theme: 'ignored:',
      wrap: 'ignored:',
    },
  });
  if (options.has('diff'))
    throw new UsageError('--diff is not here: there is diff', { hint: false });
  if (options.has('list'))
    throw new UsageError('there are no languages and themes here: nothing is coloured', {
      hint: false,
    });
  const seen = (tool.ctx.env.get('DIRIGENT_IO') ?? '').includes('t');
  const style = styleOf(options, seen);
  for (const name of options.operands.length === 0 ? ['-'] : options.operands) {
    const content = await tool.tryRead(name, 1, `'${name}'`);
    if (content === undefined) continue;
    const plain =
      !style.numbers &&
      !style.header &&
      !style.grid &&
      !options.has('A') &&
      !options.has('r') &&
      !options.has('s');
    if (plain) tool.write(content);
    else
      show(
        tool,
        options,
        options.get('file-name') ?? (name === '-' ? 'STDIN' : name),
        content,
        style,
      );
  }
}

const usage = (
  name: string,
): string => `Usage: ${name} [OPTIONS] [FILE]...\nPrint files; in a pipe as cat does.

  -n, --number   -p, --plain   -A, --show-all   -s, --squeeze-blank
  -r, --line-range N:M        those lines, also N, N:, :M, N:+K
      --style LIST            full, plain, numbers, header, grid
      --decorations WHEN      auto, always, never`;

/** bat, batcat. */
export const batShims: ShimFactory = (host) => [
  defineTool(host, { name: 'bat', usage: usage('bat') }, bat),
  defineTool(host, { name: 'batcat', usage: usage('batcat') }, bat),
];
