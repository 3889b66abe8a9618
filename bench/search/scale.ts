/**
 * How the index behaves as it grows: CPU time to take texts in, to answer, to see an
 * edit, and memory. Texts are made of the demo's, so that they are words of a
 * real kind in a real proportion. `npm run bench:search -- --scale [CHUNKS]`.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { IndexedText } from '../../src/search/index/search-index.ts';
import { SearchEngine } from '../../src/search/service/engine.ts';
import { readWordTable } from '../../src/search/static/table.ts';
import { demoCollection } from './collections.ts';

/** CPU time of this process in ms: other work on the machine does not count. */
const now = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** Numbers from a fixed seed, 0 to below 1. */
function seeded(): () => number {
  let state = 42;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

/** So many texts of one chunk each, sentences of the demo in another order. */
function* texts(count: number, sentences: readonly string[]): Iterable<IndexedText> {
  const random = seeded();
  const pick = (): string => sentences[Math.floor(random() * sentences.length)] ?? '';
  for (let n = 0; n < count; n++) {
    const body = Array.from({ length: 6 }, pick).join('\n');
    yield { path: `/mnt/x/${Math.floor(n / 100)}/${n}.md`, text: `${body}\nnumber${n}\n` };
  }
}

/** Prints a line for each size. */
export function benchScale(sizes: readonly number[], print: (line: string) => void): void {
  const { documents, questions } = demoCollection();
  const sentences = documents
    .flatMap(({ text }) => text.split('\n'))
    .filter((each) => each.length > 30);
  const words = readFileSync(fileURLToPath(new URL('../../data/words.bin', import.meta.url)));
  for (const size of sizes) {
    const directory = mkdtempSync(join(tmpdir(), 'dirigent-scale-'));
    const file = join(directory, 'index.sqlite');
    const engine = new SearchEngine(file, readWordTable(words));
    const ask = (query: string): number => {
      const begun = now();
      engine.search({ query, paths: ['/mnt'], limit: 10 });
      return now() - begun;
    };
    const begun = now();
    let batch: IndexedText[] = [];
    for (const text of texts(size, sentences)) {
      batch.push(text);
      if (batch.length === 64) engine.update(batch.splice(0), []);
    }
    engine.update(batch, []);
    batch = [];
    const taken = now() - begun;
    const first = ask('warm up');
    const times = questions.map(({ text }) => ask(text)).sort((a, b) => a - b);
    const at = (share: number): string => (times[Math.floor(share * times.length)] ?? 0).toFixed(1);
    const edit = now();
    engine.update(
      [{ path: '/mnt/x/0/0.md', text: 'an edited sentence about zebras in the zoo' }],
      [],
    );
    engine.search({ query: 'zebras in the zoo', paths: ['/mnt'], limit: 10 });
    const edited = now() - edit;
    globalThis.gc?.();
    const memory = process.memoryUsage();
    engine.close();
    const load = now();
    const again = new SearchEngine(file, readWordTable(words));
    again.search({ query: 'zebras in the zoo', paths: ['/mnt'], limit: 10 });
    const loaded = now() - load;
    print(
      `${size.toLocaleString('en').padStart(8)} chunks: taken in ${(taken / 1000).toFixed(1)} s ` +
        `(${((1000 * taken) / size).toFixed(0)} µs each), fitted and first answer ${(first / 1000).toFixed(1)} s, ` +
        `answers p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, an edit seen after ${edited.toFixed(0)} ms, ` +
        `opened again in ${(loaded / 1000).toFixed(1)} s, resident ${(memory.rss / 1e6).toFixed(0)} MB`,
    );
    again.close();
    rmSync(directory, { recursive: true });
  }
}
