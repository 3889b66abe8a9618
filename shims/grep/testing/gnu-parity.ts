/** Compares grep with the machine's GNU grep, byte by byte, in many generated cases. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { inProcessWorld } from '../../../test/world/in-process.ts';
import { LineKernel } from '../../support/literal/line-kernel.ts';
import { type Outcome, runGrep } from '../run.ts';
import { forGnu } from './gnu-bugs.ts';
import { gnuCase } from './gnu-cases.ts';
import { type Case, type NativeResult, NativeTree, versionOf } from './native.ts';
import { FILES, LINKS } from './tree.ts';

/** What a comparison came to. */
export interface Comparison {
  /** Cases that GNU grep itself did not end in its time. */
  unanswered: number;
  /** Cases in which stdout, stderr and status were compared. */
  compared: number;
  /** Cases that ours refused, with status 2 and the reason on stderr, by reason. */
  refused: Map<string, number>;
  /** What differed, in full. */
  mismatches: string[];
}

/** Is the machine's grep the one whose letter is followed? */
export function comparable(): boolean {
  return versionOf('grep') === 'grep (GNU grep) 3.8';
}

/** Ours says so where it will not do what GNU grep does; it never does something else. */
const REFUSAL = /^grep: (?:[^\n]*: )?(.* (?:is|are) not supported here|pattern too expensive)/m;

const RECURSIVE = /^-[rR]$|^--recursive$|^--dereference-recursive$|^recurse$/;
const SEPARATOR = /^(?:\u001b\[[0-9;]*m\u001b\[K)?(?:--|##|)(?:\u001b\[m\u001b\[K)?\n$/;

/**
 * GNU grep walks directories in the order of the disk: the lines of a recursive
 * search are compared sorted, without separators, which depend on that order.
 */
function sorted(output: string): string {
  return output
    .split(/(?<=[\n\0])/)
    .filter((line) => !SEPARATOR.test(line))
    .sort()
    .join('');
}

/** The help text and the version are our own. */
function ownText({ stdout }: Outcome | NativeResult): string | null {
  return /^(?:Usage: grep \[OPTION\]|grep \()/.exec(stdout)?.[0] ?? null;
}

function difference(one: Case, ours: Outcome, gnu: NativeResult): string | null {
  const normal = one.args.some((arg) => RECURSIVE.test(arg)) ? sorted : (text: string) => text;
  const seen = (o: Outcome | NativeResult, stderr: string): unknown[] => [
    o.exitCode,
    normal(stderr),
    ownText(o) ?? normal(o.stdout),
  ];
  const here = JSON.stringify(seen(ours, ours.stderr));
  const there = JSON.stringify(seen(gnu, Buffer.from(gnu.stderr, 'latin1').toString()));
  if (here === there) return null;
  return `${JSON.stringify(one)}\n  ours ${here}\n  GNU  ${there}`;
}

/** Runs so many cases, the same for the same seed. */
export async function compareWithGnu(seed: number, count: number): Promise<Comparison> {
  const cases = fc.sample(gnuCase, { seed, numRuns: count });
  const tree = new NativeTree(FILES, LINKS);
  const gnu = tree.run('grep', cases.map(forGnu), 't');
  tree.dispose();
  const world = await inProcessWorld({ roots: ['/t'], files: FILES, cwd: '/t' });
  for (const [path, target] of Object.entries(LINKS)) await world.agent.symlink(target, path);
  const result: Comparison = { unanswered: 0, compared: 0, refused: new Map(), mismatches: [] };
  const kernel = new LineKernel();
  for (const [i, one] of cases.entries()) {
    const { args, stdin, bytes = false } = one;
    const io = { cwd: '/t', stdin, piped: true, bytes };
    const ours = await runGrep(world.agent, args, { ...io, kernelFor: () => kernel });
    expect(await runGrep(world.agent, args, io), JSON.stringify(one)).toEqual(ours);
    const reason = ours.exitCode === 2 ? REFUSAL.exec(ours.stderr)?.[1] : undefined;
    if (reason !== undefined) {
      result.refused.set(reason, (result.refused.get(reason) ?? 0) + 1);
      continue;
    }
    const answer = gnu[i] as NativeResult;
    if (answer.killed) {
      result.unanswered++;
      continue;
    }
    result.compared++;
    const found = difference(one, ours, answer);
    if (found !== null) result.mismatches.push(found);
  }
  return result;
}
