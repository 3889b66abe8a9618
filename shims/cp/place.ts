/** What cp, mv, ln and install share: where each source goes. */
import type { FsStat } from 'just-bash';
import { baseOf, dirOf } from '../basename/index.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { errnoOf, type Tool } from '../support/tool.ts';

/** A source and the name that it gets. */
export interface Placement {
  from: string;
  to: string;
}

/** The attributes of a path, or undefined where there is nothing. */
export async function statIf(tool: Tool, path: string, follow = true): Promise<FsStat | undefined> {
  try {
    return follow ? await tool.fs.stat(path) : await tool.fs.lstat(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Reads SOURCE… DEST in its three forms; none after a message. */
export async function placements(tool: Tool, options: Options): Promise<Placement[]> {
  const names = [...options.operands];
  const given = options.get('t');
  if (names.length === 0) throw new UsageError('missing file operand');
  const plain = options.has('T');
  if (given !== undefined && plain) {
    throw new UsageError('cannot combine --target-directory (-t) and --no-target-directory (-T)', {
      hint: tool.name !== 'cp',
    });
  }
  if (given === undefined && names.length === 1) {
    throw new UsageError(`missing destination file operand after '${names[0]}'`);
  }
  if (plain && names.length > 2) throw new UsageError(`extra operand '${names[2]}'`);
  const target = given ?? names.pop() ?? '';
  const stat = await statIf(tool, tool.path(target));
  const into = stat?.isDirectory === true && !plain;
  if (options.has('parents') && !into)
    throw new UsageError('with --parents, the destination must be a directory');
  if (!into && (given !== undefined || names.length > 1)) {
    const why = stat === undefined ? 'No such file or directory' : 'Not a directory';
    tool.fail(`target ${given === undefined ? '' : 'directory '}'${target}': ${why}`);
    return [];
  }
  if (stat?.isDirectory === false && target.endsWith('/')) {
    tool.fail(`cannot stat '${target}': Not a directory`);
    return [];
  }
  if (!into && stat === undefined && target.endsWith('/')) {
    const source = await statIf(tool, tool.path(names[0] ?? ''));
    if (source?.isDirectory === false) {
      const verb =
        tool.name === 'mv' ? `cannot move '${names[0]}' to` : 'cannot create regular file';
      const above = await statIf(tool, tool.path(dirOf(target.replace(/\/+$/, ''))));
      const why = above === undefined ? 'No such file or directory' : 'Not a directory';
      tool.fail(`${verb} '${target}': ${why}`);
      return [];
    }
  }
  return names.map((from) => ({
    from,
    to: into
      ? `${target.replace(/(.)\/+$/, '$1').replace(/^\/$/, '')}/${placeIn(from, options)}`
      : target,
  }));
}

function placeIn(from: string, options: Options): string {
  return options.has('parents') ? from.replace(/^\/+/, '') : baseOf(from);
}

/** Is one path the other, or inside it? */
export function isWithin(path: string, dir: string): boolean {
  return path === dir || path.startsWith(dir === '/' ? '/' : `${dir}/`);
}
