/** git rebase: a branch's own commits made again on another, where each of them fits. */
import type { Options } from '../support/getopt.ts';
import type { GitCommand } from './call.ts';
import { GitFault } from './fault.ts';
import { noteMove } from './moves.ts';
import { between } from './pick.ts';
import { type Picked, pickOf, type Replayed, replay } from './replay.ts';
import { isSame, type Repository } from './repository.ts';
import { revisionCommit, tryRevision } from './revision.ts';
import { moveTo } from './worktree.ts';

export const rebase: GitCommand = async (call) => {
  const { options, operands } = call.options({
    short: 'iqvr',
    long: {
      onto: 'onto:',
      interactive: 'i',
      quiet: 'q',
      verbose: 'v',
      continue: 'continue',
      abort: 'abort',
      skip: 'skip',
      'rebase-merges': 'r',
    },
  });
  const onto = options.get('onto');
  const upstream = upstreamOf(options, operands);
  const repo = await call.repository();
  await refuseDirty(repo);
  if ((await tryRevision(repo, upstream)) === null)
    throw new GitFault(`invalid upstream '${upstream}'`);
  const base: Base = {
    below: await revisionCommit(repo, upstream),
    onto: await revisionCommit(repo, onto ?? upstream),
    name: onto ?? upstream,
  };
  const branch = await repo.branch();
  const picks = await picksOf(repo, base);
  if (picks === null) {
    call.tool.print(`${branch === null ? 'HEAD' : `Current branch ${branch}`} is up to date.\n`);
    return;
  }
  const made = await replay(call, 'rebase', base.onto, picks, ({ of, message }) => {
    const [subject] = message.split('\n');
    call.tool.stderr += `dropping ${of} ${subject} -- patch contents already upstream\n`;
  });
  const ref = branch === null ? 'HEAD' : `refs/heads/${branch}`;
  await moveOnto(repo, base, ref, made);
  if (!options.has('q'))
    call.tool.stderr += `Successfully rebased and updated ${branch === null ? 'detached HEAD' : ref}.\n`;
};

/** What is rebased on: commits that are not in the history of `below` are made again on `onto`. */
interface Base {
  below: string;
  onto: string;
  /** As the command line names it. */
  name: string;
}

/** The branch that is named. @throws GitFault for what is not done here */
function upstreamOf(options: Options, operands: readonly string[]): string {
  if (options.has('i'))
    throw new GitFault(
      'git rebase -i asks in an editor: use git reset --soft and git commit, or git cherry-pick',
    );
  if (options.has('r'))
    throw new GitFault(
      'merges are not made again here: rebase without --rebase-merges, or use git merge',
    );
  if (options.has('continue') || options.has('abort') || options.has('skip'))
    throw new GitFault('No rebase in progress?');
  const [upstream, other] = operands;
  if (upstream === undefined) throw new GitFault('name what to rebase on: git rebase BRANCH');
  if (other !== undefined)
    throw new GitFault(`git switch ${other} first, then git rebase ${upstream}`);
  return upstream;
}

/** The branch's own commits without its merges; null where they stand on it already. */
async function picksOf(repo: Repository, { below, onto }: Base): Promise<Picked[] | null> {
  const head = await revisionCommit(repo, 'HEAD');
  const own = await between(repo, below, head);
  const parents = await Promise.all(own.map(async (oid) => (await repo.commit(oid)).parent));
  const isThere = parents.every(
    (each, index) => each.length === 1 && each[0] === (own[index - 1] ?? onto),
  );
  if (isThere && (own.length > 0 || head === onto)) return null;
  const single = own.filter((_, index) => parents[index]?.length === 1);
  return Promise.all(single.map((oid) => pickOf(repo, oid)));
}

/** Goes to the last of the commits that were made, and writes down the way there as git does. */
async function moveOnto(
  repo: Repository,
  { onto, name }: Base,
  ref: string,
  made: readonly Replayed[],
): Promise<void> {
  const head = await repo.head();
  const last = made.at(-1)?.oid ?? onto;
  await moveTo(repo, last, false);
  await repo.git.writeRef({ ...repo.at, ref, value: last, force: true });
  await noteMove(repo, 'HEAD', head, onto, `rebase (start): checkout ${name}`);
  for (const { oid, before, commit } of made)
    await noteMove(repo, 'HEAD', before, oid, `rebase (pick): ${commit.message}`);
  await noteMove(repo, 'HEAD', last, last, `rebase (finish): returning to ${ref}`);
  if (ref !== 'HEAD') await noteMove(repo, ref, head, last, `rebase (finish): ${ref} onto ${onto}`);
}

/** @throws GitFault where something is not committed */
async function refuseDirty(repo: Repository): Promise<void> {
  const tracked = (await repo.states()).filter(
    ({ head, index }) => head !== null || index !== null,
  );
  const what = tracked.some(({ index, work }) => index !== null && !isSame(index, work))
    ? 'You have unstaged changes'
    : tracked.some(({ head, index }) => !isSame(head, index))
      ? 'Your index contains uncommitted changes'
      : null;
  if (what !== null)
    throw new GitFault(`cannot rebase: ${what}.\nerror: Please commit or stash them.`, 1, 'error');
}
