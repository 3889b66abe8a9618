import { MessageChannel, Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { answer } from './bridge.ts';

const THREAD = `
import { workerData } from 'node:worker_threads';
const { Bridge } = await import(workerData.bridge);
const bridge = new Bridge(workerData.port, workerData.awake);
const given = [1, 2, 3].map((n) => {
  try { return bridge.call('readlink', '/' + n); } catch (error) { return error.message; }
});
workerData.port.postMessage({ given });
`;

test('an answer is that of its call, also if the thread is woken before it is there', async () => {
  const { port1: port, port2 } = new MessageChannel();
  const awake = new Int32Array(new SharedArrayBuffer(4));
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`), {
    workerData: { bridge: new URL('./bridge.ts', import.meta.url).href, port: port2, awake },
    transferList: [port2],
  });
  const given = await new Promise((resolve, reject) => {
    thread.on('error', reject);
    port.on('message', (message) => {
      if ('given' in message) return resolve(message.given);
      const wake = setInterval(() => Atomics.notify(awake, 0), 5);
      setTimeout(() => {
        clearInterval(wake);
        answer({ port, awake }, { value: message.args[0] });
      }, 50);
    });
  });
  expect(given).toEqual(['/1', '/2', '/3']);
  port.close();
  await thread.terminate();
});
