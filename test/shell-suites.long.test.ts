/** One-liners and scripts as agents write them, against what bash gave, where the recording is at hand. */
import { describe, expect, it } from 'vitest';
import { failures, readRecording, silent, worldOf } from './recorded-suites.ts';

const GOAL = 0.97;

describe('the shell against recorded scripts of agents', () => {
  const read = readRecording();
  const recording = read ?? { cases: [], blobs: {} };

  it.skipIf(read === null)(
    'does what bash does in all but a few, and is never wrong in silence',
    async () => {
      const cases = recording.cases.filter(({ suite }) => suite === 'agent');
      const failed = await failures(cases, (one) => worldOf(one, recording));
      expect(cases.length).toBeGreaterThan(100);
      expect(silent(failed)).toEqual([]);
      expect(1 - failed.length / cases.length).toBeGreaterThanOrEqual(GOAL);
    },
  );
});
