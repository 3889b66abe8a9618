import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';

const MODULE = new URL('./garbage.ts', import.meta.url).href;

/** Of a thread as a world has one: the process of the tests keeps its garbage. */
const THREAD = `
import(${JSON.stringify(MODULE)}).then(async ({ collectGarbage }) => {
  const { parentPort } = require('node:worker_threads');
  const abandoned = () => new WeakRef(Array.from({ length: 200_000 }, (_, index) => 'text ' + index));
  const held = abandoned();
  // A reference holds what it refers to until the step that made it has ended.
  await new Promise((resolve) => setImmediate(resolve));
  await collectGarbage();
  parentPort.postMessage(held.deref() === undefined);
});
`;

it('what nothing in a thread holds any more is gone', async () => {
  const worker = new Worker(THREAD, { eval: true });
  expect(await once(worker, 'message')).toEqual([true]);
  await worker.terminate();
});
