/** git clean: removes what is not tracked. */
import { globMatcher } from '../support/glob.ts';
import type { GitCommand } from './call.ts';
import { pathFilter } from './changes.ts';
import { GitFault } from './fault.ts';
import { quotedName } from './patches.ts';
import { byName, directoriesOf, type Repository } from './repository.ts';

/** What may be removed: what is not ignored, what is, or both. */
type Which = 'others' | 'ignored' | 'both';

export const clean: GitCommand = async (call) => {
  const { options, operands, paths } = call.options({
    short: 'dfnqxXie:',
    long: {
      force: 'f',
      'dry-run': 'n',
      quiet: 'q',
      interactive: 'i',
      exclude: 'e:',
    },
  });
  if (options.has('i'))
    throw new GitFault('git clean -i asks at a keyboard: see with -n what it would remove');
  if (options.has('x') && options.has('X')) throw new GitFault('-x and -X cannot be used together');
  if (!options.has('f') && !options.has('n'))
    throw new GitFault(
      'clean.requireForce defaults to true and neither -i, -n, nor -f given; refusing to clean',
    );
  const repo = await call.repository();
  const named = [...operands, ...(paths ?? [])];
  const kept = options.all('e').map((pattern) => globMatcher(pattern));
  const found = await untracked(repo, {
    which: options.has('X') ? 'ignored' : options.has('x') ? 'both' : 'others',
    directories: options.has('d') || named.length > 0,
    isWanted: pathFilter(repo, named.length > 0 ? named : [call.tool.ctx.cwd]),
    isKept: (path) => kept.some((fits) => fits(path) || fits(path.split('/').at(-1) ?? '')),
  });
  for (const path of found) {
    const isDry = options.has('n');
    if (!options.has('q') || isDry)
      call.tool.print(`${isDry ? 'Would remove' : 'Removing'} ${shown(repo, path)}\n`);
    if (!isDry) await repo.tool.fs.rm(repo.absolute(path.replace(/\/$/, '')), { recursive: true });
  }
};

const shown = (repo: Repository, path: string): string =>
  quotedName(repo.shown(path.replace(/\/$/, '')) + (path.endsWith('/') ? '/' : ''));

interface Looking {
  which: Which;
  directories: boolean;
  /** Is it below what was named? */
  isWanted(path: string): boolean;
  isKept(path: string): boolean;
}

/** Of a directory, what may be removed, and whether that is all that is in it. */
interface Found {
  paths: string[];
  isWhole: boolean;
}

/** What is not tracked; a directory that has nothing else has a slash behind it, and stands for all in it. */
async function untracked(repo: Repository, looking: Looking): Promise<string[]> {
  const tracked = await repo.index();
  const holders = new Set<string>();
  for (const path of tracked.keys())
    for (const directory of directoriesOf(path)) holders.add(directory);
  const look = async (directory: string): Promise<Found> => {
    const found: Found = { paths: [], isWhole: true };
    for (const name of await repo.tool.fs.readdir(repo.absolute(directory))) {
      const path = directory === '' ? name : `${directory}/${name}`;
      const { paths, isWhole } = tracked.has(path) || path === '.git' ? KEPT : await judge(path);
      found.paths.push(...paths);
      if (!isWhole) found.isWhole = false;
      await repo.tool.pulse();
    }
    return found;
  };
  const judge = async (path: string): Promise<Found> => {
    const { which, directories, isWanted, isKept } = looking;
    const { fs } = repo.tool;
    const stat = await fs.lstat(repo.absolute(path));
    const isDirectory = stat.isDirectory && !stat.isSymbolicLink;
    const isIgnored = await repo.isIgnored(path, isDirectory);
    if (isKept(path) || (isIgnored && which === 'others')) return KEPT;
    const isOwn = isWanted(path) && (which !== 'ignored' || isIgnored);
    if (!isDirectory) return isOwn ? { paths: [path], isWhole: true } : KEPT;
    const isHolder = holders.has(path);
    // What is ignored may be in a directory that is not; a repository in another is its own.
    const isEntered = directories || (which === 'ignored' && !isIgnored);
    if (!isHolder && (!isEntered || (await fs.exists(repo.absolute(`${path}/.git`))))) return KEPT;
    const inner = await look(path);
    if (inner.isWhole && isOwn && !isHolder) return { paths: [`${path}/`], isWhole: true };
    return { paths: inner.paths, isWhole: false };
  };
  return (await look('')).paths.sort(byName);
}

const KEPT: Found = { paths: [], isWhole: false };
