/** ps, pgrep, pkill, killall, pidof: nothing runs here but the shell and the command itself. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { OWNER, OWNER_ID } from '../support/files.ts';
import { UsageError } from '../support/getopt.ts';
import { strftime, zoned } from '../support/time.ts';
import { defineTool, type Tool } from '../support/tool.ts';

interface Row {
  pid: number;
  ppid: number;
  command: string;
  args: string;
}

function rowsOf(tool: Tool): Row[] {
  const shell = Number(tool.ctx.env.get('$') ?? 1) || 1;
  return [
    { pid: shell, ppid: 0, command: 'bash', args: 'bash' },
    { pid: shell + 1, ppid: shell, command: 'ps', args: ['ps', ...tool.args].join(' ') },
  ];
}

type Column = [title: string, width: number, text: (row: Row) => string];

const COLUMNS: Readonly<Record<string, Column>> = {
  pid: ['PID', 7, ({ pid }) => String(pid)],
  ppid: ['PPID', 7, ({ ppid }) => String(ppid)],
  user: ['USER', -8, () => OWNER],
  uid: ['UID', 5, () => String(OWNER_ID)],
  tty: ['TT', -8, () => '?'],
  tt: ['TT', -8, () => '?'],
  time: ['TIME', 8, () => '00:00:00'],
  bsdtime: ['TIME', 6, () => '0:00'],
  etime: ['ELAPSED', 11, () => '00:00'],
  stat: ['STAT', -4, () => 'R'],
  comm: ['COMMAND', -15, ({ command }) => command],
  cmd: ['CMD', -27, ({ args }) => args],
  args: ['COMMAND', -27, ({ args }) => args],
  command: ['COMMAND', -27, ({ args }) => args],
  pcpu: ['%CPU', 4, () => '0.0'],
  '%cpu': ['%CPU', 4, () => '0.0'],
  pmem: ['%MEM', 4, () => '0.0'],
  '%mem': ['%MEM', 4, () => '0.0'],
  rss: ['RSS', 5, () => '0'],
  vsz: ['VSZ', 6, () => '0'],
  c: ['C', 2, () => '0'],
  stime: ['STIME', 5, () => strftime('%H:%M', zoned(new Date(), undefined), new Date())],
};

/** `pid,comm=NAME`: a title of one's own, none where it is empty. */
function columnOf(text: string): Column {
  const [name = '', title] = text.split('=');
  const found = Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : undefined;
  if (found === undefined)
    throw new UsageError(`error: unknown user-defined format specifier "${name}"`, { hint: false });
  return title === undefined ? found : [title, found[1], found[2]];
}

/** The columns of a listing that names none. */
const LISTINGS: Readonly<Record<'plain' | 'bsd' | 'full' | 'users', readonly string[]>> = {
  plain: ['pid', 'tty=TTY', 'time', 'cmd'],
  bsd: ['pid', 'tty=TTY', 'stat', 'bsdtime', 'args'],
  full: ['user=UID', 'pid', 'ppid', 'c', 'stime', 'tty=TTY', 'time', 'cmd'],
  users: [
    ...['user', 'pid', '%cpu', '%mem', 'vsz', 'rss', 'tty=TTY', 'stat'],
    ...['stime=START', 'bsdtime', 'args'],
  ],
};

const cell = (text: string, width: number, last: boolean): string =>
  width < 0 ? (last ? text : text.padEnd(-width)) : text.padStart(width);

async function ps(tool: Tool): Promise<undefined> {
  const formats: string[] = [];
  const pids: string[] = [];
  let letters = '';
  let isBsd = false;
  for (let i = 0; i < tool.args.length; i++) {
    const arg = tool.args[i] ?? '';
    const format = /^(?:-o|--format=?|o)(.*)$/.exec(arg);
    const pid = /^(?:-p|--pid=?|p)(.*)$/.exec(arg);
    if (/^-?[a-zA-Z]+o$/.test(arg)) formats.push(tool.args[++i] ?? '');
    else if (format !== null) formats.push(format[1] || (tool.args[++i] ?? ''));
    else if (pid !== null && !/^p[a-z]/.test(arg)) pids.push(pid[1] || (tool.args[++i] ?? ''));
    else if (/^\d+$/.test(arg)) pids.push(arg);
    else letters += arg.replace(/^-+/, '');
    if (/^(?:\d+|[axp]+)$/.test(arg)) isBsd = true;
  }
  const listing = /f/.test(letters)
    ? 'full'
    : /u/.test(letters)
      ? 'users'
      : isBsd
        ? 'bsd'
        : 'plain';
  const names = formats.length > 0 ? formats.join(',').split(/[, ]+/) : LISTINGS[listing];
  const columns = names.map(columnOf);
  const wanted = pids.flatMap((one) => one.split(',')).map(Number);
  const rows = rowsOf(tool).filter(({ pid }) => pids.length === 0 || wanted.includes(pid));
  const line = (texts: string[]): string =>
    `${texts.map((text, i) => cell(text, columns[i]?.[1] ?? 0, i === texts.length - 1)).join(' ')}\n`;
  if (columns.some(([title]) => title !== '')) tool.print(line(columns.map(([title]) => title)));
  for (const row of rows) tool.print(line(columns.map(([, , text]) => text(row))));
  if (rows.length === 0) tool.status = 1;
}

/** Nothing that has been started runs any more: there is never anything to find. */
async function pgrep(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'acd:fF:g:G:hilLnoP:qs:t:u:U:vwxe0123456789',
    long: { full: 'f', exact: 'x', count: 'c', signal: 'signal:' },
  });
  if (options.operands.length === 0 && options.seen.length === 0)
    throw new UsageError('no matching criteria specified', { status: 2 });
  if (options.has('c')) tool.print('0\n');
  tool.status = 1;
}

async function pkill(tool: Tool): Promise<undefined> {
  const names = tool.args.filter((arg) => !arg.startsWith('-'));
  if (names.length === 0) throw new UsageError('no matching criteria specified', { status: 2 });
  tool.status = 1;
}

async function killall(tool: Tool): Promise<undefined> {
  const names = tool.args.filter((arg) => !arg.startsWith('-'));
  if (names.length === 0) throw new UsageError('a name is needed');
  tool.status = 1;
  if (tool.args.includes('-q')) return;
  for (const name of names) tool.stderr += `${name}: no process found\n`;
}

async function pidof(tool: Tool): Promise<undefined> {
  tool.status = 1;
}

const OTHERS: ReadonlyArray<
  readonly [name: string, usage: string, body: (tool: Tool) => Promise<undefined>]
> = [
  [
    'pgrep',
    'Usage: pgrep [options] PATTERN\nNothing runs here beside this command: it finds nothing.',
    pgrep,
  ],
  [
    'pkill',
    'Usage: pkill [options] PATTERN\nNothing runs here beside this command: it finds nothing.',
    pkill,
  ],
  [
    'killall',
    'Usage: killall [-q] NAME...\nNothing runs here beside this command: it finds nothing.',
    killall,
  ],
  [
    'pidof',
    'Usage: pidof NAME...\nNothing runs here beside this command: it finds nothing.',
    pidof,
  ],
];

/** ps, pgrep, pkill, killall, pidof. */
export const psShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'ps',
      usage:
        'Usage: ps [-ef | aux] [-o FORMAT] [-p PID]\nThe shell, and this command: nothing else runs here.',
    },
    ps,
  ),
  ...OTHERS.map(([name, usage, body]) => defineTool(host, { name, usage }, body)),
];
