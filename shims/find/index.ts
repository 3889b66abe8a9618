/** find: one question a directory, attributes only where a test asks for them. */
import { FsError } from '../../src/errors.ts';
import type { ShimFactory } from '../../src/shell/command.ts';
import { baseOf } from '../basename/index.ts';
import { Passed } from '../support/costly.ts';
import { UsageError } from '../support/getopt.ts';
import type { Syntax } from '../support/regex.ts';
import { defineTool, type Tool } from '../support/tool.ts';
import { Actions } from './actions.ts';
import { type Kind, kindOf, type Links, statOf, WalkedEntry } from './entry.ts';
import { parseExpression, type Test, Words } from './expression.ts';
import { makeTest, type TestContext } from './tests.ts';

interface Plan {
  roots: string[];
  test: Test;
  actions: Actions;
  beforehand: TestContext['beforehand'];
  links: Links;
  minDepth: number;
  maxDepth: number;
  depthFirst: boolean;
  /** The expression names files: then what is costly to read is met like anything else. */
  names: boolean;
}

/** Tests that say which names are meant. */
const NAMING = /^-i?(?:name|path|wholename|regex|lname)$/;

const SYNTAXES: Readonly<Record<string, Syntax>> = {
  emacs: 'emacs',
  'findutils-default': 'emacs',
  'posix-basic': 'basic',
  'posix-minimal-basic': 'basic',
  ed: 'basic',
  sed: 'basic',
  grep: 'basic',
  'posix-extended': 'extended',
  egrep: 'extended',
  'posix-egrep': 'extended',
  awk: 'extended',
  gnu: 'extended',
  'gnu-awk': 'extended',
  'posix-awk': 'extended',
};

function depthArgument(words: Words, name: string): number {
  const text = words.argument(name);
  if (!/^\d+$/.test(text)) {
    throw new UsageError(
      `Expected a positive decimal integer argument to ${name}, but got '${text}'`,
      { hint: false },
    );
  }
  return Number(text);
}

/** Options that stand in the expression and hold for the whole run; true when it was one. */
function takeOption(name: string, words: Words, plan: Plan, context: TestContext): boolean {
  switch (name) {
    case '-maxdepth':
      plan.maxDepth = depthArgument(words, name);
      return true;
    case '-mindepth':
      plan.minDepth = depthArgument(words, name);
      return true;
    case '-depth':
    case '-d':
      plan.depthFirst = true;
      return true;
    case '-follow':
      plan.links = 'L';
      context.links = 'L';
      return true;
    case '-daystart':
      context.daystart = true;
      return true;
    case '-regextype': {
      const type = words.argument(name);
      const syntax = SYNTAXES[type];
      if (syntax === undefined) {
        throw new UsageError(`Unknown regular expression type '${type}'`, { hint: false });
      }
      context.syntax = syntax;
      return true;
    }
    default:
      return /^-(?:mount|xdev|noleaf|warn|nowarn|ignore_readdir_race|noignore_readdir_race)$/.test(
        name,
      );
  }
}

function isExpression(word: string): boolean {
  return (
    (word.startsWith('-') && word !== '-') ||
    word === '(' ||
    word === '!' ||
    word === ')' ||
    word === ','
  );
}

function plan(tool: Tool): Plan {
  const args = [...tool.args];
  let links: Links = 'P';
  while (/^-(?:[PHL]|O\d|D|-)$/.test(args[0] ?? '')) {
    const option = args.shift() ?? '';
    if (option === '-D') args.shift();
    else if (/^-[PHL]$/.test(option)) links = option.slice(1) as Links;
  }
  const roots: string[] = [];
  while (args[0] !== undefined && !isExpression(args[0])) roots.push(args.shift() ?? '');
  const actions = new Actions(tool);
  const context: TestContext = {
    tool,
    now: Date.now(),
    daystart: false,
    syntax: 'emacs',
    links,
    beforehand: [],
  };
  const made: Plan = {
    roots: roots.length === 0 ? ['.'] : roots,
    test: () => true,
    actions,
    beforehand: context.beforehand,
    links,
    minDepth: 0,
    maxDepth: Infinity,
    depthFirst: false,
    names: args.some((word) => NAMING.test(word)),
  };
  const test = parseExpression(new Words(args), (name, words) => {
    if (takeOption(name, words, made, context)) return () => true;
    if (name === '-delete') made.depthFirst = true;
    return actions.make(name, words) ?? makeTest(name, words, context);
  });
  made.test = actions.acts ? test : printing(tool, test);
  return made;
}

/** The default action: what passes is printed. */
function printing(tool: Tool, test: Test): Test {
  const print = (entry: WalkedEntry): true => {
    tool.print(`${entry.shown}\n`);
    return true;
  };
  return (entry) => {
    const answer = test(entry);
    if (typeof answer === 'boolean') return answer && print(entry);
    return answer.then((yes) => yes && print(entry));
  };
}

class Walker {
  readonly #tool: Tool;
  readonly #plan: Plan;
  readonly #actions: Actions;
  /** What costs requests: directories to list, and files to read, as what find lists mostly is. */
  readonly #passed = new Passed();
  /** Directories above, when links are followed: a link back to one is a loop. */
  readonly #above: string[] = [];

  constructor(tool: Tool, plan: Plan) {
    this.#tool = tool;
    this.#plan = plan;
    this.#actions = plan.actions;
  }

  async run(): Promise<void> {
    for (const root of this.#plan.roots) {
      if (this.#actions.stopped) break;
      const path = this.#tool.path(root);
      const follow = this.#plan.links !== 'P' || root.endsWith('/');
      const stat = await this.#tool.attempt(`'${root}'`, () => {
        if (root === '') throw new FsError('ENOENT', { op: 'lstat', path: root });
        return statOf(this.#tool, path, follow);
      });
      if (stat === undefined) continue;
      const place = { shown: root, path, name: baseOf(root), depth: 0, root };
      await this.#visit(new WalkedEntry(this.#tool, place, kindOf(stat), follow, stat));
    }
    await this.#actions.finish();
    if (!this.#passed.any) return;
    this.#tool.stderr += this.#passed.line('find', 'list them with -name, or name them');
    this.#tool.status = Math.max(this.#tool.status, 2);
  }

  #check(entry: WalkedEntry): Promise<unknown> | undefined {
    if (entry.depth < this.#plan.minDepth) return undefined;
    const answer = this.#plan.test(entry);
    if (typeof answer === 'boolean') return undefined;
    return answer.catch((error: unknown) => {
      if (error instanceof UsageError) throw error;
      this.#tool.complain(`'${entry.shown}'`, error);
    });
  }

  async #visit(entry: WalkedEntry): Promise<void> {
    this.#actions.pruned = false;
    if (!this.#plan.depthFirst) await this.#check(entry);
    const pruned = this.#actions.pruned && !this.#plan.depthFirst;
    if (
      entry.kind === 'd' &&
      !pruned &&
      !this.#actions.stopped &&
      entry.depth < this.#plan.maxDepth
    ) {
      await this.#descend(entry);
    }
    if (this.#plan.depthFirst && !this.#actions.stopped) await this.#check(entry);
  }

  async #isLoop(dir: WalkedEntry): Promise<boolean> {
    if (this.#plan.links !== 'L') return false;
    const real = await this.#tool.fs.realpath(dir.path);
    if (this.#above.includes(real)) {
      this.#tool.fail(
        `File system loop detected; '${dir.shown}' is part of the same file system loop as '${dir.root}'.`,
      );
      return true;
    }
    this.#above.push(real);
    return false;
  }

  async #descend(dir: WalkedEntry): Promise<void> {
    if (dir.depth > 0 && this.#tool.fs.costly(dir.path)) return this.#passed.add(dir.shown);
    if (await this.#isLoop(dir)) return;
    const entries = await this.#tool.attempt(`'${dir.shown}'`, () =>
      this.#tool.fs.readdirWithFileTypes(dir.path),
    );
    if (entries !== undefined) {
      const shown = dir.shown.endsWith('/') ? dir.shown : `${dir.shown}/`;
      const path = dir.path === '/' ? '/' : `${dir.path}/`;
      for (const { name, isDirectory, isSymbolicLink } of entries) {
        const place = {
          shown: shown + name,
          path: path + name,
          name,
          depth: dir.depth + 1,
          root: dir.root,
        };
        const kind: Kind = isSymbolicLink ? 'l' : isDirectory ? 'd' : 'f';
        if (kind === 'f' && !this.#plan.names && this.#tool.fs.costly(place.path)) {
          this.#passed.add(place.shown);
          continue;
        }
        const rest = this.#tool.pulse();
        if (rest !== undefined) await rest;
        const follow = this.#plan.links === 'L';
        const entry = new WalkedEntry(this.#tool, place, kind, follow);
        if (kind === 'l' && follow) {
          const stat = await this.#tool.attempt(`'${entry.shown}'`, () => entry.stat());
          if (stat === undefined) continue;
          entry.kind = kindOf(stat);
        }
        if (entry.kind === 'd') await this.#visit(entry);
        else {
          // A leaf whose tests need no promise must not cost one: this is the speed of find.
          const waiting = this.#check(entry);
          if (waiting !== undefined) await waiting;
        }
        if (this.#actions.stopped) break;
      }
    }
    if (this.#plan.links === 'L') this.#above.pop();
  }
}

async function find(tool: Tool): Promise<undefined> {
  const made = plan(tool);
  for (const { file, look } of made.beforehand) {
    if ((await tool.attempt(`'${file}'`, () => look().then(() => true))) === undefined) return;
  }
  await new Walker(tool, made).run();
}

/** find. */
export const findShims: ShimFactory = (host) => [
  defineTool(
    host,
    { name: 'find', usage: 'Usage: find [-H] [-L] [-P] [path...] [expression]' },
    find,
  ),
];
