/** git merge: forward, or where both sides fit together. */
import type { Call, GitCommand } from './call.ts';
import { compare, inTree } from './changes.ts';
import { GitFault } from './fault.ts';
import { type Merged, mergeTrees } from './merging.ts';
import { moveHead, noteHead } from './moves.ts';
import { PATCH, shownChanges } from './patches.ts';
import { isSame } from './repository.ts';
import { revisionCommit, shortOid, tryRevision } from './revision.ts';
import { moveTo, putChanged, refuseOverwriting } from './worktree.ts';

export const merge: GitCommand = async (call) => {
  const { options, operands } = call.options({
    short: 'm:qn',
    long: {
      message: 'm:',
      'no-ff': 'no-ff',
      'ff-only': 'ff-only',
      ff: 'ff',
      quiet: 'q',
      'no-edit': 'no-edit',
      abort: 'abort',
      squash: 'squash',
    },
  });
  const repo = await call.repository();
  const [name] = operands;
  if (options.has('abort')) throw new GitFault('There is no merge to abort (MERGE_HEAD missing).');
  if (name === undefined || operands.length > 1 || options.has('squash'))
    throw new GitFault('one branch can be merged here, without --squash');
  if ((await tryRevision(repo, name)) === null)
    throw new GitFault(`merge: ${name} - not something we can merge`, 1, 'usage');
  const theirs = await revisionCommit(repo, name);
  const ours = await repo.head();
  const branch = await repo.branch();
  if (ours === null || branch === null)
    throw new GitFault('there is no branch to merge into: check one out first');
  const [base] = await repo.git.findMergeBase({ ...repo.at, oids: [ours, theirs] });
  if (base === theirs) {
    call.tool.print('Already up to date.\n');
    return;
  }
  const show = async (after: string): Promise<void> => {
    const changes = await compare(
      repo,
      inTree(await repo.tree(ours)),
      inTree(await repo.tree(after)),
    );
    if (!options.has('q'))
      call.tool.write(
        await shownChanges(repo, changes, { ...PATCH, patch: false, stat: true, summary: true }),
      );
  };
  if (base === ours && !options.has('no-ff')) {
    if (!options.has('q'))
      call.tool.print(
        `Updating ${await shortOid(repo, ours)}..${await shortOid(repo, theirs)}\nFast-forward\n`,
      );
    await moveTo(repo, theirs, false, 'merge');
    await moveHead(repo, theirs, `merge ${name}: Fast-forward`);
    await show(theirs);
    return;
  }
  if (options.has('ff-only')) throw new GitFault('Not possible to fast-forward, aborting.');
  const states = await repo.states();
  const staged = states.filter(({ head, index }) => !isSame(head, index));
  if (staged.length > 0)
    throw new GitFault(
      `Your local changes to the following files would be overwritten by merge:\n  ${staged.map(({ path }) => path).join(' ')}`,
      1,
      'error',
    );
  const fits = await mergeTrees(
    repo,
    await repo.tree(base ?? null),
    await repo.tree(ours),
    await repo.tree(theirs),
  );
  refuseConflicts(call, fits, 'merge');
  refuseOverwriting(states, fits.changed);
  await putChanged(repo, fits.changed);
  const merged = await repo.git.commit({
    ...repo.at,
    parent: [ours, theirs],
    message: `${options.get('m') ?? `Merge branch '${name}'`}\n`,
    author: await repo.person('AUTHOR'),
    committer: await repo.person('COMMITTER'),
  });
  await noteHead(repo, ours, merged, `merge ${name}: Merge made by the 'ort' strategy.`);
  if (!options.has('q')) call.tool.print("Merge made by the 'ort' strategy.\n");
  await show(merged);
};

/** @throws GitFault where two sides do not fit together: what an agent is to resolve it edits by itself */
export function refuseConflicts(call: Call, { conflicts }: Merged, what: string): void {
  if (conflicts.length === 0) return;
  for (const path of conflicts) call.tool.print(`CONFLICT (content): Merge conflict in ${path}\n`);
  call.tool.print(`Automatic ${what} failed; nothing was changed.\n`);
  throw new GitFault(
    'conflicts are not written into files here: make the edit of both sides on this branch and commit it',
    1,
    'error',
  );
}
