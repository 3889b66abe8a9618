/** tree, as version 2.1 draws it. */
import type { FsStat } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import { compareVersions } from '../sort/keys.ts';
import { modeText, OWNER, sizeOf } from '../support/files.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { globMatcher } from '../support/glob.ts';
import { strftime, zoned } from '../support/time.ts';
import { defineTool, strerror, type Tool } from '../support/tool.ts';

const BRANCH = { between: '├── ', last: '└── ', pass: '│\u00a0\u00a0 ', none: '    ' };
const ASCII = { between: '|-- ', last: '`-- ', pass: '|   ', none: '    ' };

/** A file or directory, with what is below it. */
interface Node {
  name: string;
  path: string;
  stat: FsStat;
  link: string | undefined;
  /** Is it a directory, or a link to one? */
  isDirectory: boolean;
  /** What a link leads to. */
  target: FsStat | undefined;
  /** A link to a directory that is in the tree already. */
  isRepeated: boolean;
  children: Node[];
}

/** A size as tree rounds it: to the nearest, and not up as ls does. */
function humanSize(bytes: number): string {
  if (bytes < 1024) return String(bytes);
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), 6);
  const value = bytes / 1024 ** power;
  return `${value.toFixed(value < 10 ? 1 : 0)}${' KMGTPE'[power]}`;
}

const SORTS = ['name', 'version', 'size', 'mtime', 'ctime'];

type Filter = (name: string) => boolean;

function filterOf(patterns: readonly string[], ignoreCase: boolean): Filter | undefined {
  if (patterns.length === 0) return undefined;
  const matchers = patterns
    .flatMap((pattern) => pattern.split('|'))
    .map((pattern) => globMatcher(pattern.replace(/\/$/, ''), ignoreCase));
  return (name) => matchers.some((matches) => matches(name));
}

/** Reads and draws trees. */
class Tree {
  readonly #tool: Tool;
  readonly #options: Options;
  readonly #kept: Filter | undefined;
  readonly #ignored: Filter | undefined;
  readonly #depth: number;
  readonly #counts = { directories: 0, files: 0, bytes: 0 };
  /** Directories that links may lead to once more, and in a circle for ever. */
  readonly #walked = new Set<string>();

  constructor(tool: Tool, options: Options) {
    this.#tool = tool;
    this.#options = options;
    const ignoreCase = options.has('ignore-case');
    this.#kept = filterOf(options.all('P'), ignoreCase);
    this.#ignored = filterOf(options.all('I'), ignoreCase);
    this.#depth = options.has('L') ? Number(options.get('L')) : Number.POSITIVE_INFINITY;
    if (!(this.#depth >= 1)) {
      throw new UsageError('Invalid level, must be greater than 0.', { hint: false });
    }
    const sort = options.get('sort');
    if (sort !== undefined && !SORTS.includes(sort)) {
      throw new UsageError(`Sort type '${sort}' not valid, should be one of: ${SORTS.join(',')}`, {
        hint: false,
      });
    }
  }

  async run(names: readonly string[]): Promise<void> {
    for (const name of names) await this.#root(name);
    if (this.#options.has('noreport')) return;
    const { directories, files, bytes } = this.#counts;
    const one = (count: number, many: string, single: string) =>
      `${count} ${count === 1 ? single : many}`;
    const fileCount = this.#options.has('d') ? '' : `, ${one(files, 'files', 'file')}`;
    const used = this.#options.has('h')
      ? humanSize(bytes).padStart(5)
      : `${String(bytes).padStart(12)} bytes`;
    const total = this.#options.has('du') ? `${used} used in ` : '';
    this.#tool.print(`\n${total}${one(directories, 'directories', 'directory')}${fileCount}\n`);
  }

  async #root(name: string): Promise<void> {
    const path = this.#tool.path(name);
    let stat: FsStat;
    try {
      stat = await this.#tool.fs.stat(path);
    } catch (error) {
      if (strerror(error) === undefined) throw error;
      this.#tool.print(`${name}  [error opening dir]\n`);
      this.#tool.status = 2;
      return;
    }
    const root: Node = {
      // With -f paths are put together, and a slash at the end of one goes.
      name: this.#options.has('f') ? name.replace(/(.)\/+$/, '$1') : name,
      path,
      stat,
      link: undefined,
      isDirectory: true,
      target: undefined,
      isRepeated: false,
      children: [],
    };
    if (!stat.isDirectory) {
      this.#tool.print(`${this.#facts(root)}${name}  [error opening dir]\n`);
      this.#counts.files++;
      return;
    }
    if (this.#options.has('l')) await this.#isNew(path);
    root.children = await this.#children(path, 1);
    // A directory that has nothing in it is not counted where a tree begins.
    if (root.children.length > 0) this.#counts.directories++;
    const shown = this.#options.has('Q') ? `"${root.name}"` : root.name;
    const slash = this.#options.has('F') ? '/' : '';
    this.#tool.print(`${this.#facts(root)}${shown}${slash}\n`);
    this.#draw(root.children, '', name.replace(/\/+$/, ''));
    this.#counts.bytes += this.#sizeBelow(root) - sizeOf(root.stat);
  }

  async #children(path: string, level: number): Promise<Node[]> {
    const out: Node[] = [];
    for (const { name } of await this.#tool.fs.readdirWithFileTypes(path)) {
      await this.#tool.pulse();
      if (name.startsWith('.') && !this.#options.has('a')) continue;
      if (this.#ignored?.(name) === true) continue;
      const node = await this.#node(`${path === '/' ? '' : path}/${name}`, name);
      if (this.#options.has('d') && !node.isDirectory) continue;
      const isFollowed = node.stat.isDirectory || (node.isDirectory && this.#options.has('l'));
      if (!isFollowed && this.#kept?.(name) === false) continue;
      if (isFollowed && this.#options.has('l')) {
        const isNew = await this.#isNew(node.path);
        node.isRepeated = !isNew && node.link !== undefined;
      }
      if (isFollowed && !node.isRepeated && level < this.#depth)
        node.children = await this.#children(node.path, level + 1);
      if (this.#options.has('prune') && node.isDirectory && node.children.length === 0) continue;
      out.push(node);
    }
    return this.#sorted(out);
  }

  /** Is a directory met for the first time? */
  async #isNew(path: string): Promise<boolean> {
    const real = await this.#tool.fs.realpath(path);
    if (this.#walked.has(real)) return false;
    this.#walked.add(real);
    return true;
  }

  async #node(path: string, name: string): Promise<Node> {
    const stat = await this.#tool.fs.lstat(path);
    const node: Node = {
      name,
      path,
      stat,
      link: undefined,
      isDirectory: stat.isDirectory,
      target: undefined,
      isRepeated: false,
      children: [],
    };
    if (!stat.isSymbolicLink) return node;
    node.link = await this.#tool.fs.readlink(path);
    if (!(await this.#tool.fs.exists(path))) return node;
    node.target = await this.#tool.fs.stat(path);
    node.isDirectory = node.target.isDirectory;
    return node;
  }

  #sorted(nodes: Node[]): Node[] {
    const options = this.#options;
    const by = options.has('t')
      ? 'mtime'
      : options.has('v')
        ? 'version'
        : (options.get('sort') ?? 'name');
    const names = (a: Node, b: Node): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
    const compare: Readonly<Record<string, (a: Node, b: Node) => number>> = {
      name: names,
      version: (a, b) => compareVersions(a.name, b.name) || names(a, b),
      mtime: (a, b) => a.stat.mtime.getTime() - b.stat.mtime.getTime() || names(a, b),
      size: (a, b) => b.stat.size - a.stat.size || names(a, b),
    };
    if (!options.has('U')) nodes.sort(compare[by] ?? names);
    if (options.has('r')) nodes.reverse();
    const rank = (node: Node): number => (node.isDirectory ? 0 : 1);
    if (options.has('dirsfirst')) nodes.sort((a, b) => rank(a) - rank(b));
    if (options.has('filesfirst')) nodes.sort((a, b) => rank(b) - rank(a));
    return nodes;
  }

  #sizeBelow(node: Node): number {
    return (
      sizeOf(node.stat) + node.children.reduce((sum, child) => sum + this.#sizeBelow(child), 0)
    );
  }

  /** What stands in brackets before a name. */
  #facts(node: Node): string {
    const options = this.#options;
    const { stat } = node;
    const facts: string[] = [];
    if (options.has('p')) facts.push(modeText(stat));
    if (options.has('u')) facts.push(OWNER.padEnd(8));
    if (options.has('g')) facts.push(OWNER.padEnd(8));
    if (options.has('s') || options.has('h') || options.has('du')) {
      const size = options.has('du') ? this.#sizeBelow(node) : sizeOf(stat);
      facts.push(options.has('h') ? humanSize(size).padStart(4) : String(size).padStart(11));
    }
    if (options.has('D') || options.has('timefmt')) {
      const time = zoned(stat.mtime, this.#tool.ctx.env.get('TZ'));
      const isOld = Date.now() - stat.mtime.getTime() > 15_768_000_000;
      const usual = isOld ? '%b %e  %Y' : '%b %e %H:%M';
      facts.push(strftime(options.get('timefmt') ?? usual, time, stat.mtime));
    }
    return facts.length === 0 ? '' : `[${facts.join(' ')}]  `;
  }

  #draw(nodes: readonly Node[], indent: string, path: string): void {
    const marks = this.#options.get('charset') === 'ascii' ? ASCII : BRANCH;
    const isFlat = this.#options.has('i');
    for (const [i, node] of nodes.entries()) {
      const isLast = i === nodes.length - 1;
      this.#counts[node.isDirectory ? 'directories' : 'files']++;
      const full = `${path}/${node.name}`;
      const lead = isFlat ? '' : indent + (isLast ? marks.last : marks.between);
      const shown = this.#options.has('f') ? full : node.name;
      const quoted = this.#options.has('Q') ? `"${shown}"` : shown;
      const target = this.#options.has('Q') ? `"${node.link}"` : node.link;
      const link = node.link === undefined ? '' : ` -> ${target}`;
      const note = node.isRepeated ? '  [recursive, not followed]' : '';
      this.#tool.print(`${lead}${this.#facts(node)}${quoted}${link}${this.#mark(node)}${note}\n`);
      this.#draw(node.children, indent + (isLast ? marks.none : marks.pass), full);
    }
  }

  #mark({ stat, target, isDirectory }: Node): string {
    if (!this.#options.has('F')) return '';
    if (isDirectory) return '/';
    const { isSymbolicLink, mode } = target ?? stat;
    return !isSymbolicLink && mode & 0o111 ? '*' : '';
  }
}

async function tree(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'aCdDfFghiI:lL:nNo:pP:qQrsStuUvx',
    long: {
      charset: 'charset:',
      dirsfirst: 'dirsfirst',
      filesfirst: 'filesfirst',
      noreport: 'noreport',
      prune: 'prune',
      'ignore-case': 'ignore-case',
      sort: 'sort:',
      timefmt: 'timefmt:',
      du: 'du',
    },
  });
  const out = options.get('o');
  await new Tree(tool, options).run(options.operands.length === 0 ? ['.'] : options.operands);
  if (out !== undefined) await tool.attempt(out, () => tool.save(out, tool.take()));
}

/** tree. */
export const treeShims: ShimFactory = (host) => [
  defineTool(host, { name: 'tree', usage: 'Usage: tree [OPTION]... [DIRECTORY]...' }, tree),
];
