/** The GitHub mount through the suite that every mount runs through, on the stand-in. */
import { afterAll, beforeAll } from 'vitest';
import { Bench } from '../../mounts/github/testing.ts';
import { describeMountConformance } from './mount-suite.ts';
import { withoutCost } from './support.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.start({ issues: 6, commentsEach: 2, pullEvery: 3 });
  // Each test lists a mount of its own from end to end, and all that GitHub itself finds with it.
  await bench.github.setRateLimit({ remaining: 5_000, searches: 10_000 });
});
afterAll(() => bench[Symbol.asyncDispose]());

const samples = {
  file: '/octo/hello/issues/1.md',
  directory: '/octo/hello/issues',
  missing: '/octo/hello/issues/9999.md',
};

const truth = { writable: false, links: false, attributes: false, samples };

for (const mode of ['ro', 'rw', 'append', 'stage'] as const) {
  describeMountConformance(
    `github ${mode}`,
    () => ({ mount: withoutCost(bench.mount({ ...bench.memory(), stage: mode === 'stage' })) }),
    { ...truth, mode },
  );
}
