/** tput and reset: what a terminal is told, as xterm understands it. */
import type { ShimFactory, ShimHost } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool, toText } from '../support/tool.ts';

const ESC = '\x1b';

/** Texts by the name of the capability. */
const STRINGS: Readonly<Record<string, string>> = {
  bel: '\x07',
  blink: `${ESC}[5m`,
  bold: `${ESC}[1m`,
  civis: `${ESC}[?25l`,
  clear: `${ESC}[H${ESC}[2J${ESC}[3J`,
  cnorm: `${ESC}[?12l${ESC}[?25h`,
  cr: '\r',
  cub1: '\b',
  cud1: '\n',
  cuf1: `${ESC}[C`,
  cuu1: `${ESC}[A`,
  cvvis: `${ESC}[?12;25h`,
  dim: `${ESC}[2m`,
  ed: `${ESC}[J`,
  el: `${ESC}[K`,
  el1: `${ESC}[1K`,
  home: `${ESC}[H`,
  invis: `${ESC}[8m`,
  op: `${ESC}[39;49m`,
  rc: `${ESC}8`,
  rev: `${ESC}[7m`,
  ritm: `${ESC}[23m`,
  rmcup: `${ESC}[?1049l${ESC}[23;0;0t`,
  rmso: `${ESC}[27m`,
  rmul: `${ESC}[24m`,
  sc: `${ESC}7`,
  sgr0: `${ESC}(B${ESC}[m`,
  sitm: `${ESC}[3m`,
  smcup: `${ESC}[?1049h${ESC}[22;0;0t`,
  smso: `${ESC}[7m`,
  smul: `${ESC}[4m`,
};

const BOOLEANS = new Set(['am', 'bce', 'km', 'mir', 'msgr', 'npc', 'xenl']);
const UNSET = new Set(['bw', 'xsb', 'hs', 'eo', 'gn', 'hc', 'in', 'os', 'ul', 'xon']);

const number = (words: readonly string[], at: number): number => {
  const text = words[at] ?? '0';
  if (!/^\d+$/.test(text))
    throw new UsageError(`${text}: not a number`, { status: 4, hint: false });
  return Number(text);
};

function color(index: number, base: number): string {
  if (index < 8) return `${ESC}[${base + index}m`;
  return index < 16 ? `${ESC}[${base + 52 + index}m` : `${ESC}[${base + 8};5;${index}m`;
}

/** Capabilities that take numbers. */
function withNumbers(words: readonly string[]): string | undefined {
  const [name] = words;
  const first = (): number => number(words, 1);
  switch (name) {
    case 'setaf':
      return color(first(), 30);
    case 'setab':
      return color(first(), 40);
    case 'cup':
      return `${ESC}[${first() + 1};${number(words, 2) + 1}H`;
    case 'hpa':
      return `${ESC}[${first() + 1}G`;
    case 'vpa':
      return `${ESC}[${first() + 1}d`;
    case 'cuu':
      return `${ESC}[${first()}A`;
    case 'cud':
      return `${ESC}[${first()}B`;
    case 'cuf':
      return `${ESC}[${first()}C`;
    case 'cub':
      return `${ESC}[${first()}D`;
    default:
      return undefined;
  }
}

function size(tool: Tool, host: ShimHost, which: 'columns' | 'lines'): number {
  const named = Number(tool.ctx.env.get(which.toUpperCase()));
  if (Number.isInteger(named) && named > 0) return named;
  const terminal = host.terminal?.();
  return which === 'columns' ? (terminal?.columns ?? 80) : 24;
}

/** One line of a request. */
function answer(tool: Tool, host: ShimHost, words: readonly string[]): void {
  const [name = ''] = words;
  const text = Object.hasOwn(STRINGS, name) ? STRINGS[name] : withNumbers(words);
  if (text !== undefined) tool.print(text);
  else if (name === 'cols') tool.print(`${size(tool, host, 'columns')}\n`);
  else if (name === 'lines') tool.print(`${size(tool, host, 'lines')}\n`);
  else if (name === 'colors') tool.print('256\n');
  else if (name === 'pairs') tool.print('65536\n');
  else if (name === 'it') tool.print('8\n');
  else if (name === 'longname') tool.print('xterm with 256 colors');
  else if (name === 'reset' || name === 'init') tool.print(`${ESC}[!p${ESC}[?3;4l${ESC}[4l${ESC}>`);
  else if (BOOLEANS.has(name)) return;
  else if (UNSET.has(name)) tool.status = 1;
  else throw new UsageError(`unknown terminfo capability '${name}'`, { status: 4, hint: false });
}

const tput =
  (host: ShimHost) =>
  async (tool: Tool): Promise<undefined> => {
    const options = tool.options({ short: 'ST:Vx', stopAtOperand: true });
    const known = options.get('T') ?? tool.ctx.env.get('TERM') ?? '';
    if (known === '' && host.terminal?.() == null)
      throw new UsageError('No value for $TERM and no -T specified', { status: 2, hint: false });
    if (options.has('S')) {
      for (const line of toText(tool.stdin).split('\n')) {
        const words = line.split(/\s+/).filter((word) => word !== '');
        if (words.length > 0) answer(tool, host, words);
      }
      return;
    }
    if (options.operands.length === 0)
      throw new UsageError('usage: tput [-T TERM] capname [parameters]', { status: 2 });
    answer(tool, host, options.operands);
  };

async function reset(tool: Tool): Promise<undefined> {
  tool.options({ short: 'e:i:k:m:qQrsVw' });
  tool.print(`${ESC}c`);
}

/** tput, reset. */
export const tputShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'tput',
      usageStatus: 2,
      usage:
        'Usage: tput [-T TERM] CAPNAME [PARAMETERS]...\n       tput -S\n\n  cols lines colors   bold dim rev smul sgr0   setaf N  setab N   clear el ed home   cup ROW COLUMN',
    },
    tput(host),
  ),
  defineTool(
    host,
    { name: 'reset', usage: 'Usage: reset\nClear the terminal and put it in its first state.' },
    reset,
  ),
];
