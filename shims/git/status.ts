/** git status */
import type { GitCommand } from './call.ts';
import { compare, type FileChange, type FileSide, pathFilter } from './changes.ts';
import { quotedName } from './patches.ts';
import { directoriesOf, type Repository, type State } from './repository.ts';
import { shortOid } from './revision.ts';

/** The state of a repository, as status and commit tell it. */
export interface Status {
  staged: FileChange[];
  unstaged: FileChange[];
  /** With a slash behind directories that hold nothing else. */
  untracked: string[];
}

const sides = (states: readonly State[], of: 'head' | 'index' | 'work'): Map<string, FileSide> => {
  const found = new Map<string, FileSide>();
  for (const state of states) {
    const blob = state[of];
    if (blob !== null) found.set(state.path, { ...blob, isWork: of === 'work' });
  }
  return found;
};

export async function statusOf(
  repo: Repository,
  { untracked = 'normal', paths = [] as readonly string[] } = {},
): Promise<Status> {
  const isWanted = pathFilter(repo, paths);
  const states = (await repo.states()).filter(({ path }) => isWanted(path));
  const tracked = states.filter(({ index }) => index !== null);
  const others = states.filter(({ index, work }) => index === null && work !== null);
  return {
    staged: await compare(repo, sides(states, 'head'), sides(states, 'index')),
    unstaged: await compare(repo, sides(tracked, 'index'), sides(tracked, 'work'), {
      renames: false,
    }),
    untracked: untracked === 'no' ? [] : untrackedOf(others, tracked, untracked === 'all'),
  };
}

function untrackedOf(others: readonly State[], tracked: readonly State[], all: boolean): string[] {
  if (all) return others.map(({ path }) => path);
  const held = new Set<string>();
  for (const { path } of tracked) for (const directory of directoriesOf(path)) held.add(directory);
  const shown = others.map(({ path }) => {
    const whole = directoriesOf(path).find((directory) => !held.has(directory));
    return whole === undefined ? path : `${whole}/`;
  });
  return [...new Set(shown)];
}

export const status: GitCommand = async (call) => {
  const { options, operands, paths } = call.options({
    short: 'sbu::zv',
    long: {
      short: 's',
      porcelain: 'porcelain::',
      branch: 'b',
      'untracked-files': 'u::',
      long: 'long',
      'no-renames': 'no-renames',
      ignored: 'ignored::',
    },
  });
  const repo = await call.repository();
  const u = options.get('u');
  const found = await statusOf(repo, {
    untracked: options.has('u') ? (u === '' || u === undefined ? 'all' : u) : 'normal',
    paths: [...operands, ...(paths ?? [])],
  });
  const porcelain = options.has('porcelain');
  if (porcelain || options.has('s') || options.has('z')) {
    const end = options.has('z') ? '\0' : '\n';
    if (options.has('b')) call.tool.print(`${await branchLine(repo)}${end}`);
    const shown = porcelain ? (path: string) => path : (path: string) => repo.shown(path);
    call.tool.print(short(found, shown, options.has('z')));
    return;
  }
  await longStatus(repo, found, options.get('u') !== 'no');
};

async function branchLine(repo: Repository): Promise<string> {
  const branch = await repo.branch();
  if (branch === null) return '## HEAD (no branch)';
  return (await repo.head()) === null ? `## No commits yet on ${branch}` : `## ${branch}`;
}

function short(
  { staged, unstaged, untracked }: Status,
  shown: (path: string) => string,
  zero: boolean,
): string {
  const name = (path: string): string => {
    const text = shown(path);
    if (zero) return text;
    return text.includes(' ') ? `"${text}"` : quotedName(text);
  };
  const lines = new Map<string, { x: string; y: string; from: string | null }>();
  for (const { kind, path, from } of staged)
    lines.set(path, { x: kind, y: ' ', from: kind === 'R' ? from : null });
  for (const { kind, path } of unstaged) {
    const line = lines.get(path) ?? { x: ' ', y: ' ', from: null };
    lines.set(path, { ...line, y: kind });
  }
  const sorted = [...lines].sort(([a], [b]) => (a < b ? -1 : 1));
  const end = zero ? '\0' : '\n';
  let out = '';
  for (const [path, { x, y, from }] of sorted) {
    const both = zero ? `${name(path)}\0${from}` : `${name(from ?? '')} -> ${name(path)}`;
    out += `${x}${y} ${from === null ? name(path) : both}${end}`;
  }
  return out + untracked.map((path) => `?? ${name(path)}${end}`).join('');
}

const WORDS = {
  A: 'new file:   ',
  D: 'deleted:    ',
  M: 'modified:   ',
  R: 'renamed:    ',
  T: 'typechange: ',
} as const;

/** As `git status` prints it. */
export async function longStatus(repo: Repository, found: Status, looked: boolean): Promise<void> {
  const { tool } = repo;
  const branch = await repo.branch();
  const head = await repo.head();
  tool.print(
    branch === null
      ? `HEAD detached at ${await shortOid(repo, head ?? '')}\n`
      : `On branch ${branch}\n`,
  );
  if (head === null) tool.print('\nNo commits yet\n\n');
  const name = (path: string): string => quotedName(repo.shown(path));
  const line = ({ kind, path, from }: FileChange): string =>
    `\t${WORDS[kind]}${kind === 'R' ? `${name(from)} -> ` : ''}${name(path)}\n`;
  const { staged, unstaged, untracked } = found;
  const section = (title: string, hints: readonly string[], lines: readonly string[]): void => {
    if (lines.length === 0) return;
    tool.print(`${title}:\n${hints.map((hint) => `  (${hint})\n`).join('')}${lines.join('')}\n`);
  };
  section(
    'Changes to be committed',
    [
      head === null
        ? 'use "git rm --cached <file>..." to unstage'
        : 'use "git restore --staged <file>..." to unstage',
    ],
    staged.map(line),
  );
  const gone = unstaged.some(({ kind }) => kind === 'D');
  section(
    'Changes not staged for commit',
    [
      `use "git add${gone ? '/rm' : ''} <file>..." to update what will be committed`,
      'use "git restore <file>..." to discard changes in working directory',
    ],
    unstaged.map(line),
  );
  section(
    'Untracked files',
    ['use "git add <file>..." to include in what will be committed'],
    untracked.map((path) => `\t${name(path)}\n`),
  );
  if (!looked) tool.print('Untracked files not listed (use -u option to show untracked files)\n');
  tool.print(lastLine(found, head === null));
}

/** What can be committed, in git's words; nothing where something can. */
function lastLine({ staged, unstaged, untracked }: Status, isFirst: boolean): string {
  if (staged.length > 0) return '';
  if (unstaged.length > 0)
    return 'no changes added to commit (use "git add" and/or "git commit -a")\n';
  if (untracked.length > 0)
    return 'nothing added to commit but untracked files present (use "git add" to track)\n';
  return isFirst
    ? 'nothing to commit (create/copy files and use "git add" to track)\n'
    : 'nothing to commit, working tree clean\n';
}
