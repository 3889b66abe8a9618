/** less and more: at a terminal a pager, elsewhere what they are given goes through as it is. */
import type { ShimFactory, ShimHost } from '../../src/shell/command.ts';
import { IO_VARIABLE } from '../../src/shell/shim-io.ts';
import type { PageView } from '../../src/shell/terminal.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool, toBytes, toText } from '../support/tool.ts';

const USAGE = `Usage: less [-FNS] [+LINE | +G | +/PATTERN] [FILE]...
At a terminal: space and b turn the page, j and k go by lines, g and G to the
beginning and the end, /TEXT searches, n and N go on with that, q ends.`;

async function less(tool: Tool, host: ShimHost): Promise<undefined> {
  // Options that say how a terminal is drawn are taken, and change nothing here.
  const plus = tool.args.filter((word) => word.startsWith('+'));
  const options = tool.options(
    {
      short: 'aAcdeEfFgGiIJKLmMnNqQrRsSuwWX',
      long: {
        'quit-if-one-screen': 'F',
        'LINE-NUMBERS': 'N',
        'line-numbers': 'n',
        'chop-long-lines': 'S',
        'no-init': 'X',
        'RAW-CONTROL-CHARS': 'R',
        'raw-control-chars': 'r',
        'ignore-case': 'i',
        'IGNORE-CASE': 'I',
        'quit-at-eof': 'e',
        'QUIT-AT-EOF': 'E',
      },
    },
    tool.args.filter((word) => !word.startsWith('+')),
  );
  const view: PageView = {
    title: options.operands.join(' ') || 'stdin',
    numbers: options.has('N'),
    chop: options.has('S'),
    quitIfShort: options.has('F') || tool.name === 'more',
    start: startOf(plus.at(-1)),
  };
  const io = tool.ctx.env.get(IO_VARIABLE) ?? '';
  if (options.operands.length === 0 && !io.includes('p')) {
    tool.fail('Missing filename ("less --help" for help)');
    return;
  }
  const texts: string[] = [];
  for (const name of options.operands.length === 0 ? ['-'] : options.operands) {
    const text = await tool.attempt(name, () => tool.read(name));
    if (text !== undefined) texts.push(headed(tool, name) + text);
  }
  const terminal = io.includes('t') ? (host.terminal?.() ?? null) : null;
  if (terminal === null) for (const text of texts) tool.write(text);
  else if (texts.length > 0) {
    await terminal.ask({ kind: 'page', text: texts.map(toText).join(''), view });
  }
}

/** Into a pipe, more writes the name of each file above it. */
function headed(tool: Tool, name: string): string {
  if (tool.name !== 'more' || name === '-' || isSeen(tool)) return '';
  const rule = '::::::::::::::';
  return `${rule}\n${toBytes(name)}\n${rule}\n`;
}

const isSeen = (tool: Tool): boolean => (tool.ctx.env.get(IO_VARIABLE) ?? '').includes('t');

/** `+12`, `+G`, `+/PATTERN` */
function startOf(word: string | undefined): PageView['start'] {
  const what = word?.slice(1) ?? '1';
  if (what.startsWith('/')) return { pattern: what.slice(1) };
  if (what === 'G') return 'end';
  if (/^\d+g?$/i.test(what)) return Math.max(1, Number.parseInt(what, 10));
  throw new UsageError(`${word}: only +LINE, +G and +/PATTERN are understood`);
}

/** less and more. */
export const lessShims: ShimFactory = (host) =>
  ['less', 'more'].map((name) =>
    defineTool(host, { name, usage: USAGE }, (tool) => less(tool, host)),
  );
