/** The worker of the search engine: opens the index, then does what it is told, in order. */
import { readFileSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { readWordTable } from '../static/table.ts';
import {
  type EngineCall,
  type EngineClient,
  type EngineResult,
  type EngineStart,
  localEngine,
} from './client.ts';
import { SearchEngine } from './engine.ts';

const port = parentPort;
if (port === null) throw new Error('this module is the worker of a search engine');

const { file, words, sentences }: EngineStart = workerData;
const engine = await openEngine();

port.on('message', ({ id, method, args }: EngineCall) => {
  void answer(id, method, args).then((result) => port.postMessage(result));
});

async function openEngine(): Promise<EngineClient> {
  const plain = new SearchEngine(file, readWordTable(readFileSync(words)));
  if (sentences === undefined) return localEngine(plain);
  // Loaded only where there is a model: the SDK would double the time until the first answer.
  const [{ SentenceEngine }, { openEmbedder }] = await Promise.all([
    import('../embedding/sentence-engine.ts'),
    import('../embedding/open-embedder.ts'),
  ]);
  return new SentenceEngine(plain, { ...sentences, file, open: openEmbedder });
}

async function answer(
  id: number,
  method: EngineCall['method'],
  args: unknown[],
): Promise<EngineResult> {
  try {
    // The client's methods have checked the types of what they pass.
    const call = engine[method] as (...args: unknown[]) => Promise<unknown>;
    return { id, value: await call.apply(engine, args) };
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) };
  }
}
