/** git merge: forward, or where both sides fit together. */
import type { GitCommand } from './call.ts';
import { compare, inTree } from './changes.ts';
import { moveTo } from './checkout.ts';
import { isClean } from './commit.ts';
import { GitFault } from './fault.ts';
import { PATCH, shownChanges } from './patches.ts';
import { revisionCommit, shortOid, tryRevision } from './revision.ts';

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
    await moveTo(repo, theirs, false);
    await repo.git.writeRef({
      ...repo.at,
      ref: `refs/heads/${branch}`,
      value: theirs,
      force: true,
    });
    await show(theirs);
    return;
  }
  if (options.has('ff-only')) throw new GitFault('Not possible to fast-forward, aborting.');
  if (!(await isClean(repo)))
    throw new GitFault(
      'there are changes that are not committed: commit them before a merge',
      1,
      'error',
    );
  try {
    await repo.git.merge({
      ...repo.at,
      ours: branch,
      theirs,
      fastForward: false,
      abortOnConflict: true,
      message: `${options.get('m') ?? `Merge branch '${name}'`}\n`,
      author: await repo.person('AUTHOR'),
      committer: await repo.person('COMMITTER'),
    });
  } catch (error) {
    const { code, data } = error as { code?: string; data?: { filepaths?: string[] } };
    if (code !== 'MergeConflictError' && code !== 'MergeNotSupportedError') throw error;
    for (const path of data?.filepaths ?? [])
      call.tool.print(`CONFLICT (content): Merge conflict in ${path}\n`);
    call.tool.print('Automatic merge failed; nothing was changed.\n');
    throw new GitFault(
      'conflicts are not written into files here: make the edit of both sides on this branch and commit it',
      1,
      'error',
    );
  }
  const merged = await revisionCommit(repo, `refs/heads/${branch}`);
  await repo.git.writeRef({ ...repo.at, ref: `refs/heads/${branch}`, value: ours, force: true });
  await moveTo(repo, merged, false);
  await repo.git.writeRef({ ...repo.at, ref: `refs/heads/${branch}`, value: merged, force: true });
  if (!options.has('q')) call.tool.print("Merge made by the 'ort' strategy.\n");
  await show(merged);
};
