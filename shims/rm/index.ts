/**
 * rm that hides nothing: a refusal is printed and fails the command even with
 * -f, and the rest of the tree is still removed. rmdir and unlink with it.
 */
import type { ShimFactory } from '../../src/shell/command.ts';
import { baseOf, dirOf } from '../basename/index.ts';
import { Asker } from '../support/asker.ts';
import { kindOf } from '../support/files.ts';
import { type Options, UsageError, wordOf } from '../support/getopt.ts';
import { defineTool, errnoOf, type Tool } from '../support/tool.ts';

const LONG = {
  force: 'f',
  interactive: 'interactive::',
  'one-file-system': 'x',
  'no-preserve-root': 'no-preserve-root',
  'preserve-root': 'preserve-root::',
  recursive: 'r',
  dir: 'd',
  verbose: 'v',
};

const WHENS = [['never', 'no', 'none'], 'once', ['always', 'yes']] as const;

/** When it asks first. */
type Asking = 'never' | 'once' | 'always';

/** What the last of -i, -I, -f and `--interactive` says. */
function askingOf(options: Options): Asking {
  let asking: Asking = 'never';
  for (const [key, value] of options.seen) {
    if (key === 'f') asking = 'never';
    else if (key === 'i') asking = 'always';
    else if (key === 'I') asking = 'once';
    else if (key === 'interactive') asking = wordOf('--interactive', value || 'always', WHENS);
  }
  return asking;
}

class Remover {
  readonly #tool: Tool;
  readonly #asker: Asker;
  readonly #asking: Asking;
  readonly #force: boolean;
  readonly #recursive: boolean;
  readonly #dirs: boolean;
  readonly #verbose: boolean;

  constructor(tool: Tool, options: Options) {
    this.#tool = tool;
    this.#asker = new Asker(tool);
    this.#asking = askingOf(options);
    this.#recursive = options.has('r') || options.has('R');
    this.#dirs = options.has('d');
    this.#verbose = options.has('v');
    this.#force = options.seen.filter(([key]) => 'fiI'.includes(key)).at(-1)?.[0] === 'f';
  }

  /** Removes what is named, unless all of it is asked about and nobody wants it. */
  async all(names: readonly string[]): Promise<void> {
    const isMuch = this.#recursive || names.length > 3;
    if (this.#asking === 'once' && isMuch && names.length > 0) {
      const count = `${names.length} argument${names.length === 1 ? '' : 's'}`;
      if (!this.#asker.asks(`remove ${count}${this.#recursive ? ' recursively' : ''}`)) return;
    }
    for (const name of names) await this.#operand(name);
  }

  /** May it go? */
  #mayGo(question: string, name: string): boolean {
    return this.#asking !== 'always' || this.#asker.asks(`${question} '${name}'`);
  }

  get force(): boolean {
    return this.#force;
  }

  async #operand(name: string): Promise<void> {
    const base = baseOf(name);
    if (base === '.' || base === '..') {
      this.#tool.fail(`refusing to remove '.' or '..' directory: skipping '${name}'`);
      return;
    }
    const path = this.#tool.path(name);
    if (path === '/' && this.#recursive) {
      this.#tool.fail(`it is dangerous to operate recursively on '${name}'`);
      this.#tool.warn('use --no-preserve-root to override this failsafe');
      return;
    }
    await this.#remove(name, path, true);
  }

  /** False where it could not be removed. */
  async #remove(name: string, path: string, top: boolean): Promise<boolean> {
    await this.#tool.pulse();
    try {
      const stat = await this.#tool.fs.lstat(path);
      if (stat.isDirectory) return await this.#directory(name, path, top);
      if (top && name.endsWith('/')) {
        this.#tool.fail(`cannot remove '${name}': Not a directory`);
        return false;
      }
      if (!this.#mayGo(`remove ${kindOf(stat)}`, name)) return true;
      await this.#tool.fs.rm(path);
      if (this.#verbose) this.#tool.print(`removed '${name}'\n`);
      return true;
    } catch (error) {
      if (this.#force && errnoOf(error) === 'ENOENT') return true;
      this.#tool.complain(`cannot remove '${name}'`, error);
      return false;
    }
  }

  async #directory(name: string, path: string, top: boolean): Promise<boolean> {
    if (!this.#recursive) {
      if (!this.#dirs) {
        this.#tool.fail(`cannot remove '${name}': Is a directory`);
        return false;
      }
      if ((await this.#tool.fs.readdirWithFileTypes(path)).length > 0) {
        this.#tool.fail(`cannot remove '${name}': Directory not empty`);
        return false;
      }
      return this.#empty(name, path);
    }
    // Where the directory itself cannot go, nothing in it is removed first.
    const isWhole = top && (await this.#tool.fs.checkRemoval(path));
    if (isWhole && this.#asking !== 'always') return this.#whole(name, path);
    const entries = await this.#tool.fs.readdirWithFileTypes(path);
    if (entries.length > 0 && !this.#mayGo('descend into directory', name)) return true;
    const prefix = name.endsWith('/') ? name : `${name}/`;
    let clear = true;
    for (const entry of entries) {
      const gone = await this.#remove(`${prefix}${entry.name}`, `${path}/${entry.name}`, false);
      clear &&= gone;
    }
    return clear && (await this.#empty(name, path));
  }

  /** A directory that the mount removes as one change, with all that is below it. */
  async #whole(name: string, path: string): Promise<boolean> {
    const lines = this.#verbose ? await this.#linesBelow(name, path) : [];
    await this.#tool.fs.rm(path, { recursive: true });
    for (const line of lines) this.#tool.print(line);
    return true;
  }

  async #linesBelow(name: string, path: string): Promise<string[]> {
    const prefix = name.endsWith('/') ? name : `${name}/`;
    const lines: string[] = [];
    for (const entry of await this.#tool.fs.readdirWithFileTypes(path)) {
      const [below, inside] = [`${prefix}${entry.name}`, `${path}/${entry.name}`];
      if (entry.isDirectory) lines.push(...(await this.#linesBelow(below, inside)));
      else lines.push(`removed '${below}'\n`);
    }
    return [...lines, `removed directory '${name}'\n`];
  }

  async #empty(name: string, path: string): Promise<boolean> {
    if (!this.#mayGo('remove directory', name)) return true;
    // What was to stay is still in it.
    const isAsked = this.#asking === 'always';
    if (isAsked && (await this.#tool.fs.readdirWithFileTypes(path)).length > 0) {
      this.#tool.fail(`cannot remove '${name}': Directory not empty`);
      return false;
    }
    // `recursive` is what the interface asks for to remove a directory; it is empty by now.
    await this.#tool.fs.rm(path, { recursive: true });
    if (this.#verbose) this.#tool.print(`removed directory '${name}'\n`);
    return true;
  }
}

async function rm(tool: Tool): Promise<undefined> {
  const options = tool.options({ short: 'fiIrRdvx', long: LONG });
  const remover = new Remover(tool, options);
  if (options.operands.length === 0 && !remover.force) throw new UsageError('missing operand');
  await remover.all(options.operands);
}

async function rmdir(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'pv',
    long: { parents: 'p', verbose: 'v', 'ignore-fail-on-non-empty': 'ignore' },
  });
  if (options.operands.length === 0) throw new UsageError('missing operand');
  for (const operand of options.operands) {
    let name = operand.replace(/(.)\/+$/, '$1');
    let gone = await removeEmpty(tool, name, options, `'${name}'`);
    while (gone && options.has('p') && dirOf(name) !== '.' && dirOf(name) !== '/') {
      name = dirOf(name);
      gone = await removeEmpty(tool, name, options, `directory '${name}'`);
    }
  }
}

/** @param what how a message calls it */
async function removeEmpty(
  tool: Tool,
  name: string,
  options: Options,
  what: string,
): Promise<boolean> {
  if (options.has('v')) tool.print(`rmdir: removing directory, '${name}'\n`);
  const path = tool.path(name);
  try {
    const stat = await tool.fs.lstat(path);
    let problem = '';
    if (baseOf(name) === '.') problem = 'Invalid argument';
    else if (!stat.isDirectory) problem = 'Not a directory';
    else if ((await tool.fs.readdirWithFileTypes(path)).length > 0) problem = 'Directory not empty';
    if (problem !== '') {
      if (problem !== 'Directory not empty' || !options.has('ignore')) {
        tool.fail(`failed to remove ${what}: ${problem}`);
      }
      return false;
    }
    await tool.fs.rm(path, { recursive: true });
    return true;
  } catch (error) {
    tool.complain(`failed to remove ${what}`, error);
    return false;
  }
}

async function unlink(tool: Tool): Promise<undefined> {
  const { operands } = tool.options({ short: '' });
  const [name, extra] = operands;
  if (name === undefined) throw new UsageError('missing operand');
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
  await tool.attempt(`cannot unlink '${name}'`, async () => {
    if ((await tool.fs.lstat(tool.path(name))).isDirectory) {
      tool.fail(`cannot unlink '${name}': Is a directory`);
    } else await tool.fs.rm(tool.path(name));
  });
}

/** rm, rmdir and unlink. */
export const rmShims: ShimFactory = (host) => [
  defineTool(host, { name: 'rm', usage: 'Usage: rm [OPTION]... [FILE]...' }, rm),
  defineTool(host, { name: 'rmdir', usage: 'Usage: rmdir [OPTION]... DIRECTORY...' }, rmdir),
  defineTool(host, { name: 'unlink', usage: 'Usage: unlink FILE' }, unlink),
];
