/** Random work in a repository, by git and by ours, side by side: what is there is the same after each step. */
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { temporaryDirectory, testWorld } from '../../test/world/harness.ts';
import { ENV } from './scripts.ts';

const STEPS = 50;
const FILES = ['a', 'b', 'd/c', 'd/e/f', "'g h'"];
const BRANCHES = ['main', 'x', 'y'];
const START =
  'git init -q -b main; seq 8 > a; echo b > b; git add .; git commit -qm first; mkdir -p d/e';
const LOOK =
  'git status -s; git log --format="%H %s" -5; git stash list; git branch; find . -path ./.git -prune -o -type f -exec md5sum {} + | sort';

/** Numbers that follow from a seed. */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state * 1_103_515_245 + 12_345) & 0x7f_ff_ff_ff;
    return (state >> 8) % sides;
  };
}

function stepOf(roll: (sides: number) => number): string {
  const one = (of: readonly string[]): string => of[roll(of.length)] ?? '';
  const file = one(FILES);
  const branch = one(BRANCHES);
  const steps = [
    () => `mkdir -p d/e; echo line ${roll(50)} >> ${file}`,
    () => `mkdir -p d/e; [ -s ${file} ] && sed -i '${1 + roll(4)}s/.*/new ${roll(50)}/' ${file}`,
    () => `mkdir -p d/e; seq 8 > ${file}`,
    () => `rm -f ${file}`,
    () => `git add ${one(['-A', file, '-u', '.'])}`,
    () => `git add -A; git commit -qm 'all ${roll(1000)}'`,
    () => `git add -A; git commit -qm 'all ${roll(1000)}'`,
    () => `git commit -qam 'tracked ${roll(1000)}'`,
    () => `git switch -q ${branch} || git switch -q -c ${one(BRANCHES)}`,
    () => `git stash ${one(['', '-u', '-k', `push -- ${file}`, '-q', '-m words'])}`,
    () => `git stash ${one(['pop', 'apply', 'pop --index', 'drop', 'pop 1'])}`,
    () => `git cherry-pick ${one(['', '-n '])}${branch}${one(['', '~1', '~2'])}`,
    () => `git revert --no-edit ${one(['HEAD', 'HEAD~1', 'x', 'y~1'])}`,
    () => `git rebase -q ${branch}`,
    () => `git merge -q -m both ${branch}`,
    () => `git clean ${one(['-n', '-nd', '-fd', '-f', `-f ${file}`])}`,
    () => `git reset -q ${one(['', '--hard', '--soft'])} ${one(['HEAD', 'HEAD~1'])}`,
    () => 'git switch -q -',
    () => `git restore ${one(['--staged ', ''])}${one(['.', file])}`,
  ];
  return steps[roll(steps.length)]?.() ?? '';
}

/** Git has begun what ours refuses: a conflict, or a commit that would be empty. */
const isBegun = (script: string, said: string): boolean =>
  /CONFLICT|could not (?:apply|revert)/.test(said) ||
  (/now empty|nothing to commit/.test(said) && /cherry-pick|revert|rebase/.test(script));
const ABORT = ['cherry-pick', 'revert', 'rebase', 'merge']
  .map((command) => `git ${command} --abort 2> /dev/null`)
  .join('; ');

const hasGit = spawnSync('git', ['--version']).status === 0;

describe.skipIf(!hasGit)('beside the machine’s git', () => {
  test.each([4, 8, 12, 16, 20, 24])(
    'what is there is the same after each step: seed %i',
    async (seed) => {
      const roll = dice(seed);
      const cwd = temporaryDirectory();
      const env = { PATH: process.env['PATH'], HOME: '/', GIT_CONFIG_NOSYSTEM: '1', ...ENV };
      const byGit = (script: string) =>
        spawnSync('bash', ['-c', script], { cwd, encoding: 'utf8', env });
      const world = testWorld({ env: ENV });
      byGit(START);
      await world.exec(START);
      const done: string[] = [];
      for (let step = 0; step < STEPS; step++) {
        const script = stepOf(roll);
        done.push(script);
        const isClean = byGit('git status -s').stdout === '';
        const git = byGit(script);
        const ours = await world.exec(script);
        const said = git.stdout + git.stderr;
        const all = `${done.join('\n')}\n${said}${ours.stderr}`;
        if (isBegun(script, said)) {
          // Of what git renames, ours keeps the old name: what it can do then is no fault.
          if (ours.exitCode === 0 && /rename/.test(said)) break;
          expect(ours.exitCode, all).not.toBe(0);
          // What git mixed with changes that were there cannot be taken back.
          if (!isClean || /stash|-n /.test(script)) break;
          byGit(ABORT);
        } else if (/untracked working tree/.test(said) && ours.exitCode === 0) {
          // The very same content is there: nothing is lost.
          break;
        } else expect(ours.exitCode === 0, all).toBe(git.status === 0);
        expect((await world.exec(LOOK)).stdout, all).toBe(byGit(LOOK).stdout);
      }
    },
  );
});
