import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { SpareWorkers } from './spare-workers.ts';

/** Workers that load when they are told to, and those of them that live. */
function spares(options: { spares: number; atOnce: number }, script = LOADING) {
  const spawned: Worker[] = [];
  const all = new SpareWorkers({
    ...options,
    spawn: () => {
      const worker = new Worker(script, { eval: true });
      spawned.push(worker);
      return worker;
    },
  });
  onTestFinished(async () => {
    await all.close();
    for (const worker of spawned) await worker.terminate();
  });
  return { all, spawned };
}

const LOADING = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', (message) => parentPort.postMessage(message));
  parentPort.postMessage({ type: 'loaded' });`;

/** What a worker answers to its world. */
const answer = (worker: Worker): Promise<unknown> =>
  new Promise((resolve) => {
    worker.once('message', resolve);
    worker.postMessage('a plan');
  });

test('of twenty that are wanted at once so many load side by side, each is taken once, and one is kept', async () => {
  const { all, spawned } = spares({ spares: 1, atOnce: 2 });
  const wanted = Array.from({ length: 20 }, () => all.take());
  expect(spawned).toHaveLength(2);
  const taken = await Promise.all(wanted);
  expect(new Set(taken).size).toBe(20);
  expect(await answer(taken[19] as Worker)).toBe('a plan');
  expect(spawned).toHaveLength(21);
  expect(taken).not.toContain(await all.take());
});

test('one that has ended while it was kept is given to nobody', async () => {
  const { all, spawned } = spares({ spares: 1, atOnce: 1 });
  await all.take();
  const kept = spawned[1] as Worker;
  await new Promise((resolve) => kept.once('message', resolve));
  await kept.terminate();
  expect(await answer(await all.take())).toBe('a plan');
});

test('whoever wants one that cannot load is told why, and the next is tried anew', async () => {
  const { all, spawned } = spares({ spares: 1, atOnce: 1 }, 'throw new Error("no such module")');
  await expect(all.take()).rejects.toThrow('no such module');
  await expect(all.take()).rejects.toThrow('no such module');
  expect(spawned).toHaveLength(2);
});

test('those that nobody has taken end with it', async () => {
  const { all, spawned } = spares({ spares: 2, atOnce: 1 });
  const taken = await all.take();
  await all.close();
  for (const worker of spawned) if (worker !== taken) expect(worker.threadId).toBe(-1);
  expect(await answer(taken)).toBe('a plan');
  await expect(all.take()).rejects.toThrow('no more worlds');
});
