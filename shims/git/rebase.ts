/** git rebase: a branch's own commits made again on another, where each of them fits. */
import type { GitCommand } from './call.ts';
import { GitFault } from './fault.ts';
import { isSame } from './merging.ts';
import { noteMove } from './moves.ts';
import { between } from './pick.ts';
import { pickOf, replay } from './replay.ts';
import type { Repository } from './repository.ts';
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
  if (upstream === undefined || operands.length > 1)
    throw new GitFault(
      other === undefined
        ? 'name what to rebase on: git rebase BRANCH'
        : `git switch ${other} first, then git rebase ${upstream}`,
    );
  const repo = await call.repository();
  await refuseDirty(repo);
  if ((await tryRevision(repo, upstream)) === null)
    throw new GitFault(`invalid upstream '${upstream}'`);
  const below = await revisionCommit(repo, upstream);
  const onto = await revisionCommit(repo, options.get('onto') ?? upstream);
  const head = await revisionCommit(repo, 'HEAD');
  const branch = await repo.branch();
  const own = await between(repo, below, head);
  const parents = await Promise.all(own.map(async (oid) => (await repo.commit(oid)).parent));
  const isLinear = parents.every(
    (each, index) => each[0] === (own[index - 1] ?? onto) && each.length === 1,
  );
  if (isLinear && (own.length > 0 || head === onto)) {
    call.tool.print(`${branch === null ? 'HEAD' : `Current branch ${branch}`} is up to date.\n`);
    return;
  }
  const single = own.filter((_, index) => parents[index]?.length === 1);
  const picks = await Promise.all(single.map((oid) => pickOf(repo, oid)));
  const made = await replay(call, 'rebase', onto, picks, ({ of, message }) => {
    const [subject] = message.split('\n');
    call.tool.stderr += `dropping ${of} ${subject} -- patch contents already upstream\n`;
  });
  const last = made.at(-1)?.oid ?? onto;
  await moveTo(repo, last, false);
  const ref = branch === null ? 'HEAD' : `refs/heads/${branch}`;
  await repo.git.writeRef({ ...repo.at, ref, value: last, force: true });
  await noteMove(
    repo,
    'HEAD',
    head,
    onto,
    `rebase (start): checkout ${options.get('onto') ?? upstream}`,
  );
  for (const { oid, before, commit } of made)
    await noteMove(repo, 'HEAD', before, oid, `rebase (pick): ${commit.message}`);
  await noteMove(repo, 'HEAD', last, last, `rebase (finish): returning to ${ref}`);
  if (branch !== null)
    await noteMove(repo, ref, head, last, `rebase (finish): ${ref} onto ${onto}`);
  if (!options.has('q'))
    call.tool.stderr += `Successfully rebased and updated ${branch === null ? 'detached HEAD' : ref}.\n`;
};

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
