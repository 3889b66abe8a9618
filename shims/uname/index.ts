/** uname, arch, hostname, hostid, tty, getconf, sync, locale: what scripts ask of the system that they run on. */
import type { ShimFactory, ShimHost } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool } from '../support/tool.ts';

/** A world says the same wherever it runs: nothing of the host's own name and kernel is told. */
const HOST = 'localhost';
const RELEASE = '6.1.0-dirigent';
const VERSION = '#1 SMP';
const machine = (): string => (process.arch === 'arm64' ? 'aarch64' : 'x86_64');

async function uname(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'ampnrsvio',
    long: {
      all: 'a',
      'hardware-platform': 'i',
      'kernel-name': 's',
      'kernel-release': 'r',
      'kernel-version': 'v',
      machine: 'm',
      nodename: 'n',
      'operating-system': 'o',
      processor: 'p',
    },
  });
  const [extra] = options.operands;
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
  const all = options.has('a');
  const parts: Array<[key: string, text: string]> = [
    ['s', 'Linux'],
    ['n', HOST],
    ['r', RELEASE],
    ['v', VERSION],
    ['m', machine()],
    ['p', 'unknown'],
    ['i', 'unknown'],
    ['o', 'GNU/Linux'],
  ];
  const wanted = parts.filter(([key, text]) =>
    all ? text !== 'unknown' : options.has(key) || (options.seen.length === 0 && key === 's'),
  );
  tool.print(`${wanted.map(([, text]) => text).join(' ')}\n`);
}

async function arch(tool: Tool): Promise<undefined> {
  const { operands } = tool.options({ short: '' });
  if (operands[0] !== undefined) throw new UsageError(`extra operand '${operands[0]}'`);
  tool.print(`${machine()}\n`);
}

async function hostname(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'aAdfFiIsyb',
    long: { alias: 'a', domain: 'd', fqdn: 'f', long: 'f', 'ip-address': 'i', short: 's' },
  });
  if (options.operands.length > 0)
    throw new UsageError('you must be root to change the host name', { hint: false });
  if (options.has('i') || options.has('I')) tool.print('127.0.0.1\n');
  else tool.print(options.has('d') || options.has('a') ? '\n' : `${HOST}\n`);
}

const tty =
  (host: ShimHost) =>
  async (tool: Tool): Promise<undefined> => {
    const options = tool.options({ short: 's', long: { quiet: 's', silent: 's' } });
    const input = (tool.ctx.env.get('DIRIGENT_IO') ?? '').includes('p');
    const there = (host.terminal?.() ?? null) !== null && !input;
    if (!options.has('s')) tool.print(there ? '/dev/tty\n' : 'not a tty\n');
    tool.status = there ? 0 : 1;
  };

/** What scripts ask for; commands here take arguments as just-bash hands them on, without a limit of a system. */
const SETTINGS: Readonly<Record<string, string>> = {
  ARG_MAX: '2097152',
  CHAR_BIT: '8',
  CLK_TCK: '100',
  HOST_NAME_MAX: '64',
  INT_MAX: '2147483647',
  INT_MIN: '-2147483648',
  LINE_MAX: '2048',
  LOGIN_NAME_MAX: '256',
  LONG_BIT: '64',
  NAME_MAX: '255',
  OPEN_MAX: '1024',
  PAGESIZE: '4096',
  PAGE_SIZE: '4096',
  PATH: '/bin:/usr/bin',
  PATH_MAX: '4096',
  PIPE_BUF: '4096',
  UINT_MAX: '4294967295',
  ULONG_MAX: '18446744073709551615',
  WORD_BIT: '32',
  _NPROCESSORS_CONF: '1',
  _NPROCESSORS_ONLN: '1',
  _POSIX_VERSION: '200809',
};

async function getconf(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'av:' });
  if (options.has('a')) {
    for (const [name, value] of Object.entries(SETTINGS))
      tool.print(`${name.padEnd(34)} ${value}\n`);
    return;
  }
  const [name] = options.operands;
  if (name === undefined)
    throw new UsageError('usage: getconf [-v specification] variable_name [pathname]', {
      status: 2,
      hint: false,
    });
  const value = Object.hasOwn(SETTINGS, name) ? SETTINGS[name] : undefined;
  if (value === undefined)
    throw new UsageError(`Unrecognized variable \`${name}'`, { status: 2, hint: false });
  tool.print(`${value}\n`);
}

/** What is written is kept as soon as the command that wrote it ends; a file that is not there is told. */
async function sync(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'df', long: { data: 'd', 'file-system': 'f' } });
  if (options.has('d') && options.operands.length === 0)
    throw new UsageError('--data needs at least one argument', { hint: false });
  await tool.fs.flush();
  for (const name of options.operands) {
    await tool.attempt(`error opening '${name}'`, () => tool.fs.stat(tool.path(name)));
  }
}

const CATEGORIES =
  'CTYPE NUMERIC TIME COLLATE MONETARY MESSAGES PAPER NAME ADDRESS TELEPHONE MEASUREMENT IDENTIFICATION'.split(
    ' ',
  );

async function locale(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'ackmv',
    long: {
      'all-locales': 'a',
      'category-name': 'c',
      charmaps: 'm',
      'keyword-name': 'k',
      verbose: 'v',
    },
  });
  if (options.has('a')) tool.print('C\nC.utf8\nPOSIX\n');
  else if (options.has('m')) tool.print('ANSI_X3.4-1968\nISO-8859-1\nUTF-8\n');
  else if (options.operands.includes('charmap')) tool.print('UTF-8\n');
  else if (options.operands.length > 0) {
    throw new UsageError(`unknown name "${options.operands[0]}"`, { hint: false });
  } else {
    const { env } = tool.ctx;
    const all = env.get('LC_ALL') ?? '';
    const lang = env.get('LANG') ?? '';
    tool.print(`LANG=${lang}\nLANGUAGE=${env.get('LANGUAGE') ?? ''}\n`);
    for (const category of CATEGORIES) {
      const own = env.get(`LC_${category}`);
      const implied = all !== '' ? all : lang !== '' ? lang : 'POSIX';
      tool.print(
        all === '' && own !== undefined
          ? `LC_${category}=${own}\n`
          : `LC_${category}="${implied}"\n`,
      );
    }
    tool.print(`LC_ALL=${all}\n`);
  }
}

/** uname, arch, hostname, tty, getconf, sync, locale. */
export const unameShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'uname',
      usage:
        'Usage: uname [OPTION]...\nPrint what scripts ask of a system.\n\n  -a, --all  -s  -n  -r  -v  -m  -p  -i  -o',
    },
    uname,
  ),
  defineTool(host, { name: 'arch', usage: 'Usage: arch\nPrint the architecture.' }, arch),
  defineTool(
    host,
    {
      name: 'hostname',
      usage: 'Usage: hostname [-f|-s|-d|-i]\nPrint the name of this world, as a host.',
    },
    hostname,
  ),
  defineTool(
    host,
    {
      name: 'tty',
      usageStatus: 2,
      usage: 'Usage: tty [-s]\nPrint whether standard input is a terminal.',
    },
    tty(host),
  ),
  defineTool(
    host,
    { name: 'getconf', usage: 'Usage: getconf [-a] NAME\nPrint a limit of the system.' },
    getconf,
  ),
  defineTool(host, { name: 'sync', usage: 'Usage: sync [FILE]...\nWrite what is held.' }, sync),
  defineTool(
    host,
    { name: 'locale', usage: 'Usage: locale [-a|-m] [charmap]\nPrint the locale.' },
    locale,
  ),
];
