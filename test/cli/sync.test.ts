/** The line that a person who waits for a sync sees. */
import { expect, test } from 'vitest';
import { progressLine } from '../../src/cli/sync.ts';

test('a line of progress names what is fetched, how far it is, its cost and when it ends', () => {
  const startedAt = 1_000_000;
  const line = progressLine(
    {
      running: [
        { what: 'issues o r', done: 3, total: 12, startedAt },
        { what: 'labels o r', done: 0, total: null, startedAt },
      ],
      requests: 14,
      bytes: 53_000,
    },
    startedAt + 6_000,
  );
  expect(String(line)).toBe(
    'fetching issues o r 3/12, labels o r; 14 requests, 52 kB; about 18 s left',
  );
  expect(String(progressLine({ running: [], requests: 0, bytes: 12 }, 0))).toBe(
    'fetching …; 0 requests, 12 B',
  );
});
