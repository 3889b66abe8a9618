/** realpath and readlink. */
import { dirname } from 'node:path/posix';
import { FsError } from '../../src/errors.ts';
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, errnoOf, type Tool } from '../support/tool.ts';

/** How much of a path must exist: all but the last part, all, or nothing. */
export type Strictness = 'last' | 'all' | 'none';

const HOPS = 40;

/** The path without links and dots, links resolved before `..` as the kernel does. */
export async function canonical(tool: Tool, name: string, strict: Strictness): Promise<string> {
  const fail = (code: 'ENOENT' | 'ENOTDIR' | 'ELOOP'): never => {
    throw new FsError(code, { op: 'realpath', path: name });
  };
  if (name === '') fail('ENOENT');
  const todo = (name.startsWith('/') ? name : `${tool.ctx.cwd}/${name}`).split('/').filter(Boolean);
  let at = '';
  let hops = 0;
  while (todo.length > 0) {
    const part = todo.shift() ?? '';
    if (part === '.') continue;
    if (part === '..') {
      at = at.slice(0, Math.max(0, at.lastIndexOf('/')));
      continue;
    }
    const next = `${at}/${part}`;
    try {
      const stat = await tool.fs.lstat(next);
      if (stat.isSymbolicLink) {
        if (++hops > HOPS) fail('ELOOP');
        const target = await tool.fs.readlink(next);
        if (target.startsWith('/')) at = '';
        todo.unshift(...target.split('/').filter(Boolean));
        continue;
      }
      const more = todo.length > 0 || name.endsWith('/');
      if (!stat.isDirectory && more && strict !== 'none') fail('ENOTDIR');
    } catch (error) {
      const absent = errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR';
      const allowed = strict === 'none' || (strict === 'last' && todo.length === 0);
      if (!absent || !allowed || errnoOf(error) === 'ELOOP') throw error;
      if (errnoOf(error) === 'ENOTDIR' && strict !== 'none') throw error;
    }
    at = next;
  }
  return at || '/';
}

/** A path as seen from a directory. */
export function relative(from: string, to: string): string {
  const a = from.split('/').filter(Boolean);
  const b = to.split('/').filter(Boolean);
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  const parts = [...a.slice(same).map(() => '..'), ...b.slice(same)];
  return parts.join('/') || '.';
}

/** A directory may be missing, but nothing else may stand in its place. */
async function mustBeDirectory(tool: Tool, path: string): Promise<void> {
  if (!(await tool.fs.exists(path))) return;
  if (!(await tool.fs.stat(path)).isDirectory) throw new FsError('ENOTDIR', { op: 'lstat', path });
}

async function realpath(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'eEmLPqsz',
    long: {
      'canonicalize-existing': 'e',
      'canonicalize-missing': 'm',
      logical: 'L',
      physical: 'P',
      quiet: 'q',
      'relative-to': 'to:',
      'relative-base': 'base:',
      strip: 's',
      'no-symlinks': 's',
      zero: 'z',
    },
  });
  if (options.operands.length === 0) throw new UsageError('missing operand');
  const strict: Strictness = options.has('m') ? 'none' : options.has('e') ? 'all' : 'last';
  const lexical = options.has('s');
  const resolve = async (name: string): Promise<string> => {
    if (!lexical) return canonical(tool, name, strict);
    // Links are left in the path, and yet must lead somewhere.
    if (strict === 'all') await tool.fs.stat(tool.path(name));
    else if (strict === 'last') await mustBeDirectory(tool, dirname(tool.path(name)));
    return tool.path(name);
  };
  const end = options.has('z') ? '\0' : '\n';
  const base = options.get('base');
  const to = options.get('to') ?? base;
  const root = to === undefined ? undefined : await resolve(to);
  const inside = base === undefined ? '/' : await resolve(base);
  for (const name of options.operands) {
    await tool.attempt(name, async () => {
      const path = await resolve(name);
      const under = inside === '/' || path === inside || path.startsWith(`${inside}/`);
      tool.print((root !== undefined && under ? relative(root, path) : path) + end);
    });
  }
  if (options.has('q')) tool.stderr = '';
}

/** Is it there, and no link? Asking such a file where it leads is an error that would be told. */
async function isNoLink(tool: Tool, name: string): Promise<boolean> {
  const path = tool.path(name);
  return (await tool.fs.exists(path)) && !(await tool.fs.lstat(path)).isSymbolicLink;
}

async function readlink(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'efmnqsvz',
    long: {
      canonicalize: 'f',
      'canonicalize-existing': 'e',
      'canonicalize-missing': 'm',
      'no-newline': 'n',
      quiet: 'q',
      silent: 's',
      verbose: 'v',
      zero: 'z',
    },
  });
  const names = options.operands;
  if (names.length === 0) throw new UsageError('missing operand');
  const mode = options.seen.filter(([key]) => 'efm'.includes(key)).at(-1)?.[0];
  const end = options.has('n') && names.length === 1 ? '' : options.has('z') ? '\0' : '\n';
  for (const name of names) {
    if (mode === undefined && (await isNoLink(tool, name))) {
      tool.status = 1;
      if (options.has('v')) tool.fail(`${name}: Invalid argument`);
      continue;
    }
    await tool.attempt(name, async () => {
      const strict: Strictness = mode === 'e' ? 'all' : mode === 'm' ? 'none' : 'last';
      const path =
        mode === undefined
          ? await tool.fs.readlink(tool.path(name))
          : await canonical(tool, name, strict);
      tool.print(path + end);
    });
  }
  // GNU's readlink keeps silent unless -v; a refusal (a line of ours) is not to be hidden.
  const refused = tool.stderr.includes('dirigent: ');
  if (!options.has('v') && !refused && !/Permission|Input\/output|timed out/.test(tool.stderr)) {
    tool.stderr = '';
  }
}

/** realpath and readlink. */
export const realpathShims: ShimFactory = (host) => [
  defineTool(host, { name: 'realpath', usage: 'Usage: realpath [OPTION]... FILE...' }, realpath),
  defineTool(host, { name: 'readlink', usage: 'Usage: readlink [OPTION]... FILE...' }, readlink),
];
