/** 10,000 random operations each, and seeds that nobody has chosen. */
import { describe, it } from 'vitest';
import { MemoryMount } from '../../src/memory-tree/mount.ts';
import { compareWithHost } from './random.ts';
import { diskMount, namespaceOver } from './support.ts';

const STEPS = 2_500;
const MINUTES = 60_000;

describe('10,000 random operations end as on the host, errno by errno', () => {
  const seeds = [101, 102, 103, Date.now() % 1_000_000];

  it.for(seeds)('in memory, seed %i', { timeout: 5 * MINUTES }, async (seed) => {
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

  it.for(seeds)('on disk, seed %i', { timeout: 5 * MINUTES }, async (seed) => {
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
