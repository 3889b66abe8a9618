/** rename: Perl's, `rename 's/a/b/' FILE…`, and util-linux's, `rename a b FILE…`. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { baseOf, dirOf } from '../basename/index.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, splitLines, type Tool, toText } from '../support/tool.ts';
import { perlExpression } from './perl.ts';

interface Renaming {
  change(name: string): string;
  files: readonly string[];
  /** As util-linux speaks: `a' -> `b'. */
  plain: boolean;
}

function literal(from: string, to: string, options: Options): (name: string) => string {
  if (from === '') return (name) => to + name;
  if (options.has('a')) return (name) => name.replaceAll(from, to);
  if (options.has('l')) {
    return (name) => {
      const at = name.lastIndexOf(from);
      return at < 0 ? name : name.slice(0, at) + to + name.slice(at + from.length);
    };
  }
  return (name) => name.replace(from, () => to);
}

const EXPRESSION = /^\s*(?:\$_\s*=|(?:s|y|tr)\s*[^\w\s]|(?:lc|uc)(?:first)?\b)/;

/** Which of the two is meant: an expression of Perl is no beginning of a file's name. */
function renamingOf(tool: Tool, options: Options): Renaming {
  const given = options.all('e');
  const operands = [...options.operands];
  if (given.length > 0 || EXPRESSION.test(operands[0] ?? '')) {
    const expression = given.length > 0 ? given.join(';') : (operands.shift() ?? '');
    const change = perlExpression(expression);
    const separator = options.has('0') ? '\0' : '\n';
    const files = operands.length > 0 ? operands : splitLines(tool.stdin, separator).map(toText);
    const base = options.has('d');
    return {
      change: base ? (name) => joined(dirOf(name), change(baseOf(name)), name) : change,
      files,
      plain: false,
    };
  }
  const [from, to, ...files] = operands;
  if (from === undefined || to === undefined || files.length === 0)
    throw new UsageError("an expression such as 's/a/b/' and files are needed, or FROM TO FILE...");
  const change = literal(from, to, options);
  return { change: (name) => joined(dirOf(name), change(baseOf(name)), name), files, plain: true };
}

const joined = (directory: string, base: string, name: string): string =>
  name.includes('/') ? `${directory}/${base}` : base;

const arrow = (name: string, target: string): string => `\`${name}' -> \`${target}'\n`;

async function rename(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: '0ade:fhilnosvV',
    long: {
      all: 'a',
      filename: 'd',
      force: 'f',
      fullpath: 'path',
      last: 'l',
      'no-act': 'n',
      'no-overwrite': 'o',
      nono: 'n',
      nofullpath: 'd',
      nopath: 'd',
      null: '0',
      path: 'path',
      verbose: 'v',
    },
  });
  const { change, files, plain } = renamingOf(tool, options);
  let renamed = 0;
  let failed = 0;
  for (const name of files) {
    const target = change(name);
    if (target === name) continue;
    const there = await tool.fs.exists(tool.path(target));
    if (there && (plain ? options.has('o') : !options.has('f'))) {
      if (plain) continue;
      tool.stderr += `${name} not renamed: ${target} already exists\n`;
      continue;
    }
    if (options.has('n')) {
      if (!plain) tool.print(`rename(${name}, ${target})\n`);
      else if (options.has('v')) tool.print(arrow(name, target));
      renamed++;
      continue;
    }
    const what = plain ? `${name}: rename to ${target} failed` : `Can't rename ${name} ${target}`;
    const done = await tool.attempt(what, async () => {
      await tool.fs.mv(tool.path(name), tool.path(target));
      return true;
    });
    if (done === undefined) {
      failed++;
      continue;
    }
    renamed++;
    if (options.has('v'))
      tool.print(plain ? arrow(name, target) : `${name} renamed as ${target}\n`);
  }
  // util-linux tells by its status how it went: 1 nothing worked, 2 some did, 4 there was nothing to do.
  if (plain) tool.status = failed > 0 ? (renamed > 0 ? 2 : 1) : renamed > 0 ? 0 : 4;
}

/** rename. */
export const renameShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'rename',
      usage: `Usage: rename [-v] [-n] [-f] [-d] PERLEXPR [FILE]...
       rename [-v] [-n] [-o] [-a | -l] FROM TO FILE...

  PERLEXPR      s/…/…/gi, y/…/…/, lc, uc, several with ; between them
  -n, --nono    print names of files to be renamed, but don't rename
  -f, --force   over files that exist    -d  the last part of the path alone
  -a, --all     every FROM in a name     -l, --last  the last one
  -v, --verbose`,
    },
    rename,
  ),
];
