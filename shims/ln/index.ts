/** ln, with -s, -f, -n, -r, -t, -T and -v. */
import { basename, dirname, join, relative } from 'node:path/posix';
import type { ShimFactory } from '../../src/shell/command.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { defineTool, errnoOf, type Tool } from '../support/tool.ts';

/** Is there a directory? A link to one counts, unless it is to be taken as it is. */
async function isDirectory(tool: Tool, name: string, asIs: boolean): Promise<boolean> {
  try {
    const path = tool.path(name);
    const stat = asIs ? await tool.fs.lstat(path) : await tool.fs.stat(path);
    return stat.isDirectory;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** The pairs of target and link that the operands stand for. */
async function pairs(tool: Tool, options: Options): Promise<[target: string, link: string][]> {
  const { operands } = options;
  const [first, second, ...others] = operands;
  if (first === undefined) throw new UsageError('missing file operand');
  const into = options.get('t');
  if (into !== undefined) return operands.map((target) => [target, join(into, basename(target))]);
  if (second === undefined) {
    if (options.has('T')) throw new UsageError(`missing destination file operand after '${first}'`);
    return [[first, basename(first)]];
  }
  if (options.has('T')) {
    if (others[0] !== undefined) throw new UsageError(`extra operand '${others[0]}'`);
    return [[first, second]];
  }
  const last = operands.at(-1) ?? second;
  const inside = await isDirectory(tool, last, options.has('n'));
  if (inside) {
    const place = (target: string) => `${last.replace(/\/+$/, '')}/${basename(target)}`;
    return operands.slice(0, -1).map((target) => [target, place(target)]);
  }
  if (others.length > 0)
    throw new UsageError(`target '${last}' is not a directory`, { hint: false });
  return [[first, second]];
}

async function link(tool: Tool, target: string, name: string, options: Options): Promise<void> {
  const symbolic = options.has('s');
  const path = tool.path(name);
  if (!symbolic) {
    const stat = await tool.attempt(`failed to access '${target}'`, () =>
      tool.fs.lstat(tool.path(target)),
    );
    if (stat === undefined) return;
    if (stat.isDirectory) return tool.fail(`${target}: hard link not allowed for directory`);
  }
  // A link in the place of what it leads to would lead to itself, and the file would be gone.
  if (options.has('f') && (await isSame(tool, target, path))) {
    return tool.fail(`'${target}' and '${name}' are the same file`);
  }
  const kind = symbolic ? 'symbolic' : 'hard';
  const text =
    symbolic && options.has('r') ? relative(dirname(path), tool.path(target)) || '.' : target;
  const done = await tool.attempt(`failed to create ${kind} link '${name}'`, async () => {
    if (options.has('f')) await removeFile(tool, path);
    if (symbolic) await tool.fs.symlink(text, path);
    else await tool.fs.link(tool.path(target), path);
    return true;
  });
  if (done === true && options.has('v')) {
    tool.print(`'${name}' ${symbolic ? '->' : '=>'} '${text}'\n`);
  }
}

/** Is the target what stands at the path, by its own name or by a link that leads there? */
async function isSame(tool: Tool, target: string, path: string): Promise<boolean> {
  const from = tool.path(target);
  if (!(await tool.fs.exists(from))) return false;
  return from === path || (await tool.fs.realpath(from)) === path;
}

/** -f takes away what is there, but no directory. */
async function removeFile(tool: Tool, path: string): Promise<void> {
  try {
    if ((await tool.fs.lstat(path)).isDirectory) return;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
    throw error;
  }
  await tool.fs.rm(path);
}

async function ln(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'sfnrt:TviLP',
    long: {
      symbolic: 's',
      force: 'f',
      'no-dereference': 'n',
      relative: 'r',
      'target-directory': 't:',
      'no-target-directory': 'T',
      verbose: 'v',
    },
  });
  if (options.has('r') && !options.has('s'))
    throw new UsageError('cannot do --relative without --symbolic', { hint: false });
  for (const [target, name] of await pairs(tool, options)) await link(tool, target, name, options);
}

/** ln. */
export const lnShims: ShimFactory = (host) => [
  defineTool(host, { name: 'ln', usage: 'Usage: ln [OPTION]... [-T] TARGET LINK_NAME' }, ln),
];
