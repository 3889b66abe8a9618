/** The GitHub mount through the suite that every mount runs through, on the stand-in. */
import { afterAll, beforeAll } from 'vitest';
import { Bench } from '../../mounts/github/testing.ts';
import type { Mount } from '../../src/mount/contract.ts';
import { describeMountConformance } from './mount-suite.ts';

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.start({ issues: 6, commentsEach: 2, pullEvery: 3 });
});
afterAll(() => bench[Symbol.asyncDispose]());

const samples = {
  file: '/octo/hello/issues/1.md',
  directory: '/octo/hello/issues',
  missing: '/octo/hello/issues/9999.md',
};
/** README.md tells what the mount cost so far: asking changes it, and nothing else. */
function withoutCost(mount: Mount): Mount {
  const read = async (path: string): Promise<Uint8Array> => {
    const bytes = await mount.read(path);
    const text = Buffer.from(bytes).toString();
    return path === '/README.md' ? Buffer.from(text.replace(/\d+ requests.*/, '')) : bytes;
  };
  return new Proxy(mount, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key, target);
      if (key === 'read') return read;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const truth = { writable: false, links: false, attributes: false, samples };

for (const mode of ['ro', 'rw', 'append', 'stage'] as const) {
  describeMountConformance(
    `github ${mode}`,
    () => ({ mount: withoutCost(bench.mount({ ...bench.memory(), stage: mode === 'stage' })) }),
    { ...truth, mode },
  );
}
