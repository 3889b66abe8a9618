/** git branch and git tag */

import { globMatcher } from '../support/glob.ts';
import type { GitCommand } from './call.ts';
import { GitFault } from './fault.ts';
import { forgetMoves, noteMove, renameMoves } from './moves.ts';
import type { Repository } from './repository.ts';
import { revision, revisionCommit, shortOid } from './revision.ts';

export const branch: GitCommand = async (call) => {
  const { options, operands } = call.options({
    short: 'avdDmMrf',
    long: {
      all: 'a',
      verbose: 'v',
      delete: 'd',
      move: 'm',
      list: 'list',
      'show-current': 'current',
      force: 'f',
      remotes: 'r',
      'no-color': 'no-color',
      format: 'format:',
    },
  });
  const repo = await call.repository();
  const { tool } = call;
  const current = await repo.branch();
  if (options.has('current')) {
    if (current !== null) tool.print(`${current}\n`);
    return;
  }
  const [first, second] = operands;
  if (options.has('d') || options.has('D')) {
    for (const name of operands) {
      const oid = await repo.tryResolve(`refs/heads/${name}`);
      if (oid === null) throw new GitFault(`branch '${name}' not found.`, 1, 'error');
      if (name === current)
        throw new GitFault(
          `Cannot delete branch '${name}' checked out at '${repo.dir}'`,
          1,
          'error',
        );
      const head = await repo.head();
      const isMerged =
        head === oid ||
        (head !== null &&
          (await repo.git.isDescendent({ ...repo.at, oid: head, ancestor: oid, depth: -1 })));
      if (!options.has('D') && !options.has('f') && !isMerged)
        throw new GitFault(
          `The branch '${name}' is not fully merged.\nIf you are sure you want to delete it, run 'git branch -D ${name}'.`,
          1,
          'error',
        );
      await repo.git.deleteBranch({ ...repo.at, ref: name });
      await forgetMoves(repo, `refs/heads/${name}`);
      tool.print(`Deleted branch ${name} (was ${await shortOid(repo, oid)}).\n`);
    }
    return;
  }
  if (options.has('m') || options.has('M')) {
    const [from, to] = second === undefined ? [current, first] : [first, second];
    if (from == null || to === undefined) throw new GitFault('branch name required');
    if ((await repo.tryResolve(`refs/heads/${to}`)) !== null && !options.has('M'))
      throw new GitFault(`a branch named '${to}' already exists`);
    if ((await repo.tryResolve(`refs/heads/${from}`)) === null)
      throw new GitFault(`no branch named '${from}'`);
    if (to === current && from !== to)
      throw new GitFault(
        `cannot force update the branch '${to}' used by worktree at '${repo.dir}'`,
      );
    // -M takes the place of one that there is.
    if (from !== to && (await repo.tryResolve(`refs/heads/${to}`)) !== null)
      await repo.git.deleteRef({ ...repo.at, ref: `refs/heads/${to}` });
    await repo.git.renameBranch({ ...repo.at, oldref: from, ref: to, checkout: from === current });
    await renameMoves(repo, `refs/heads/${from}`, `refs/heads/${to}`);
    const at = await repo.tryResolve(`refs/heads/${to}`);
    const message = `Branch: renamed refs/heads/${from} to refs/heads/${to}`;
    if (at !== null) await noteMove(repo, `refs/heads/${to}`, at, at, message);
    if (at !== null && from === current) await noteMove(repo, 'HEAD', at, at, message);
    return;
  }
  if (first !== undefined && !options.has('list')) {
    checkName(first);
    const start = await revisionCommit(repo, second ?? 'HEAD');
    if ((await repo.tryResolve(`refs/heads/${first}`)) !== null && !options.has('f'))
      throw new GitFault(`a branch named '${first}' already exists`);
    await makeBranch(repo, first, start, second ?? current ?? 'HEAD');
    return;
  }
  const patterns = operands.map((pattern) => globMatcher(pattern));
  const names = (await repo.git.listBranches({ ...repo.at }))
    .filter((name) => patterns.length === 0 || patterns.some((fits) => fits(name)))
    .sort();
  const head = await repo.head();
  const rows = names.map((name) => ({
    mark: name === current ? '*' : ' ',
    name,
    ref: `refs/heads/${name}`,
  }));
  if (current === null && head !== null)
    rows.unshift({
      mark: '*',
      name: `(HEAD detached at ${await shortOid(repo, head)})`,
      ref: 'HEAD',
    });
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  for (const { mark, name, ref } of rows) {
    if (!options.has('v')) {
      tool.print(`${mark} ${name}\n`);
      continue;
    }
    const oid = await revisionCommit(repo, ref);
    const [subject] = (await repo.commit(oid)).message.split('\n');
    tool.print(`${mark} ${name.padEnd(width)} ${await shortOid(repo, oid)} ${subject}\n`);
  }
};

/** Makes a branch, or moves one that there is, and writes down what it was made of. */
export async function makeBranch(
  repo: Repository,
  name: string,
  oid: string,
  start: string,
): Promise<void> {
  const ref = `refs/heads/${name}`;
  const before = await repo.tryResolve(ref);
  await repo.git.writeRef({ ...repo.at, ref, value: oid, force: true });
  const how = before === null ? 'Created from' : 'Reset to';
  await noteMove(repo, ref, before, oid, `branch: ${how} ${start}`);
}

/** @throws GitFault for what cannot be the name of a branch */
export function checkName(name: string): void {
  if (/^-|\.\.|[\s~^:?*[\\\x00-\x1f\x7f]|@\{|\/\/|\.lock$|[./]$|^\/|^@$|(?:^|\/)\./.test(name))
    throw new GitFault(`'${name}' is not a valid branch name`);
}

export const tag: GitCommand = async (call) => {
  const { options, operands } = call.options({
    short: 'adflm:n',
    long: { annotate: 'a', delete: 'd', force: 'f', list: 'l', message: 'm:' },
  });
  const repo = await call.repository();
  const { tool } = call;
  const [name, at] = operands;
  if (options.has('d')) {
    for (const each of operands) {
      const oid = await repo.tryResolve(`refs/tags/${each}`);
      if (oid === null) throw new GitFault(`tag '${each}' not found.`, 1, 'error');
      await repo.git.deleteTag({ ...repo.at, ref: each });
      tool.print(`Deleted tag '${each}' (was ${await shortOid(repo, oid)})\n`);
    }
    return;
  }
  if (name === undefined || options.has('l')) {
    const patterns = operands.map((pattern) => globMatcher(pattern));
    const tags = (await repo.git.listTags({ ...repo.at })).sort();
    for (const each of tags)
      if (patterns.length === 0 || patterns.some((fits) => fits(each))) tool.print(`${each}\n`);
    return;
  }
  checkName(name);
  const before = await repo.tryResolve(`refs/tags/${name}`);
  if (before !== null && !options.has('f')) throw new GitFault(`tag '${name}' already exists`);
  const object = await revision(repo, at ?? 'HEAD');
  const message = options.get('m');
  if (message !== undefined) {
    const tagger = await repo.person('COMMITTER');
    await repo.git.annotatedTag({
      ...repo.at,
      ref: name,
      object,
      message,
      tagger,
      force: true,
    });
  } else if (options.has('a')) {
    throw new GitFault('there is no editor for the message here: give it with -m');
  } else
    await repo.git.writeRef({ ...repo.at, ref: `refs/tags/${name}`, value: object, force: true });
  if (before !== null && before !== (await repo.tryResolve(`refs/tags/${name}`)))
    tool.print(`Updated tag '${name}' (was ${await shortOid(repo, before)})\n`);
};
