/** git cherry-pick and git revert: commits that are made again here, or undone, where they fit without a conflict. */
import type { Call, GitCommand } from './call.ts';
import { compare, inTree } from './changes.ts';
import { signedOff, tellCommit, withTrailer } from './commit.ts';
import { GitFault } from './fault.ts';
import { history } from './log.ts';
import { refuseConflicts } from './merge.ts';
import { mergeTrees } from './merging.ts';
import { moveHead } from './moves.ts';
import { type Picked, pickOf, replay } from './replay.ts';
import { isSame, type Repository } from './repository.ts';
import { revisionCommit, tryRevision } from './revision.ts';
import { moveTo, putChanged, refuseOverwriting } from './worktree.ts';

const SPEC = {
  short: 'nxsem:X:',
  long: {
    'no-commit': 'n',
    edit: 'e',
    strategy: 'X:',
    'strategy-option': 'X:',
    'no-edit': 'no-edit',
    mainline: 'm:',
    signoff: 's',
    continue: 'continue',
    abort: 'abort',
    skip: 'skip',
    quit: 'quit',
  },
};

export const cherryPick: GitCommand = (call) =>
  again(call, async (repo, oid, options) => {
    const pick = await pickOf(repo, oid, mainline(options.get('m')));
    if (!options.has('x')) return pick;
    return { ...pick, message: withTrailer(pick.message, `(cherry picked from commit ${oid})`) };
  });

export const revert: GitCommand = (call) =>
  again(call, async (repo, oid, options) => {
    const { from, message } = await pickOf(repo, oid, mainline(options.get('m')));
    const [subject = ''] = message.split('\n');
    const of = options.get('m') === undefined ? '' : `, reversing\nchanges made to ${from}`;
    return {
      from: oid,
      to: from,
      message: `Revert "${subject}"\n\nThis reverts commit ${oid}${of}.\n`,
      of: null,
    };
  });

type Given = ReturnType<Call['options']>['options'];

function mainline(text: string | undefined): number {
  if (text !== undefined && !/^[1-9]\d*$/.test(text))
    throw new GitFault(`option \`mainline' expects a number greater than zero`, 129, 'error');
  return Number(text ?? 1);
}

type PickFor = (repo: Repository, oid: string, options: Given) => Promise<Picked>;

async function again(call: Call, pickFor: PickFor): Promise<void> {
  const { options, operands } = call.options(SPEC);
  const { name } = call;
  if (['continue', 'abort', 'skip', 'quit'].some((each) => options.has(each)))
    throw refused(name, 'no cherry-pick or revert in progress');
  if (options.has('X') || options.has('e'))
    throw new GitFault(
      `git ${name} -X and -e cannot be done here: what does not fit is left as it was, and a message is changed by git commit --amend -m`,
    );
  if (operands.length === 0)
    throw new GitFault(`usage: git ${name} [<options>] <commit-ish>...`, 129, 'usage');
  const repo = await call.repository();
  const picks = await picksOf(repo, operands, options, name, pickFor);
  if (options.has('n')) await bring(call, repo, picks);
  else await commitAll(call, repo, picks);
}

/** What git says where it has not begun. */
const refused = (name: string, message: string): GitFault =>
  new GitFault(`${message}\nfatal: ${name} failed`, 128, 'error');

/** @throws GitFault as `refused` makes it, of what `run` throws where something would be lost */
async function unlessRefused(name: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run();
  } catch (error) {
    throw error instanceof GitFault ? refused(name, error.message) : error;
  }
}

async function picksOf(
  repo: Repository,
  operands: readonly string[],
  options: Given,
  name: string,
  pickFor: PickFor,
): Promise<Picked[]> {
  const picks: Picked[] = [];
  for (const oid of await commitsOf(repo, operands, name)) {
    if ((await repo.commit(oid)).parent.length > 1 && options.get('m') === undefined)
      throw refused(name, `commit ${oid} is a merge but no -m option was given.`);
    const pick = await pickFor(repo, oid, options);
    const message = options.has('s') ? await signedOff(repo, pick.message) : pick.message;
    picks.push({ ...pick, message });
  }
  return picks;
}

/** The commits that are named, ranges from their oldest on. @throws GitFault */
async function commitsOf(
  repo: Repository,
  operands: readonly string[],
  what: string,
): Promise<string[]> {
  const found: string[] = [];
  for (const operand of operands) {
    const range = /^(.*?)\.\.(?!\.)(.*)$/.exec(operand);
    if (range === null) {
      if ((await tryRevision(repo, operand)) === null)
        throw new GitFault(`bad revision '${operand}'`);
      found.push(await revisionCommit(repo, operand));
      continue;
    }
    const [from, to] = [range[1] || 'HEAD', range[2] || 'HEAD'];
    const commits = await between(
      repo,
      await revisionCommit(repo, from),
      await revisionCommit(repo, to),
    );
    found.push(...(what === 'revert' ? commits.reverse() : commits));
  }
  if (found.length === 0) throw refused(what, 'empty commit set passed');
  return found;
}

/** What one commit has in its history and another has not, from the oldest on. */
export async function between(repo: Repository, from: string, to: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { oid } of history(repo, { from: [to], without: [from] }, false))
    found.push(oid);
  return found.reverse();
}

/** `-n`: into index and working tree alone. */
async function bring(call: Call, repo: Repository, picks: readonly Picked[]): Promise<void> {
  for (const { from, to } of picks) {
    const [base, theirs] = [await repo.tree(from), await repo.tree(to)];
    const merged = await mergeTrees(repo, base, await repo.index(), theirs);
    refuseConflicts(call, merged, call.name);
    const states = await repo.states();
    await unlessRefused(call.name, async () => refuseOverwriting(states, merged.changed));
    await putChanged(repo, merged.changed);
  }
}

async function commitAll(call: Call, repo: Repository, picks: readonly Picked[]): Promise<void> {
  const { name } = call;
  if ((await repo.states()).some(({ head, index }) => !isSame(head, index)))
    throw refused(
      name,
      `your local changes would be overwritten by ${name}.\nhint: commit your changes or stash them to proceed.`,
    );
  const head = await repo.head();
  const made = await replay(call, name, head, picks, ({ message }) => {
    const [subject] = message.split('\n');
    throw new GitFault(`nothing was committed: all of "${subject}" is here already`, 1, 'error');
  });
  const last = made.at(-1);
  if (last === undefined) return;
  await unlessRefused(name, () => moveTo(repo, last.oid, false, 'merge'));
  for (const { oid, before, commit } of made) {
    await moveHead(repo, oid, `${name}: ${commit.message}`);
    const [old, now] = [await repo.tree(before), await repo.tree(oid)];
    await tellCommit(call, repo, oid, await compare(repo, inTree(old), inTree(now)), true);
  }
}
