/**
 * A process that makes an index or opens one, so that its memory is that of the
 * index alone. Prints one JSON object.
 *
 *     node scale-process.ts build FILE COUNT LINES
 *     node scale-process.ts ask FILE
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { IndexedText } from '../../src/search/index/search-index.ts';
import type { SearchEngine } from '../../src/search/service/engine.ts';
import { cpu, seeded } from '../measure.ts';

/** What building gave. Times are CPU time of the process: other work on the machine does not count. */
export interface Built {
  /** ms for all, and for putting the index in order at the end. */
  taken: number;
  settled: number;
  /** µs a document, of the first and of the last thousand. */
  first: number;
  last: number;
  /** Bytes. */
  resident: number;
}

/** What asking gave. */
export interface Asked {
  /** ms until the first answer, and of the answers after it. */
  opened: number;
  p50: number;
  p95: number;
  /** p50 of questions that want one answer, and a thousand. */
  one: number;
  thousand: number;
  /** ms until an edited text is found. */
  edited: number;
  /** Bytes once ordinary questions were answered, and once those that want a thousand answers were, too. */
  resident: number;
  residentAfterThousand: number;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const lines = (file: string): string[] => readFileSync(file, 'utf8').trim().split('\n');

/** Compiled where there is a build: what strips types takes memory of its own. */
async function openEngine(file: string): Promise<SearchEngine> {
  const compiled = join(root, 'dist', 'src', 'search');
  const [base, extension] = existsSync(compiled)
    ? [compiled, 'js']
    : [join(root, 'src', 'search'), 'ts'];
  const load = (name: string) => import(pathToFileURL(`${base}/${name}.${extension}`).href);
  const [{ SearchEngine: Engine }, { readWordTable }] = await Promise.all([
    load('service/engine'),
    load('static/table'),
  ]);
  return new Engine(file, readWordTable(readFileSync(join(root, 'data', 'words.bin'))));
}

/** So many texts, sentences of the demo in another order, so that their words are of a real kind. */
function* texts(count: number, length: number): Iterable<IndexedText> {
  const sentences = lines(join(root, 'bench', 'questions', 'quay.tsv')).flatMap((each) =>
    each.split('\t').slice(1),
  );
  sentences.push(...readFileSync(join(root, 'docs', 'policy.md'), 'utf8').split('\n'));
  const long = sentences.filter((each) => each.length > 30);
  const random = seeded();
  const pick = (): string => long[Math.floor(random() * long.length)] ?? '';
  for (let n = 0; n < count; n++) {
    const body = Array.from({ length }, pick).join('\n');
    const text = `---\ntitle: ${pick()}\n---\n\n${body}\nnumber${n}\n`;
    yield { path: `/mnt/x/${Math.floor(n / 100)}/issues/${n}.md`, text, kind: 'issue' };
  }
}

async function build(file: string, count: number, length: number): Promise<Built> {
  const engine = await openEngine(file);
  const times: number[] = [];
  const begun = cpu();
  let batch: IndexedText[] = [];
  const flush = (): void => {
    engine.update(batch, []);
    batch = [];
  };
  let at = begun;
  for (const text of texts(count, length)) {
    batch.push(text);
    if (batch.length === 50) flush();
    if (Number(/(\d+)\.md$/.exec(text.path)?.[1]) % 1_000 !== 999) continue;
    times.push(cpu() - at);
    at = cpu();
  }
  flush();
  const taken = cpu() - begun;
  engine.settle();
  const settled = cpu() - begun - taken;
  const resident = process.memoryUsage().rss;
  engine.close();
  return { taken, settled, first: times[0] ?? 0, last: times.at(-1) ?? 0, resident };
}

async function ask(file: string): Promise<Asked> {
  const begun = cpu();
  const engine = await openEngine(file);
  const timed = (query: string, limit = 10): number => {
    const from = cpu();
    engine.search({ query, paths: ['/mnt'], limit });
    return cpu() - from;
  };
  timed('warm up');
  const opened = cpu() - begun;
  const questions = lines(join(root, 'bench', 'questions', 'quay.tsv')).map((each) =>
    each.slice(each.indexOf('\t') + 1),
  );
  const sorted = (limit?: number): number[] =>
    questions.map((query) => timed(query, limit)).sort((a, b) => a - b);
  const at = (share: number, times: number[]): number =>
    times[Math.floor(share * times.length)] ?? 0;
  const times = sorted();
  const one = at(0.5, sorted(1));
  const resident = process.memoryUsage().rss;
  const thousand = at(0.5, sorted(1_000));
  const residentAfterThousand = process.memoryUsage().rss;
  const from = cpu();
  const path = '/mnt/x/0/issues/0.md';
  engine.update([{ path, text: 'an edited sentence about zebras in the zoo' }], []);
  const query = 'zebras in the zoo';
  const found = engine.search({ query, paths: ['/mnt'], limit: 10 }).answers[0]?.path;
  if (found !== path) throw new Error(`the edit was not found: ${found}`);
  const edited = cpu() - from;
  engine.close();
  const [p50, p95] = [at(0.5, times), at(0.95, times)];
  return { opened, p50, p95, one, thousand, edited, resident, residentAfterThousand };
}

const [action, file = '', count = '', length = ''] = process.argv.slice(2);
const result =
  action === 'build' ? await build(file, Number(count), Number(length)) : await ask(file);
process.stdout.write(`${JSON.stringify(result)}\n`);
