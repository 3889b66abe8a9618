import { expect, test } from 'vitest';
import { MemoryMount } from './mount.ts';

test('what files take is missing from what is free, comes back with their removal, and ends at the limit', async () => {
  const mount = new MemoryMount({ maxBytes: 100_000 });
  const empty = mount.capacity();
  expect(empty.total).toBe(100_000);
  expect(empty.free).toBe(empty.total - empty.used);
  await mount.write('/f', Buffer.alloc(50_000));
  const full = mount.capacity();
  expect(full.used).toBeGreaterThanOrEqual(empty.used + 50_000);
  expect(full.free).toBe(full.total - full.used);
  await expect(mount.write('/g', Buffer.alloc(60_000))).rejects.toMatchObject({ code: 'ENOSPC' });
  expect(mount.capacity()).toEqual(full);
  await mount.unlink('/f');
  expect(mount.capacity()).toEqual(empty);
});
