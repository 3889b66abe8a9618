/** ls, with a recursive listing that asks each directory once. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { IO_VARIABLE } from '../../src/shell/shim-io.ts';
import { compareVersions } from '../sort/keys.ts';
import { Passed } from '../support/costly.ts';
import { sizeOf } from '../support/files.ts';
import { type Options, UsageError, wordOf } from '../support/getopt.ts';
import { globMatcher } from '../support/glob.ts';
import { defineTool, errnoOf, parseSize, type Tool } from '../support/tool.ts';
import { type Entry, QUOTINGS, type Quoting, render, type Style, suffix, total } from './list.ts';
import { checkWords, FORMATS, INDICATORS, SORTS } from './words.ts';

const LONG = {
  all: 'a',
  'almost-all': 'A',
  author: 'ignored',
  escape: 'b',
  'block-size': 'block:',
  'ignore-backups': 'B',
  classify: 'F::',
  color: 'color::',
  dereference: 'L',
  'dereference-command-line': 'H',
  'dereference-command-line-symlink-to-dir': 'H',
  directory: 'd',
  'file-type': 'file-type',
  format: 'format:',
  'full-time': 'full-time',
  'group-directories-first': 'dirs-first',
  'no-group': 'G',
  hide: 'hide:',
  'hide-control-chars': 'q',
  'human-readable': 'h',
  hyperlink: 'hyperlink::',
  ignore: 'I:',
  'indicator-style': 'indicator:',
  inode: 'i',
  kibibytes: 'k',
  literal: 'N',
  'numeric-uid-gid': 'n',
  'quote-name': 'Q',
  'quoting-style': 'quoting:',
  recursive: 'R',
  reverse: 'r',
  'show-control-chars': 'ignored',
  si: 'si',
  size: 's',
  sort: 'sort:',
  tabsize: 'T:',
  time: 'time:',
  'time-style': 'time-style:',
  width: 'w:',
  zero: 'zero',
};

function last(options: Options, keys: readonly string[]): readonly [string, string] | undefined {
  return options.seen.filter(([key]) => keys.includes(key)).at(-1);
}

/** @param shown is it seen at a terminal? */
function formOf(options: Options, shown: boolean): Style['form'] {
  const letters: Readonly<Record<string, Style['form']>> = {
    l: 'long',
    n: 'long',
    g: 'long',
    o: 'long',
    'full-time': 'long',
    C: 'columns',
    x: 'across',
    m: 'commas',
  };
  const words = {
    verbose: 'long',
    commas: 'commas',
    horizontal: 'across',
    vertical: 'columns',
    'single-column': 'lines',
  } as const;
  let form: Style['form'] = shown ? 'columns' : 'lines';
  for (const [key, value] of options.seen) {
    if (key === '1' && form !== 'long') form = 'lines';
    if (key === 'format') form = words[wordOf('--format', value, FORMATS)];
    form = letters[key] ?? form;
  }
  return form;
}

function indicatorOf(options: Options): Style['indicator'] {
  const found = last(options, ['F', 'p', 'file-type', 'indicator']);
  if (found === undefined) return 'none';
  const [key, value] = found;
  if (key === 'F') return value === 'never' || value === 'auto' ? 'none' : 'classify';
  if (key === 'p') return 'slash';
  if (key === 'file-type') return 'file-type';
  return wordOf('--indicator-style', value, INDICATORS);
}

/**
 * Nothing here is a terminal, so auto means no and a bare --color means always;
 * and GNU's ls paints only where the environment speaks of colours at all.
 */
/** What is known of where the output goes: see src/shell/shim-io.ts. */
const seen = (tool: Tool): string => tool.ctx.env.get(IO_VARIABLE) ?? '';

function wantsColor(tool: Tool, when: string | undefined): boolean {
  // As where `ls` is an alias of `ls --color=auto`, which is nearly everywhere.
  if (when === undefined || ['auto', 'tty', 'if-tty'].includes(when))
    return seen(tool).includes('c');
  if (!['', 'always', 'yes', 'force'].includes(when)) return false;
  const { env } = tool.ctx;
  const known = /xterm|screen|tmux|linux|vt100|rxvt|color/.test(env.get('TERM') ?? '');
  return known || Boolean(env.get('COLORTERM')) || Boolean(env.get('LS_COLORS'));
}

const QUOTING_KEYS: Readonly<Record<string, Quoting>> = { Q: 'c', b: 'escape', N: 'literal' };

/** The last of `-Q`, `-b`, `-N` and `--quoting-style`. */
function quotingOf(options: Options): Quoting | undefined {
  const [key = '', word = ''] = last(options, ['quoting', 'Q', 'b', 'N']) ?? [];
  if (key !== 'quoting') return QUOTING_KEYS[key];
  const found = wordOf('--quoting-style', word, [...QUOTINGS, 'clocale']);
  return (found === 'clocale' ? 'locale' : found) as Quoting;
}

function styleOf(tool: Tool, options: Options): Style {
  checkWords(options);
  const shown = seen(tool).includes('t');
  const zero = options.has('zero');
  const form = formOf(options, shown);
  const timeKey = last(options, ['full-time', 'time-style']);
  return {
    form: zero && form !== 'long' ? 'lines' : form,
    ...blockOf(options),
    indicator: indicatorOf(options),
    color: wantsColor(tool, options.get('color')),
    inode: options.has('i'),
    blocks: options.has('s'),
    human: humanOf(options),
    numeric: options.has('n'),
    owner: !options.has('g'),
    group: !options.has('G') && !options.has('o'),
    time:
      timeKey?.[0] === 'full-time' ? 'full-iso' : (timeKey?.[1].replace(/^posix-/, '') ?? 'locale'),
    zone: tool.ctx.env.get('TZ'),
    width: widthOf(options.get('w'), tool.ctx.env.get('COLUMNS')),
    end: zero ? '\0' : '\n',
    quote: quotingOf(options) ?? (shown ? 'shell-escape' : 'literal'),
    hideControl: options.has('q') || shown,
  };
}

/** What sizes are counted in: `K` is shown behind them, `1K` is not. */
function blockOf(options: Options): Pick<Style, 'unit' | 'unitName'> {
  const text = options.get('block');
  const [, digits, name = ''] = /^(\d*)(.*)$/s.exec(text ?? '') ?? [];
  if (text === undefined || text === 'human-readable' || text === 'si')
    return { unit: undefined, unitName: '' };
  const unit = parseSize(digits === '' ? `1${name}` : text);
  if (unit === undefined || unit === 0 || text === '')
    throw new UsageError(`invalid --block-size argument '${text}'`, { hint: false });
  return { unit, unitName: digits === '' ? name.replace(/^K(?=B)/, 'k') : '' };
}

/** Columns; 0 is no end of them. */
function widthOf(option: string | undefined, columns: string | undefined): number {
  if (option !== undefined && !/^\d+$/.test(option))
    throw new UsageError(`invalid line width: '${option}'`, { hint: false });
  return option === undefined ? Number(columns) || 80 : Number(option) || Number.MAX_SAFE_INTEGER;
}

/** The last of `-h`, `--si` and `--block-size` holds. */
function humanOf(options: Options): Style['human'] {
  const [key, value] = last(options, ['h', 'si', 'block']) ?? [];
  if (key === 'si' || value === 'si') return 1000;
  return key === 'h' || value === 'human-readable' ? 1024 : 0;
}

type Order = 'name' | 'none' | 'size' | 'time' | 'extension' | 'version' | 'width';

function orderOf(options: Options): Order {
  const letters: Readonly<Record<string, Order>> = {
    S: 'size',
    t: 'time',
    X: 'extension',
    U: 'none',
    f: 'none',
    v: 'version',
  };
  const found = last(options, [...Object.keys(letters), 'sort']);
  if (found === undefined) return 'name';
  if (found[0] !== 'sort') return letters[found[0]] ?? 'name';
  return wordOf('--sort', found[1], SORTS);
}

const byName = (a: Entry, b: Entry): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

const bytes = ({ stat }: Entry): number => (stat === undefined ? 0 : sizeOf(stat));

const extension = (name: string): string => {
  const dot = name.lastIndexOf('.');
  return dot < 0 ? '' : name.slice(dot);
};

function comparison(order: Order): (a: Entry, b: Entry) => number {
  switch (order) {
    case 'size':
      return (a, b) => bytes(b) - bytes(a) || byName(a, b);
    case 'time':
      return (a, b) =>
        (b.stat?.mtime.getTime() ?? 0) - (a.stat?.mtime.getTime() ?? 0) || byName(a, b);
    case 'extension':
      return (a, b) => {
        const [x, y] = [extension(a.name), extension(b.name)];
        return x < y ? -1 : x > y ? 1 : byName(a, b);
      };
    case 'version':
      return (a, b) => compareVersions(a.name, b.name) || byName(a, b);
    case 'width':
      return (a, b) => a.name.length - b.name.length || byName(a, b);
    default:
      return byName;
  }
}

class Lister {
  readonly #tool: Tool;
  readonly #style: Style;
  readonly #order: Order;
  readonly #options: Options;
  readonly #needsStat: boolean;
  readonly #hidden: ReadonlyArray<(name: string) => boolean>;
  readonly #dots: 'none' | 'almost' | 'all';
  /** Directories below whose listing would cost requests. */
  readonly #passed = new Passed('directories');
  #printed = false;

  constructor(tool: Tool, options: Options) {
    this.#tool = tool;
    this.#options = options;
    this.#style = styleOf(tool, options);
    this.#order = orderOf(options);
    this.#dots =
      options.has('a') || options.has('f') ? 'all' : options.has('A') ? 'almost' : 'none';
    const patterns = [...options.all('I'), ...(this.#dots === 'none' ? options.all('hide') : [])];
    if (options.has('B')) patterns.push('*~');
    this.#hidden = patterns.map((pattern) => globMatcher(pattern));
    const { form, inode, blocks, indicator, color } = this.#style;
    this.#needsStat =
      form === 'long' ||
      inode ||
      blocks ||
      indicator === 'classify' ||
      // By itself it colours what the listing tells: a directory, a link.
      (color && options.has('color')) ||
      this.#order === 'size' ||
      this.#order === 'time' ||
      options.has('L');
  }

  async run(operands: readonly string[]): Promise<void> {
    const files: Entry[] = [];
    const dirs: Entry[] = [];
    for (const name of operands) {
      const entry = await this.#operand(name);
      if (entry === undefined) continue;
      if (entry.isDirectory && !this.#options.has('d')) dirs.push(entry);
      else files.push(entry);
    }
    this.#sort(files);
    this.#sort(dirs);
    if (files.length > 0) {
      this.#tool.print(render(files, this.#style));
      this.#printed = true;
    }
    const headed = operands.length > 1 || this.#options.has('R');
    for (const dir of dirs) {
      await this.#directory(dir.name, this.#tool.path(dir.name), headed, 2);
    }
    if (!this.#passed.any) return;
    this.#tool.stderr += this.#passed.line('ls', 'name them to list them');
    this.#tool.status = Math.max(this.#tool.status, 2);
  }

  async #operand(name: string): Promise<Entry | undefined> {
    const path = this.#tool.path(name);
    return this.#tool.attempt(
      `cannot access '${name}'`,
      async () => {
        const own = name.endsWith('/')
          ? await this.#tool.fs.stat(path)
          : await this.#tool.fs.lstat(path);
        if (name.endsWith('/') && !own.isDirectory) {
          this.#tool.fail(`cannot access '${name}': Not a directory`, 2);
          return undefined;
        }
        let stat = own;
        const lazy = this.#style.form === 'long' || this.#style.indicator === 'classify';
        const follow = this.#options.has('L') || this.#options.has('H');
        if (own.isSymbolicLink && (follow || (!lazy && !this.#options.has('d')))) {
          stat = await this.#follow(path, own);
        }
        const entry: Entry = {
          name,
          isDirectory: stat.isDirectory,
          isSymbolicLink: stat.isSymbolicLink,
          stat,
        };
        await this.#point(entry, path);
        return entry;
      },
      2,
    );
  }

  /** What a link points to; the link itself when that is not there. */
  async #follow(
    path: string,
    own: NonNullable<Entry['stat']>,
  ): Promise<NonNullable<Entry['stat']>> {
    try {
      return await this.#tool.fs.stat(path);
    } catch (error) {
      if (['ENOENT', 'ELOOP'].includes(errnoOf(error) ?? '') && !this.#options.has('L')) return own;
      throw error;
    }
  }

  #shows(name: string): boolean {
    if (this.#dots === 'none' && name.startsWith('.')) return false;
    return !this.#hidden.some((matches) => matches(name));
  }

  #sort(entries: Entry[]): void {
    if (this.#order === 'none') return;
    if (this.#order === 'name' && isSorted(entries)) {
      if (this.#options.has('r')) entries.reverse();
    } else {
      const compare = comparison(this.#order);
      entries.sort(this.#options.has('r') ? (a, b) => compare(b, a) : compare);
    }
    if (this.#options.has('dirs-first')) {
      const isFirst = (entry: Entry): boolean =>
        entry.isDirectory || entry.leadsToDirectory === true;
      entries.sort((a, b) => Number(isFirst(b)) - Number(isFirst(a)));
    }
  }

  async #fill(entry: Entry, path: string): Promise<void> {
    await this.#tool.attempt(`cannot access '${path}'`, async () => {
      const own = await this.#tool.fs.lstat(path);
      entry.stat = own;
      if (!own.isSymbolicLink) return;
      if (this.#options.has('L')) {
        entry.stat = await this.#follow(path, own);
        entry.isDirectory = entry.stat.isDirectory;
        entry.isSymbolicLink = entry.stat.isSymbolicLink;
      }
      await this.#point(entry, path);
    });
  }

  /** In the long format a link says where it points to, and with an indicator what is there. */
  async #point(entry: Entry, path: string): Promise<void> {
    if (!entry.isSymbolicLink || this.#style.form !== 'long') return;
    const { fs } = this.#tool;
    entry.target = await fs.readlink(path);
    if (['none', 'slash'].includes(this.#style.indicator) || !(await fs.exists(path))) return;
    const stat = await fs.stat(path);
    const { isDirectory, isSymbolicLink } = stat;
    entry.target += suffix({ name: entry.target, isDirectory, isSymbolicLink, stat }, this.#style);
  }

  async #entries(path: string): Promise<Entry[]> {
    const found: Entry[] = [];
    if (this.#dots === 'all') {
      for (const name of ['.', '..']) {
        if (this.#shows(name)) found.push({ name, isDirectory: true, isSymbolicLink: false });
      }
    }
    for (const entry of await this.#tool.fs.readdirWithFileTypes(path)) {
      if (this.#shows(entry.name)) found.push({ ...entry });
    }
    if (this.#options.has('dirs-first'))
      for (const entry of found)
        if (entry.isSymbolicLink) {
          const there = this.#tool.fs.resolvePath(path, entry.name);
          const isThere = await this.#tool.fs.exists(there);
          entry.leadsToDirectory = isThere && (await this.#tool.fs.stat(there)).isDirectory;
        }
    if (!this.#needsStat) return found;
    const at = path === '/' ? '' : path;
    for (const entry of found) {
      await this.#fill(entry, this.#tool.fs.resolvePath('/', `${at}/${entry.name}`));
      await this.#tool.pulse();
    }
    return found;
  }

  async #directory(name: string, path: string, headed: boolean, status: number): Promise<void> {
    let entries: Entry[];
    try {
      entries = await this.#entries(path);
    } catch (error) {
      this.#tool.complain(`cannot open directory '${name}'`, error, status);
      return;
    }
    this.#sort(entries);
    const { end } = this.#style;
    if (headed) this.#tool.print(`${this.#printed ? end : ''}${name}:${end}`);
    this.#printed = true;
    if (this.#style.form === 'long' || this.#style.blocks)
      this.#tool.print(total(entries, this.#style));
    this.#tool.print(render(entries, this.#style));
    await this.#tool.pulse();
    if (!this.#options.has('R')) return;
    const prefix = name.endsWith('/') ? name : `${name}/`;
    for (const entry of entries) {
      if (!entry.isDirectory || entry.name === '.' || entry.name === '..') continue;
      const below = path === '/' ? `/${entry.name}` : `${path}/${entry.name}`;
      if (this.#tool.fs.costly(below)) {
        this.#passed.add(prefix + entry.name);
        continue;
      }
      await this.#directory(prefix + entry.name, below, true, 1);
    }
  }
}

function isSorted(entries: readonly Entry[]): boolean {
  for (let i = 1; i < entries.length; i++) {
    if ((entries[i - 1]?.name ?? '') > (entries[i]?.name ?? '')) return false;
  }
  return true;
}

async function ls(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'aAbBcCdDfFgGhHiI:klLmnNopqQrRsStT:uUvw:xXZ1',
    long: LONG,
  });
  const names = options.operands.length === 0 ? ['.'] : options.operands;
  await new Lister(tool, options).run(names);
}

/** ls, with dir as ls -C. */
export const lsShims: ShimFactory = (host) => [
  defineTool(host, { name: 'ls', usage: 'Usage: ls [OPTION]... [FILE]...', usageStatus: 2 }, ls),
];
