/** A process that makes vectors, and is killed in the middle of it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { toyModel } from './models.ts';
import { startEmbeddingServer } from './server.ts';

const DOCUMENTS = 400;
const BATCH = 4;
const CONCURRENCY = 2;

const ENGINE = new URL('../../../src/search/embedding/sentence-engine.ts', import.meta.url).href;
/** The child: indexes what is not indexed yet, makes vectors, and says when all are made. */
const CHILD = `
  const [, directory, file, baseUrl] = process.argv;
  const load = (path) => import(new URL(path, directory).href);
  const { SearchEngine } = await load('../service/engine.ts');
  const { SentenceEngine } = await load('./sentence-engine.ts');
  const { openEmbedder } = await load('./open-embedder.ts');
  const model = {
    kind: 'server', id: 'toy', baseUrl, keyEnv: null, dimensions: null, queryPrefix: '',
    documentPrefix: '', batch: ${BATCH}, concurrency: ${CONCURRENCY}, timeoutMs: 5000,
  };
  const engine = new SentenceEngine(new SearchEngine(file, null), {
    model, weight: 0.3, env: {}, file, open: openEmbedder,
  });
  const texts = Array.from({ length: ${DOCUMENTS} }, (_, n) => ({
    path: '/' + n + '.txt', text: 'document number' + n,
  }));
  await engine.update(texts, []);
  const state = await engine.sentences(true);
  process.stdout.write(JSON.stringify(state));
  await engine.close();
`;

/**
 * Kills a process so many times while it makes vectors, lets the last one end, and
 * expects every vector once, and no more paid for than what was under way.
 */
export async function killAndGoOn(kills: number): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dirigent-kill-'));
  const file = join(directory, 'index.sqlite');
  const server = await startEmbeddingServer({ embed: toyModel(), model: 'toy', delayMs: 2 });
  const embedded = (): string[] =>
    server.answered.flat().filter((text) => text.includes('document number'));
  const start = () =>
    spawn(process.execPath, ['--input-type=module', '-e', CHILD, ENGINE, file, server.baseUrl], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  try {
    for (let kill = 1; kill <= kills; kill++) {
      const before = embedded().length;
      const child = start();
      const exit = once(child, 'exit');
      // Somewhere in the middle of its work, at another place each time.
      while (embedded().length < before + 6 + (kill % 5) && child.exitCode === null) {
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      child.kill('SIGKILL');
      expect((await exit)[1]).toBe('SIGKILL');
    }
    expect(new Set(embedded()).size).toBeLessThan(DOCUMENTS);
    const last = start();
    const [said] = (await once(last.stdout, 'data')) as [Buffer];
    expect(JSON.parse(said.toString())).toMatchObject({ vectors: DOCUMENTS, pending: 0 });
    await once(last, 'exit');
    expect(new Set(embedded()).size).toBe(DOCUMENTS);
    const twice = embedded().length - DOCUMENTS;
    expect(twice).toBeLessThanOrEqual(kills * BATCH * CONCURRENCY);
    const database = new DatabaseSync(file, { readOnly: true });
    const count = database.prepare(
      'SELECT count(*) AS all_, count(DISTINCT hash) AS each_ FROM vectors',
    );
    expect(count.get()).toEqual({ all_: DOCUMENTS, each_: DOCUMENTS });
    database.close();
  } finally {
    await server.close();
    rmSync(directory, { recursive: true });
  }
}
