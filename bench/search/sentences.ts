/**
 * What a sentence model adds: `npm run bench:search -- --sentences`. The model is
 * the Universal Sentence Encoder, lite, behind a server on loopback; it makes some
 * ten passages a second, so the first run takes minutes (`--cache FILE` keeps its
 * vectors). Only every second question is reported: the model's weight and the
 * thresholds were chosen on the others (`--choosing` shows those).
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { ServerModel } from '../../src/search/embedding/model-spec.ts';
import { ModelVectors } from '../../src/search/embedding/model-vectors.ts';
import { openEmbedder } from '../../src/search/embedding/open-embedder.ts';
import { SentenceEngine } from '../../src/search/embedding/sentence-engine.ts';
import { vectorSignal } from '../../src/search/embedding/signal.ts';
import { VectorStore } from '../../src/search/embedding/vector-store.ts';
import type { SentenceSignal } from '../../src/search/fuse/sentences.ts';
import type { SearchIndex } from '../../src/search/index/search-index.ts';
import { SearchEngine } from '../../src/search/service/engine.ts';
import type { WordTable } from '../../src/search/static/table.ts';
import { universalSentenceEncoder } from '../../test/stand-ins/embeddings/models.ts';
import { startEmbeddingServer } from '../../test/stand-ins/embeddings/server.ts';
import {
  beirCollection,
  type Collection,
  demoCollection,
  irrelevantQuestions,
} from './collections.ts';
import { mean, ndcg10, recall100 } from './metrics.ts';

type Embed = (texts: string[]) => Promise<number[][]>;

/** What the bench is run with. */
export interface SentenceBench {
  table(): WordTable;
  /** Documents by BM25. */
  plain(collection: Collection): (query: string) => string[];
  print(line: string): void;
  /** Where vectors are kept between runs; null keeps none. */
  cache: string | null;
  /** The model's share of a score. */
  weight: number;
  /** Takes the questions that the share is chosen on, not those that are reported. */
  choosing: boolean;
}

/** Prints how well is found without and with the model, and what is refused. */
export async function benchSentences(bench: SentenceBench): Promise<void> {
  const embed = await cached(bench.cache);
  const server = await startEmbeddingServer({ embed, model: 'use-lite' });
  bench.print(`${''.padEnd(20)}nDCG@10: BM25, embedded, with the model    Recall@100 likewise`);
  for (const name of ['cran', 'cisi', 'demo']) {
    const collection = name === 'demo' ? demoCollection() : beirCollection(name);
    if (collection === null) bench.print(`${name.padEnd(20)}not present here, not measured`);
    else await benchCollection(bench, collection, server.baseUrl, embed);
  }
  await server.close();
}

async function benchCollection(
  bench: SentenceBench,
  collection: Collection,
  baseUrl: string,
  embed: Embed,
): Promise<void> {
  const { name, documents } = collection;
  const plain = new SearchEngine(':memory:', bench.table());
  const model = modelAt(baseUrl);
  const { weight } = bench;
  const options = { model, weight, env: {}, file: ':memory:', open: openEmbedder };
  const engine = new SentenceEngine(plain, options);
  await engine.update(documents, []);
  const { vectors, pending, trouble } = await engine.sentences(true);
  if (pending > 0) throw new Error(`${vectors} vectors of ${name}: ${trouble}`);
  const questions = collection.questions.filter(
    (_, index) => index % 2 === (bench.choosing ? 1 : 0),
  );
  const signals = await signalsOf(
    plain.index,
    questions.map(({ text }) => text),
    embed,
    weight,
  );
  const ids = new Map(documents.map(({ path, id }) => [path, id]));
  const find = (query: string, signal: SentenceSignal | null): string[] => {
    const found = plain.index.find(query, () => true, 400, signal);
    return [...new Set(found.map(({ document }) => ids.get(document.path) ?? ''))].slice(0, 100);
  };
  const bm25 = bench.plain(collection);
  const rankings = [
    bm25,
    (query: string) => find(query, null),
    (query: string) => find(query, signals.get(query) ?? null),
  ].map((search) => questions.map(({ text, relevant }) => ({ ranked: search(text), relevant })));
  const figures = (measured: typeof ndcg10): string =>
    rankings
      .map((answers) => mean(answers.map(({ ranked, relevant }) => measured(ranked, relevant))))
      .map((value) => (100 * value).toFixed(1).padStart(7))
      .join('');
  bench.print(
    `${`${name} (${questions.length})`.padEnd(20)}${figures(ndcg10)}${' '.repeat(12)}${figures(recall100)}`,
  );
  if (name === 'demo') {
    const refused = async (texts: readonly string[]): Promise<number> => {
      let count = 0;
      for (const query of texts) {
        const { answers } = await engine.search({ query, paths: ['/'], limit: 10 });
        if (answers.length === 0) count += 1;
      }
      return count;
    };
    const irrelevant = irrelevantQuestions();
    bench.print(
      `irrelevant questions refused with the model: ${await refused(irrelevant)} of ${irrelevant.length}`,
    );
    const relevant = questions.map(({ text }) => text);
    bench.print(
      `paraphrased questions wrongly refused with the model: ${await refused(relevant)} of ${relevant.length}`,
    );
  }
  await engine.close();
}

async function signalsOf(
  index: SearchIndex,
  questions: readonly string[],
  embed: Embed,
  weight: number,
): Promise<Map<string, SentenceSignal>> {
  const store = new VectorStore(index.store.database);
  const [model] = store.models();
  if (model === undefined) throw new Error('no model was kept');
  const held = new ModelVectors(store, model, index.memory);
  const signals = new Map<string, SentenceSignal>();
  for (const question of questions) {
    const [vector = []] = await embed([question]);
    signals.set(question, vectorSignal(Float32Array.from(vector), held, weight));
  }
  return signals;
}

function modelAt(baseUrl: string): ServerModel {
  return {
    kind: 'server',
    id: 'use-lite',
    baseUrl,
    keyEnv: null,
    dimensions: null,
    queryPrefix: '',
    documentPrefix: '',
    batch: 16,
    concurrency: 1,
    timeoutMs: 120_000,
  };
}

/** The model, which remembers what it was asked, in a file of `hash TAB vector` where there is one. */
async function cached(file: string | null): Promise<Embed> {
  const known = new Map<string, number[]>();
  if (file !== null && existsSync(file)) {
    for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
      const [hash = '', vector = ''] = line.split('\t');
      const bytes = Uint8Array.from(Buffer.from(vector, 'base64'));
      known.set(hash, [...new Float32Array(bytes.buffer)]);
    }
  }
  const model = await universalSentenceEncoder();
  const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64');
  return async (texts) => {
    const missing = texts.filter((text) => !known.has(hashOf(text)));
    for (const [index, vector] of (missing.length === 0 ? [] : await model(missing)).entries()) {
      const hash = hashOf(missing[index] ?? '');
      known.set(hash, vector);
      const bytes = Buffer.from(Float32Array.from(vector).buffer);
      if (file !== null) appendFileSync(file, `${hash}\t${bytes.toString('base64')}\n`);
    }
    return texts.map((text) => known.get(hashOf(text)) ?? []);
  };
}
