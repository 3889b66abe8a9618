import { expect, test } from 'vitest';
import { KeptOpen } from './kept-open.ts';

test('what cannot be closed when nobody uses it is told, and is opened anew for the next', async () => {
  const faults: unknown[] = [];
  let opened = 0;
  const kept = new KeptOpen(
    async () => {
      opened += 1;
      return { number: opened, close: () => Promise.reject(new Error('stuck')) };
    },
    0,
    (error) => void faults.push(error),
  );
  expect(await kept.use(async ({ number }) => number)).toBe(1);
  await expect.poll(() => faults.map(String)).toEqual(['Error: stuck']);
  expect(await kept.use(async ({ number }) => number)).toBe(2);
  await expect(kept.close()).rejects.toThrow('stuck');
});
