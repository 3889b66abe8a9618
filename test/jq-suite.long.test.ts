/** jq's own test-suite and one-liners of agents, run in a world's shell, where the recording is at hand. */
import { describe, expect, it } from 'vitest';
import { failures, type Run, readRecording, silent, worldOf } from './recorded-suites.ts';
import { testWorld } from './world/harness.ts';

const GOAL = 0.99;

describe('jq against recorded answers', () => {
  const read = readRecording();
  const recording = read ?? { cases: [], blobs: {} };

  it.skipIf(read === null)('passes its own suite, and is never wrong in silence', async () => {
    const cases = recording.cases.filter(({ suite }) => suite.startsWith('jq:'));
    // In a worker, which has the stack that deep nesting takes. No case leaves anything behind.
    const world = testWorld();
    await world.exec('export PAGER=less');
    const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
    const run: Run = async (command) => {
      const { stdoutBytes, stderr, exitCode } = await world.exec(command);
      return { stdout: text(stdoutBytes), stderr, exitCode };
    };
    const failed = await failures(cases, async () => run);
    expect(cases.length).toBeGreaterThan(800);
    expect(silent(failed)).toEqual([]);
    expect(1 - failed.length / cases.length).toBeGreaterThanOrEqual(GOAL);
  });

  it.skipIf(read === null)('gives what agents expect of it, with files and in pipes', async () => {
    const cases = recording.cases.filter(
      ({ suite, command }) => suite === 'agent' && /\bjq\b/.test(command),
    );
    const failed = await failures(cases, (one) => worldOf(one, recording));
    expect(cases.length).toBeGreaterThan(10);
    expect(failed).toEqual([]);
  });
});
