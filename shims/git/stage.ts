/** git add, rm and mv: what goes into the index. */
import type { Call, GitCommand } from './call.ts';
import { pathFilter } from './changes.ts';
import { GitFault } from './fault.ts';
import { isSame, type Repository, type State } from './repository.ts';
import { removeFile } from './worktree.ts';

/** Files that are put into the index at once: it is written after each lot. */
const LOT = 200;

/** Brings paths of the index in step with the working tree. */
export async function stage(repo: Repository, states: readonly State[]): Promise<void> {
  const there = states.filter(({ work }) => work !== null).map(({ path }) => path);
  for (let at = 0; at < there.length; at += LOT) {
    const filepath = there.slice(at, at + LOT);
    await repo.git.add({ ...repo.at, filepath, force: true, parallel: false });
    await repo.tool.pulse();
  }
  for (const { path, work } of states) {
    if (work === null) await repo.git.remove({ ...repo.at, filepath: path });
  }
}

export const add: GitCommand = async (call) => {
  const { options, operands, paths } = call.options({
    short: 'AunvfNp',
    long: {
      all: 'A',
      update: 'u',
      'dry-run': 'n',
      verbose: 'v',
      force: 'f',
      'no-all': 'no-all',
      'intent-to-add': 'N',
      patch: 'p',
    },
  });
  if (options.has('p')) throw new GitFault('git add -p asks at a keyboard: name the files instead');
  const repo = await call.repository();
  const named = [...operands, ...(paths ?? [])];
  const everything = options.has('A') || options.has('u');
  if (named.length === 0 && !everything) {
    call.tool.stderr +=
      'Nothing specified, nothing added.\nhint: Maybe you wanted to say \'git add .\'?\nhint: Turn this message off by running\nhint: "git config advice.addEmptyPathspec false"\n';
    return;
  }
  const states = await repo.states();
  if (options.has('f')) await addIgnored(repo, named, states);
  await checkNamed(repo, named, states);
  const isWanted = pathFilter(repo, named);
  const chosen = states.filter(
    (state) =>
      isWanted(state.path) &&
      !isSame(state.index, state.work) &&
      !(options.has('u') && state.index === null),
  );
  if (options.has('n') || options.has('v')) {
    for (const { path, work } of chosen)
      call.tool.print(`${work === null ? 'remove' : 'add'} '${path}'\n`);
  }
  if (!options.has('n')) await stage(repo, chosen);
};

/** `-f`: files that are ignored, where they are named. */
async function addIgnored(
  repo: Repository,
  named: readonly string[],
  states: State[],
): Promise<void> {
  const known = new Set(states.map(({ path }) => path));
  for (const name of named) {
    const path = repo.relative(name);
    const file = repo.absolute(path);
    if (known.has(path) || !(await repo.tool.fs.exists(file))) continue;
    if ((await repo.tool.fs.lstat(file)).isDirectory) continue;
    states.push({ path, head: null, index: null, work: { oid: '', mode: '100644' } });
  }
}

async function checkNamed(
  repo: Repository,
  named: readonly string[],
  states: readonly State[],
): Promise<void> {
  const ignored: string[] = [];
  for (const name of named) {
    const path = repo.relative(name);
    const isWanted = pathFilter(repo, [name]);
    if (path === '.' || states.some((state) => isWanted(state.path))) continue;
    const exists = await repo.tool.fs.exists(repo.absolute(path));
    if (exists && (await repo.isIgnored(path))) ignored.push(path);
    else if (!exists) throw new GitFault(`pathspec '${name}' did not match any files`);
  }
  if (ignored.length === 0) return;
  repo.tool.stderr += `The following paths are ignored by one of your .gitignore files:\n${ignored.join('\n')}\nhint: Use -f if you really want to add them.\nhint: Turn this message off by running\nhint: "git config advice.addIgnoredFile false"\n`;
  repo.tool.status = 1;
}

export const remove: GitCommand = async (call) => {
  const { options, operands, paths } = call.options({
    short: 'rfqn',
    long: {
      cached: 'cached',
      force: 'f',
      quiet: 'q',
      'dry-run': 'n',
      'ignore-unmatch': 'ignore',
    },
  });
  const repo = await call.repository();
  const states = (await repo.states()).filter(({ index }) => index !== null);
  const chosen: State[] = [];
  for (const name of [...operands, ...(paths ?? [])]) {
    const path = repo.relative(name);
    const isWanted = pathFilter(repo, [name]);
    const found = states.filter((state) => isWanted(state.path));
    if (found.length === 0 && !options.has('ignore'))
      throw new GitFault(`pathspec '${name}' did not match any files`);
    if (found.some((state) => state.path !== path) && !options.has('r') && !/[*?[]/.test(name))
      throw new GitFault(`not removing '${name}' recursively without -r`);
    chosen.push(...found);
  }
  if (!options.has('f')) refuseLoss(chosen, options.has('cached'));
  for (const { path, work } of chosen) {
    if (!options.has('q')) call.tool.print(`rm '${path}'\n`);
    if (options.has('n')) continue;
    await repo.git.remove({ ...repo.at, filepath: path });
    if (!options.has('cached') && work !== null) await removeFile(repo, path);
  }
};

function refuseLoss(chosen: readonly State[], cached: boolean): void {
  const staged = chosen.filter(({ head, index }) => index?.oid !== head?.oid);
  const edited = chosen.filter(({ index, work }) => work !== null && work.oid !== index?.oid);
  const list = (states: readonly State[]): string =>
    states.map(({ path }) => `    ${path}`).join('\n');
  if (edited.length > 0 && !cached)
    throw new GitFault(
      `the following file has local modifications:\n${list(edited)}\n(use --cached to keep the file, or -f to force removal)`,
      1,
      'error',
    );
  if (staged.length > 0 && !cached)
    throw new GitFault(
      `the following file has changes staged in the index:\n${list(staged)}\n(use --cached to keep the file, or -f to force removal)`,
      1,
      'error',
    );
}

export const move: GitCommand = async (call: Call) => {
  const { options, operands, paths } = call.options({
    short: 'fnvk',
    long: { force: 'f', 'dry-run': 'n', verbose: 'v' },
  });
  const repo = await call.repository();
  const named = [...operands, ...(paths ?? [])];
  const target = named.pop();
  if (target === undefined || named.length === 0)
    throw new GitFault('usage: git mv [<options>] <source>... <destination>', 129, 'usage');
  const { fs } = call.tool;
  const isDirectory =
    (await fs.exists(call.tool.path(target))) &&
    (await fs.stat(call.tool.path(target))).isDirectory;
  const index = await repo.index();
  for (const name of named) {
    const from = repo.relative(name);
    const to = repo.relative(isDirectory ? `${target}/${from.split('/').at(-1)}` : target);
    const moved = [...index.keys()].filter((path) => path === from || path.startsWith(`${from}/`));
    const reason = !(await fs.exists(repo.absolute(from)))
      ? 'bad source'
      : moved.length === 0
        ? 'not under version control'
        : (await fs.exists(repo.absolute(to))) && !options.has('f')
          ? 'destination exists'
          : null;
    if (reason !== null) throw new GitFault(`${reason}, source=${from}, destination=${to}`);
    if (options.has('v') || options.has('n')) call.tool.print(`Renaming ${from} to ${to}\n`);
    if (options.has('n')) continue;
    await fs.mv(repo.absolute(from), repo.absolute(to));
    for (const path of moved) {
      await repo.git.remove({ ...repo.at, filepath: path });
      await repo.git.add({ ...repo.at, filepath: to + path.slice(from.length) });
    }
  }
};
