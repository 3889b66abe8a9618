/** Random operations: memory and disk behave as the host's own file system does. */
import { describe, it } from 'vitest';
import { MemoryMount } from '../../src/memory-tree/mount.ts';
import { compareWithHost } from './random.ts';
import { diskMount, namespaceOver } from './support.ts';

const STEPS = 500;

describe(`${STEPS} random operations end as on the host, errno by errno`, () => {
  it.for([1, 2, 3, 4])('in memory, seed %i', async (seed) => {
    await compareWithHost(
      namespaceOver([
        ['/', new MemoryMount()],
        ['/m', new MemoryMount()],
      ]),
      '/m',
      seed,
      STEPS,
    );
  });

  it.for([5, 6, 7, 8])('on disk, seed %i', async (seed) => {
    const { mount, directory } = diskMount();
    try {
      await compareWithHost(
        namespaceOver([
          ['/', new MemoryMount()],
          ['/m', mount],
        ]),
        '/m',
        seed,
        STEPS,
      );
    } finally {
      directory.remove();
    }
  });
});
