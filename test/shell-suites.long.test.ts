/** One-liners and scripts as agents write them, against what bash gave, where the recording is at hand. */
import { describe, expect, it } from 'vitest';
import { failures, readRecording, silent, worldOf } from './recorded-suites.ts';

const GOAL = 0.97;

/** Cases whose answer here is another one on purpose, or of which the recording is no measure. */
const OTHERWISE: Readonly<Record<string, string>> = {
  'agent:1:184': 'there is no perl, and it says so',
  'agent:1:185': 'there is no perl, and it says so',
  'agent:1:186': 'there is no node, and it says so',
  'agent:1:196':
    "yq prints YAML, as the one of that name in common use; the recording's prints JSON",
  'agent:2:61': "the text of a syntax error, with gawk's caret below its line",
  'agent:2:105': 'nobody is kept from a file by its mode; rights are a matter of policy',
  'agent:2:124': 'names and numbers of the machine that the recording was made on',
  'agent:2:125': 'there are no other processes, and no machine to look at',
};

describe('the shell against recorded scripts of agents', () => {
  const read = readRecording();
  const recording = read ?? { cases: [], blobs: {} };

  it.skipIf(read === null)(
    'does what bash does in all but a few, and is never wrong in silence',
    async () => {
      const cases = recording.cases.filter(
        ({ id, suite }) => suite === 'agent' && OTHERWISE[id] === undefined,
      );
      const failed = await failures(cases, (one) => worldOf(one, recording));
      expect(cases.length).toBeGreaterThan(100);
      expect(silent(failed)).toEqual([]);
      expect(1 - failed.length / cases.length).toBeGreaterThanOrEqual(GOAL);
    },
  );
});
