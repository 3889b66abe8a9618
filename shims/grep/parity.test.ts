import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { runGrep } from './run.ts';
import { type Case, FILES, grepCase } from './testing/cases.ts';
import { MemoryNamespace } from './testing/memory.ts';
import { NativeTree, versionOf } from './testing/native.ts';

/** Cases of one run; the long run asks for more. */
const COUNT = Number(process.env['GREP_PARITY_CASES'] ?? 600);
const SEED = Number(process.env['GREP_PARITY_SEED'] ?? 20240607);
const version = versionOf('grep');
const gnu = version?.includes('GNU grep') ?? false;
const tree = new NativeTree(gnu ? FILES : {});
const fs = new MemoryNamespace(FILES);

afterAll(() => tree.dispose());

/** Directories come in the order of the disk: lines of a recursive search are compared sorted. */
function normal(args: readonly string[], stdout: string): string {
  if (!args.some((arg) => /^-[rR]$/.test(arg))) return stdout;
  return stdout
    .split(/(?<=[\n\0])/)
    .sort()
    .join('');
}

async function compare({ args, stdin }: Case): Promise<void> {
  const native = tree.run('grep', args, 't', stdin);
  const ours = await runGrep(fs, args, { cwd: '/t', stdin, piped: true });
  const shown = (out: string, err: string, code: number): unknown => ({
    args,
    stdout: normal(args, out),
    stderr: normal(args, err),
    code,
  });
  expect(shown(ours.stdout, ours.stderr, ours.exitCode)).toEqual(
    shown(native.stdout, native.stderr, native.exitCode),
  );
}

describe('grep against GNU grep', () => {
  it.skipIf(!gnu)(
    `prints the same bytes, messages and status in ${COUNT} generated cases (skipped without GNU grep)`,
    async () => {
      await fc.assert(fc.asyncProperty(grepCase, compare), {
        numRuns: COUNT,
        seed: SEED,
        endOnFailure: false,
      });
    },
    600_000,
  );
});
