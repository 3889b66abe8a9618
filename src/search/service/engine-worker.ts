/** The worker of the search engine: opens the index, then does what it is told, in order. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { readWordTable } from '../static/table.ts';
import type { EngineCall, EngineResult, EngineStart } from './client.ts';
import { SearchEngine } from './engine.ts';

const port = parentPort;
if (port === null) throw new Error('this module is the worker of a search engine');

const { file, words }: EngineStart = workerData;
const engine = new SearchEngine(file, readWordTable(readFileSync(words)));

port.on('message', ({ id, method, args }: EngineCall) => {
  port.postMessage(answer(id, method, args));
});

function answer(id: number, method: EngineCall['method'], args: unknown[]): EngineResult {
  try {
    // The client's methods have checked the types of what they pass.
    const call = engine[method] as (...args: unknown[]) => unknown;
    return { id, value: call.apply(engine, args) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}
