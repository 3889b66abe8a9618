/** git stash: what is not committed, put aside as commits and brought back. */
import type { Call, GitCommand } from './call.ts';
import { compare, inTree, pathFilter } from './changes.ts';
import { go } from './checkout.ts';
import { commitText } from './commit-object.ts';
import { GitFault } from './fault.ts';
import { PATCH_OPTIONS, patchForm, showsNothing } from './log.ts';
import { refuseConflicts } from './merge.ts';
import { mergeTrees } from './merging.ts';
import { dropMove, forgetMoves, movesOf, noteMove } from './moves.ts';
import { shownChanges } from './patches.ts';
import { withChanged } from './replay.ts';
import { type Blob, isSame, type Repository, type State, type Tree } from './repository.ts';
import { shortOid } from './revision.ts';
import { longStatus, statusOf } from './status.ts';
import {
  checkPath,
  putTree,
  refuseOverwriting,
  removeFile,
  writeFile,
  writeIndex,
} from './worktree.ts';

const REF = 'refs/stash';

const VERBS: Readonly<Record<string, GitCommand>> = {
  push: (call) => push(call),
  save: (call) => push(call),
  list,
  show,
  apply: async (call) => void (await apply(call)),
  pop,
  drop,
  clear,
  branch: branchFrom,
};

export const stash: GitCommand = async (call) => {
  const [verb] = call.args;
  if (verb === undefined || verb.startsWith('-')) return push(call);
  const run = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (run === undefined)
    throw new GitFault(
      `subcommand wasn't specified; 'push' can't be assumed due to unexpected token '${verb}'`,
    );
  await run(call.rest());
};

/** One that was put aside. */
interface Entry {
  index: number;
  /** As messages call it. */
  name: string;
  oid: string;
  /** The commit that was checked out, and what the index had. */
  base: string;
  staged: string;
  /** Files that were not tracked; null where they stayed. */
  untracked: string | null;
}

async function push(call: Call): Promise<void> {
  const { options, operands, paths } = call.options({
    short: 'kuaqm:pS',
    long: {
      'keep-index': 'k',
      'no-keep-index': 'no-keep-index',
      'include-untracked': 'u',
      all: 'a',
      quiet: 'q',
      message: 'm:',
      patch: 'p',
      staged: 'S',
    },
  });
  if (options.has('p'))
    throw new GitFault('git stash -p asks at a keyboard: name the files instead');
  if (options.has('a') || options.has('S'))
    throw new GitFault(
      'git stash -a and -S cannot be done here: -u takes what is not tracked, and names of files take these alone',
    );
  const repo = await call.repository();
  const head = await repo.head();
  if (head === null) throw new GitFault('You do not have the initial commit yet', 1, 'usage');
  const isSave = call.name === 'save';
  const named = isSave ? [] : [...operands, ...(paths ?? [])];
  const states = await statesUnder(repo, named, options.has('u'));
  const tracked = states.filter((state) => state.head !== null || state.index !== null);
  const changed = tracked.filter(
    (state) => !isSame(state.head, state.index) || !isSame(state.index, state.work),
  );
  const others = options.has('u') ? states.filter((state) => !tracked.includes(state)) : [];
  if (changed.length === 0 && others.length === 0) {
    if (!options.has('q')) call.tool.print('No local changes to save\n');
    return;
  }
  const given = isSave ? operands.join(' ') : (options.get('m') ?? '');
  const message = await putAside(repo, head, given, changed, options.has('u') ? others : null);
  const kept: Tree = new Map();
  for (const state of changed) {
    const blob = options.has('k') ? state.index : state.head;
    if (blob !== null) kept.set(state.path, blob);
  }
  await putTree(repo, kept, changed);
  for (const { path } of others) await removeFile(repo, path);
  if (named.length === 0) await noteMove(repo, 'HEAD', head, head, 'reset: moving to HEAD');
  if (!options.has('q')) call.tool.print(`Saved working directory and index state ${message}\n`);
}

/** The states of what is named, or of all. @throws GitFault where nothing has such a name */
async function statesUnder(
  repo: Repository,
  named: readonly string[],
  withUntracked: boolean,
): Promise<State[]> {
  const states = (await repo.states()).filter(
    ({ head, index }) => withUntracked || head !== null || index !== null,
  );
  for (const name of named) {
    const isWanted = pathFilter(repo, [name]);
    if (!states.some(({ path }) => isWanted(path)))
      throw new GitFault(
        `pathspec ':(,prefix:0)${repo.relative(name)}' did not match any file(s) known to git\nDid you forget to 'git add'?`,
        1,
        'error',
      );
  }
  const isWanted = pathFilter(repo, named);
  return states.filter(({ path }) => isWanted(path));
}

/** Writes what there is as commits, before any of it goes. @returns what the entry is called */
async function putAside(
  repo: Repository,
  head: string,
  given: string,
  changed: readonly State[],
  others: readonly State[] | null,
): Promise<string> {
  const branch = (await repo.branch()) ?? '(no branch)';
  const [subject] = (await repo.commit(head)).message.split('\n');
  const on = `${branch}: ${await shortOid(repo, head)} ${subject}`;
  const message = given === '' ? `WIP on ${on}` : `On ${branch}: ${given}`;
  const index = await repo.index();
  const work = withChanged(index, await worked(repo, changed));
  const [author, committer] = [await repo.person('AUTHOR'), await repo.person('COMMITTER')];
  const commit = async (files: Tree, parent: string[], text: string): Promise<string> => {
    const tree = await repo.writeTree(files);
    // Written as it is: the last of them has no newline at its end, which the engine would add.
    const object = Buffer.from(commitText({ tree, parent, author, committer, message: text }));
    return repo.git.writeObject({ ...repo.at, type: 'commit', format: 'content', object });
  };
  const parents = [head, await commit(index, [head], `index on ${on}\n`)];
  if (others !== null)
    parents.push(
      await commit(filesOf(await worked(repo, others)), [], `untracked files on ${on}\n`),
    );
  const oid = await commit(work, parents, message);
  const before = await repo.tryResolve(REF);
  await repo.git.writeRef({ ...repo.at, ref: REF, value: oid, force: true });
  await noteMove(repo, REF, before, oid, message);
  return message;
}

const filesOf = (changed: ReadonlyMap<string, Blob | null>): Tree =>
  withChanged(new Map(), changed);

/** What stands in the working tree, written as objects. */
async function worked(
  repo: Repository,
  states: readonly State[],
): Promise<Map<string, Blob | null>> {
  const found = new Map<string, Blob | null>();
  for (const { path, work } of states) {
    if (work !== null && work.mode !== '160000')
      await repo.git.writeBlob({ ...repo.at, blob: await repo.worked(path) });
    found.set(path, work);
    await repo.tool.pulse();
  }
  return found;
}

async function list(call: Call): Promise<void> {
  call.options({ short: '', long: {} });
  const moves = await movesOf(await call.repository(), REF);
  for (const [index, { message }] of moves.entries())
    call.tool.print(`stash@{${index}}: ${message}\n`);
}

/** The entry that is named, or the last. @throws GitFault */
async function entryOf(repo: Repository, operands: readonly string[]): Promise<Entry> {
  if (operands.length > 1)
    throw new GitFault(
      `Too many revisions specified: ${operands.map((each) => `'${each}'`).join(' ')}`,
      1,
      'usage',
    );
  const [given] = operands;
  const name = given ?? '0';
  const [, digits] = /^(?:(?:refs\/)?stash@\{)?(\d{1,9})\}?$/.exec(name) ?? [];
  if (digits === undefined && !/^(?:refs\/)?stash$/.test(name))
    throw new GitFault(`${name} is not a valid reference`, 1, 'error');
  const moves = await movesOf(repo, REF);
  if (moves.length === 0) throw new GitFault('No stash entries found.', 1, 'usage');
  const index = Number(digits ?? 0);
  const oid = moves[index]?.after;
  if (oid === undefined) throw new GitFault(`log for 'stash' only has ${moves.length} entries`);
  const { parent } = await repo.commit(oid);
  const [base, staged, untracked = null] = parent;
  if (base === undefined || staged === undefined)
    throw new GitFault(`'${name}' is not a stash-like commit`);
  const isNumber = given === undefined || /^\d+$/.test(given);
  return { index, name: isNumber ? `${REF}@{${index}}` : given, oid, base, staged, untracked };
}

async function show(call: Call): Promise<void> {
  const { options, operands } = call.options(PATCH_OPTIONS);
  const repo = await call.repository();
  const { base, oid } = await entryOf(repo, operands);
  const [before, after] = [inTree(await repo.tree(base)), inTree(await repo.tree(oid))];
  const form = patchForm(options, {});
  const stat = showsNothing(form) && !options.has('s');
  const shown = await shownChanges(
    repo,
    await compare(repo, before, after),
    stat ? { ...form, stat } : form,
  );
  call.tool.write(shown);
}

/** Brings an entry back. @throws GitFault where it does not fit, with nothing changed */
async function apply(call: Call): Promise<Entry> {
  const { options, operands } = call.options({ short: 'q', long: { index: 'index', quiet: 'q' } });
  const repo = await call.repository();
  const entry = await entryOf(repo, operands);
  await bringBack(call, repo, entry, options.has('index'));
  if (!options.has('q')) await longStatus(repo, await statusOf(repo), true);
  return entry;
}

async function bringBack(
  call: Call,
  repo: Repository,
  { base, oid, staged, untracked }: Entry,
  withIndex: boolean,
): Promise<void> {
  const before = await repo.tree(base);
  const index = await repo.index();
  const merged = await mergeTrees(repo, before, index, await repo.tree(oid));
  refuseConflicts(call, merged, 'merge');
  const indexed = withIndex ? await mergeTrees(repo, before, index, await repo.tree(staged)) : null;
  if (indexed !== null && indexed.conflicts.length > 0)
    throw new GitFault('conflicts in index. Try without --index.', 1, 'error');
  const others = await repo.tree(untracked);
  for (const path of [...merged.changed.keys(), ...others.keys()]) checkPath(path);
  const states = await repo.states();
  refuseOverwriting(states, merged.changed);
  for (const path of others.keys())
    if (await repo.tool.fs.exists(repo.absolute(path)))
      throw new GitFault(
        `${path} already exists, no checkout\nerror: could not restore untracked files from stash`,
        1,
        'usage',
      );
  for (const [path, blob] of merged.changed) {
    if (blob === null) await removeFile(repo, path);
    else await writeFile(repo, path, blob);
    // What is new is tracked again; what changed is as not added as it was.
    if (blob !== null && !index.has(path)) await writeIndex(repo, path, blob, true);
  }
  for (const [path, blob] of indexed?.changed ?? []) await writeIndex(repo, path, blob, false);
  for (const [path, blob] of others) await writeFile(repo, path, blob);
}

async function pop(call: Call): Promise<void> {
  let entry: Entry;
  try {
    entry = await apply(call);
  } catch (error) {
    if (error instanceof GitFault && (await movesOf(await call.repository(), REF)).length > 0)
      call.tool.print('The stash entry is kept in case you need it again.\n');
    throw error;
  }
  await dropEntry(call, entry);
}

async function drop(call: Call): Promise<void> {
  const { operands } = call.options({ short: 'q', long: { quiet: 'q' } });
  await dropEntry(call, await entryOf(await call.repository(), operands));
}

async function dropEntry(call: Call, { index, name, oid }: Entry): Promise<void> {
  const repo = await call.repository();
  await dropMove(repo, REF, index);
  const [last] = await movesOf(repo, REF);
  if (last === undefined) await repo.git.deleteRef({ ...repo.at, ref: REF });
  else await repo.git.writeRef({ ...repo.at, ref: REF, value: last.after, force: true });
  if (!call.args.includes('-q') && !call.args.includes('--quiet'))
    call.tool.print(`Dropped ${name} (${oid})\n`);
}

async function clear(call: Call): Promise<void> {
  const repo = await call.repository();
  if ((await repo.tryResolve(REF)) !== null) await repo.git.deleteRef({ ...repo.at, ref: REF });
  await forgetMoves(repo, REF);
}

/** A new branch where the entry was made, with the entry brought back. */
async function branchFrom(call: Call): Promise<void> {
  const { operands } = call.options({ short: '', long: {} });
  const [name, ...rest] = operands;
  if (name === undefined) throw new GitFault('No branch name specified', 1, 'usage');
  const repo = await call.repository();
  const entry = await entryOf(repo, rest);
  await go(call, { create: name, to: entry.base, force: false, detach: false, quiet: false });
  await bringBack(call, repo, entry, true);
  await longStatus(repo, await statusOf(repo), true);
  await dropEntry(call, entry);
}
