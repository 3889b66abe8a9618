import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { runRg } from './rg.ts';
import { type Outcome, runGrep } from './run.ts';
import { type Case, FILES, grepCase, knownDifference, rgCase } from './testing/cases.ts';
import { MemoryNamespace } from './testing/memory.ts';
import { NativeTree, versionOf } from './testing/native.ts';

/** Compared cases of one run; the long run asks for more. */
const GREP_CASES = Number(process.env['GREP_PARITY_CASES'] ?? 600);
const RG_CASES = Number(process.env['RG_PARITY_CASES'] ?? 200);
const SEED = Number(process.env['GREP_PARITY_SEED'] ?? 20240607);

const gnu = versionOf('grep')?.includes('GNU grep') ?? false;
const ripgrep = versionOf('rg')?.startsWith('ripgrep 13.') ?? false;
const tree = new NativeTree(gnu || ripgrep ? FILES : {});
const fs = new MemoryNamespace(FILES);

afterAll(() => tree.dispose());

/**
 * GNU grep walks directories in the order of the disk: the lines of a recursive
 * search are compared sorted, without the separators, which depend on the order.
 */
function sorted(output: string): string {
  return output
    .split(/(?<=[\n\0])/)
    .filter((line) => line !== '--\n' && line !== '##\n')
    .sort()
    .join('');
}

type Run = (args: readonly string[], stdin: string) => Promise<Outcome>;

const grep: Run = (args, stdin) => runGrep(fs, args, { cwd: '/t', stdin, piped: true });
const rg: Run = (args, stdin) => runRg(fs, args, { cwd: '/t', stdin, piped: true });

async function compareGrep({ args, stdin }: Case): Promise<void> {
  const native = tree.run('grep', args, 't', stdin);
  const ours = await grep(args, stdin);
  const normal = args.some((arg) => /^-[rR]$/.test(arg)) ? sorted : (text: string): string => text;
  const shown = (o: Outcome): unknown => ({
    args,
    stdout: normal(o.stdout),
    stderr: normal(o.stderr),
    exitCode: o.exitCode,
  });
  expect(shown(ours)).toEqual(shown(native));
}

/** rg's messages are its own affair; that there is one is not. */
async function compareRg({ args, stdin }: Case): Promise<void> {
  const native = tree.run('rg', args, 't', stdin);
  const ours = await rg(args, stdin);
  const shown = (o: Outcome): unknown => ({
    args,
    stdout: o.stdout,
    complains: o.stderr !== '',
    exitCode: o.exitCode,
  });
  expect(shown(ours)).toEqual(shown(native));
}

async function compareAll(
  cases: fc.Arbitrary<Case>,
  count: number,
  compare: (one: Case) => Promise<void>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      cases.filter((one) => knownDifference(one) === null),
      compare,
    ),
    { numRuns: count, seed: SEED },
  );
}

describe('grep', () => {
  it.skipIf(!gnu)(
    `prints what GNU grep prints, byte for byte, with its status, in ${GREP_CASES} generated cases (skipped without GNU grep)`,
    () => compareAll(grepCase, GREP_CASES, compareGrep),
    1_200_000,
  );
});

describe('rg', () => {
  it.skipIf(!ripgrep)(
    `prints what ripgrep 13 prints, with its status, in ${RG_CASES} generated cases (skipped without ripgrep 13)`,
    () => compareAll(rgCase, RG_CASES, compareRg),
    1_200_000,
  );
});
