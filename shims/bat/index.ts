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
  size: boolean;
  grid: boolean;
  /** A column for what changed since the last commit, of which nothing is known here. */
  changes: boolean;
}

/** What stands around the text: nothing, unless it is asked for, or seen at a terminal. */
function styleOf(options: Options, seen: boolean): Style {
  const plain = { numbers: false, header: false, size: false, grid: false, changes: false };
  const decorations = options.get('decorations') ?? 'auto';
  if (decorations === 'never' || (options.has('p') && !options.has('n'))) return plain;
  const shown = decorations === 'always' || seen || options.has('f');
  if (options.has('n')) return { ...plain, numbers: shown || decorations === 'auto' };
  if (!shown) return plain;
  const words = (options.get('style') ?? 'default').split(',');
  const has = (...names: string[]): boolean => names.some((name) => words.includes(name));
  return {
    numbers: has('full', 'default', 'auto', 'numbers'),
    header: has('full', 'default', 'auto', 'header', 'header-filename'),
    size: has('full', 'header-filesize'),
    grid: has('full', 'default', 'auto', 'grid'),
    changes: has('full', 'default', 'auto', 'changes'),
  };
}

function widthOf(options: Options): number {
  const text = options.get('width') ?? '80';
  if (!/^[1-9]\d*$/.test(text))
    throw new UsageError(`Invalid terminal width '${text}'`, { hint: false });
  return Number(text);
}

function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.floor(Math.log10(bytes) / 3);
  return `${(bytes / 1000 ** power).toFixed(1)} ${' KMGT'[power]}B`;
}

/** @param name as the header tells it, '' for standard input */
function show(tool: Tool, options: Options, name: string, content: string, style: Style): void {
  const lines = splitLines(content).map(toText);
  const ranges = options.all('r').map((text) => rangeOf(text, lines.length));
  const takes = (number: number): boolean =>
    ranges.length === 0 || ranges.some(([first, last]) => number >= first && number <= last);
  const width = widthOf(options);
  const gutter = style.changes ? 7 : 5;
  const rule = (cross: string): string =>
    style.numbers
      ? `${'─'.repeat(gutter)}${cross}${'─'.repeat(width - 1 - gutter)}\n`
      : `${'─'.repeat(width)}\n`;
  if (style.grid) tool.print(rule('┬'));
  const before = style.numbers ? `${' '.repeat(gutter)}${style.grid ? '│ ' : ''}` : '';
  const head = style.header || style.size;
  if (style.header) {
    const title = name === '' ? 'STDIN' : `File: ${name}`;
    tool.print(`${before}${title}${content === '' ? '   <EMPTY>' : ''}\n`);
  }
  if (style.size) tool.print(`${before}Size: ${name === '' ? '-' : sizeText(content.length)}\n`);
  if (style.grid && head && content !== '') tool.print(rule('┼'));
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
      'terminal-width': 'width:',
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
  let first = true;
  for (const name of options.operands.length === 0 ? ['-'] : options.operands) {
    const content = await tool.tryRead(name, 1, `'${name}'`);
    if (content === undefined) continue;
    const plain =
      !style.numbers &&
      !style.header &&
      !style.size &&
      !style.grid &&
      !options.has('A') &&
      !options.has('r') &&
      !options.has('s');
    if (plain) tool.write(content);
    else {
      if ((style.header || style.size) && !style.grid && !first) tool.print('\n');
      show(tool, options, options.get('file-name') ?? (name === '-' ? '' : name), content, style);
    }
    first = false;
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
