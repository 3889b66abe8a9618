/** fd: entries by a pattern of their names, hidden and ignored ones left out. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { Passed } from '../support/costly.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, type Tool } from '../support/tool.ts';
import { type Filter, filterOf } from './filter.ts';
import { Runner } from './runner.ts';
import { type Entry, Walk } from './walk.ts';

const LONG = {
  'absolute-path': 'a',
  and: 'and:',
  'base-directory': 'base:',
  'batch-size': 'batch-size:',
  'case-sensitive': 's',
  'changed-after': 'newer:',
  'changed-before': 'older:',
  'changed-within': 'newer:',
  color: 'c:',
  'exact-depth': 'exact:',
  exclude: 'E:',
  exec: 'x',
  'exec-batch': 'X',
  extension: 'e:',
  'fixed-strings': 'F',
  follow: 'L',
  'full-path': 'p',
  glob: 'g',
  hidden: 'H',
  'ignore-case': 'i',
  'ignore-file': 'ignore-file:',
  'list-details': 'l',
  'max-depth': 'd:',
  'max-results': 'max:',
  'min-depth': 'min:',
  newer: 'newer:',
  'no-follow': 'no-follow',
  'no-hidden': 'no-hidden',
  'no-ignore': 'I',
  'no-ignore-parent': 'ignored',
  'no-ignore-vcs': 'no-vcs',
  'no-require-git': 'no-require-git',
  older: 'older:',
  'one-file-system': 'ignored',
  owner: 'o:',
  'path-separator': 'path-separator:',
  print0: '0',
  prune: 'prune',
  quiet: 'q',
  regex: 'regex',
  'has-results': 'q',
  'search-path': 'search-path:',
  'show-errors': 'ignored',
  size: 'S:',
  'strip-cwd-prefix': 'strip',
  threads: 'j:',
  type: 't:',
  unrestricted: 'u',
};

/** Options of fd's own, and the command behind -x or -X. */
function divided(args: readonly string[]): { own: string[]; command: string[]; batch: boolean } {
  const at = args.findIndex((arg) => /^(?:-[a-zA-Z0-9]*[xX]|--exec|--exec-batch)$/.test(arg));
  if (at < 0) return { own: [...args], command: [], batch: false };
  const mark = args[at] ?? '';
  const rest = args.slice(at + 1);
  const end = rest.indexOf(';');
  const command = end < 0 ? rest : rest.slice(0, end);
  const bundled = /^-[a-zA-Z0-9]+[xX]$/.test(mark) ? [mark.slice(0, -1)] : [];
  const own = [...args.slice(0, at), ...bundled, ...(end < 0 ? [] : rest.slice(end + 1))];
  if (command.length === 0)
    throw new UsageError(`The argument '${mark} <cmd>' requires a value but none was supplied`, {
      hint: false,
      status: 2,
    });
  return { own, command, batch: mark.endsWith('X') || mark === '--exec-batch' };
}

function count(options: Options, key: string): number | undefined {
  const text = options.get(key);
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text))
    throw new UsageError(`invalid value '${text}': it has to be a number`, {
      status: 2,
      hint: false,
    });
  return Number(text);
}

/** The directories that are searched; those that are none are told. */
async function roots(tool: Tool, named: readonly string[]): Promise<string[]> {
  if (named.length === 0) return ['.'];
  const out: string[] = [];
  for (const name of named) {
    const path = tool.path(name);
    if ((await tool.fs.exists(path)) && (await tool.fs.stat(path)).isDirectory) out.push(name);
    else tool.stderr += `[fd error]: Search path '${name}' is not a directory.\n`;
  }
  if (out.length === 0) tool.stderr += '[fd error]: No valid search paths given.\n';
  return out;
}

function shownOf(entry: Entry, options: Options, dotted: boolean): string {
  const slash = entry.kind === 'd' ? '/' : '';
  if (options.has('a')) return entry.path + slash;
  return (dotted && entry.fromHere ? './' : '') + entry.shown + slash;
}

async function search(tool: Tool, options: Options, filter: Filter, named: readonly string[]) {
  const found: Entry[] = [];
  const passed = new Passed();
  const exact = count(options, 'exact');
  const walk = new Walk(tool, {
    hidden: options.has('H') || options.has('u'),
    ignores: !(options.has('I') || options.has('u')),
    vcs: !options.has('no-vcs'),
    needsRepository: !options.has('no-require-git'),
    follow: options.has('L'),
    excluded: options.all('E'),
    ignoreFiles: options.all('ignore-file'),
    most: exact ?? count(options, 'd') ?? Infinity,
    passed: (shown) => passed.add(shown),
  });
  const least = exact ?? count(options, 'min') ?? 1;
  const most = count(options, 'max') ?? (options.has('1') || options.has('q') ? 1 : Infinity);
  for (const root of named) {
    for await (const entry of walk.entries(root)) {
      const taken = entry.depth >= least && (await filter(entry));
      if (taken) found.push(entry);
      if (taken && options.has('prune')) walk.prune(entry);
      if (found.length >= most) return found;
      const rest = tool.pulse();
      if (rest !== undefined) await rest;
    }
  }
  if (passed.any) {
    tool.stderr += passed.line('fd', 'list them with find -name, or name their directory');
    tool.status = 2;
  }
  return found;
}

async function fd(tool: Tool): Promise<undefined> {
  const { own, command, batch } = divided(tool.args);
  const options = tool.options({ short: '01ac:d:e:E:FgHiIj:lLo:pqS:st:u', long: LONG }, own);
  if (options.has('o'))
    throw new UsageError('-o is not here: all files have one owner', { hint: false });
  const base = options.get('base');
  if (base !== undefined)
    throw new UsageError('--base-directory is not here: use cd first', { hint: false });
  const [pattern = '', ...paths] = options.operands;
  if (pattern.includes('/') && !options.has('p') && (await tool.fs.exists(tool.path(pattern)))) {
    tool.stderr += `[fd error]: The search pattern '${pattern}' contains a path-separation character ('/') and will not lead to any search results.\n\nIf you want to search for all files inside the '${pattern}' directory, use a match-all pattern:\n\n  fd . '${pattern}'\n`;
    tool.status = 1;
    return;
  }
  const filter = await filterOf(tool, options, pattern);
  const named = await roots(tool, [...paths, ...options.all('search-path')]);
  if (named.length === 0) {
    tool.status = 1;
    return;
  }
  const found = await search(tool, options, filter, named);
  if (options.has('q')) {
    tool.status = Math.max(tool.status, found.length > 0 ? 0 : 1);
    return;
  }
  const runs = command.length > 0 || options.has('l');
  const dotted = (runs || options.has('0')) && !options.has('strip');
  const shown = found.map((entry) => ({ entry, text: shownOf(entry, options, dotted) }));
  if (!runs) {
    const end = options.has('0') ? '\0' : '\n';
    for (const { text } of shown) tool.print(text + end);
    return;
  }
  const words = options.has('l') ? ['ls', '-lhd'] : command;
  const texts = shown.map(({ text }) => (text.length > 1 ? text.replace(/\/$/, '') : text));
  const runner = new Runner(tool, words);
  if (batch || options.has('l')) await runner.all(texts);
  else for (const text of texts) await runner.one(text);
}

const usage = (
  name: string,
): string => `Usage: ${name} [OPTIONS] [pattern] [path]...\nFind entries by a regular expression of their names.

  -H, --hidden  -I, --no-ignore  -u, --unrestricted    hidden entries; ignored ones; both
  -s, -i        case matters; does not (it does if the pattern has capitals)
  -g, --glob    -F, --fixed-strings   the pattern is a glob; a string
  -p, --full-path   the pattern is for the whole path
  -a, --absolute-path   -l, --list-details   -0, --print0   -L, --follow
  -d, --max-depth N   --min-depth N   --exact-depth N   -E, --exclude GLOB   --prune
  -t, --type f|d|l|x|e   -e, --extension EXT   -S, --size +1k   --changed-within 2d   --changed-before DATE
  -x, --exec CMD   -X, --exec-batch CMD   with {} {/} {//} {.} {/.}
  -q, --quiet   -1   --max-results N`;

/** fd, fdfind. */
export const fdShims: ShimFactory = (host) => [
  defineTool(host, { name: 'fd', usage: usage('fd') }, fd),
  defineTool(host, { name: 'fdfind', usage: usage('fdfind') }, fd),
];
