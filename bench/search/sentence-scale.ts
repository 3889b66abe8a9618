/**
 * What the vectors cost as there are more of them: CPU time to look one up, to
 * read them all, and to make one, apart from the model. The vectors are chance.
 * `npm run bench:search -- --sentences --scale [PASSAGES]`.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ByteVectors, toBytes } from '../../src/search/embedding/byte-vectors.ts';
import { ModelVectors } from '../../src/search/embedding/model-vectors.ts';
import { SentenceEngine } from '../../src/search/embedding/sentence-engine.ts';
import { VectorStore } from '../../src/search/embedding/vector-store.ts';
import { best } from '../../src/search/fuse/best.ts';
import { SearchEngine } from '../../src/search/service/engine.ts';
import { cpu } from '../measure.ts';

const CANDIDATES = 1_000;
const LOOKUPS = 40;

/** Prints a line for each length of vectors, and one for what is kept. */
export async function benchSentenceScale(
  passages: number,
  print: (line: string) => void,
): Promise<void> {
  for (const dimensions of [256, 384, 768, 1_536]) {
    const random = chance();
    const vectors = new ByteVectors(dimensions);
    for (let slot = 0; slot < passages; slot++)
      vectors.set(slot, toBytes(vector(random, dimensions)));
    const allowed = new Uint8Array(passages).fill(1);
    const times = Array.from({ length: LOOKUPS }, () => {
      const question = vector(random, dimensions);
      const begun = cpu();
      best(vectors.cosines(question, passages), CANDIDATES, allowed, -1);
      return cpu() - begun;
    }).sort((a, b) => a - b);
    const at = (share: number): string => (times[Math.floor(share * LOOKUPS)] ?? 0).toFixed(1);
    print(
      `${passages.toLocaleString('en')} × ${dimensions}: the ${CANDIDATES} nearest in ${at(0.5)} ms, p95 ${at(0.95)} ms`,
    );
  }
  await benchKept(passages, print);
}

async function benchKept(passages: number, print: (line: string) => void): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dirigent-vectors-'));
  const file = join(directory, 'index.sqlite');
  const random = chance();
  const plain = new SearchEngine(file, null);
  for (let from = 0; from < passages; from += 64) {
    const texts = Array.from({ length: Math.min(64, passages - from) }, (_, index) => ({
      path: `/mnt/x/${from + index}.txt`,
      text: `passage number${from + index}`,
    }));
    plain.update(texts, []);
  }
  const engine = new SentenceEngine(plain, {
    model: {
      kind: 'server',
      id: 'chance',
      baseUrl: 'http://127.0.0.1:1/v1',
      keyEnv: null,
      dimensions: null,
      queryPrefix: '',
      documentPrefix: '',
      batch: 64,
      concurrency: 2,
      timeoutMs: 1_000,
    },
    weight: 0.3,
    env: {},
    file,
    open: async () => ({
      embed: async (texts) => ({
        // The first text that it is asked says who it is.
        vectors: texts.map((text) => vector(text.includes('passage') ? random : chance(), 384)),
        tokens: 0,
      }),
    }),
  });
  const begun = cpu();
  await engine.sentences(true);
  const made = cpu() - begun;
  const store = new VectorStore(plain.index.store.database);
  const [model] = store.models();
  if (model === undefined) throw new Error('no model was kept');
  const before = cpu();
  const held = new ModelVectors(store, model, plain.index.memory);
  const read = cpu() - before;
  print(
    `${held.count.toLocaleString('en')} vectors of 384 numbers: kept at ${((1_000 * made) / passages).toFixed(0)} µs each, read again in ${(read / 1_000).toFixed(2)} s`,
  );
  await engine.close();
  rmSync(directory, { recursive: true });
}

/** Numbers from a fixed seed, -1 to below 1. */
function chance(): () => number {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
}

const vector = (random: () => number, dimensions: number): Float32Array =>
  Float32Array.from({ length: dimensions }, random);
