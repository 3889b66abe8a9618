/**
 * A process that asks about the files of a directory, so that its CPU time and memory are those of
 * the search alone. Prints one JSON object.
 *
 *     node files-process.ts write DIRECTORY PASSAGES FILES
 *     node files-process.ts build DIRECTORY INDEX
 *     node files-process.ts ask DIRECTORY INDEX
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DiskMount } from '../../src/disk/mount.ts';
import { MemoryMount } from '../../src/memory-tree/mount.ts';
import { Namespace } from '../../src/namespace/namespace.ts';
import { MountTable } from '../../src/namespace/table.ts';
import { localEngine } from '../../src/search/service/client.ts';
import { SearchEngine } from '../../src/search/service/engine.ts';
import { MountedSearch } from '../../src/search/service/mounted-search.ts';
import { readWordTable } from '../../src/search/static/table.ts';
import { cpu, seeded } from '../measure.ts';

/** What building gave: CPU time in ms, bytes. */
export interface BuiltFiles {
  taken: number;
  resident: number;
}

/** What asking gave: CPU time in ms of the whole process, bytes. */
export interface AskedFiles {
  /** Until the index was open. */
  opened: number;
  /** Of the first question, which looks at every file, and of the second. */
  first: number;
  second: number;
  /** Of questions about everything. */
  p50: number;
  p95: number;
  /** Of questions about one directory in a hundred. */
  directory: number;
  /** Until a file that was written in place is found. */
  edited: number;
  resident: number;
  passages: number;
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const lines = (file: string): string[] => readFileSync(file, 'utf8').trim().split('\n');
const questions = (): string[] =>
  lines(join(root, 'bench', 'questions', 'quay.tsv')).map((each) =>
    each.slice(each.indexOf('\t') + 1),
  );

const FILES_IN_DIRECTORY = 100;

/** Sentences of the demo in another order: words of a real kind. */
function write(directory: string, passages: number, files: number): void {
  const sentences = lines(join(root, 'bench', 'questions', 'quay.tsv'))
    .flatMap((each) => each.split('\t').slice(1))
    .concat(readFileSync(join(root, 'docs', 'policy.md'), 'utf8').split('\n'))
    .filter((each) => each.length > 30);
  const random = seeded();
  const pick = (): string => sentences[Math.floor(random() * sentences.length)] ?? '';
  const each = passages / files;
  for (let n = 0; n < files; n++) {
    const sections = Array.from({ length: each }, (_, section) => {
      const text = Array.from({ length: 6 }, pick).join('\n');
      return `# Section ${section} ${pick().slice(0, 40)}\n\n${text}\nnumber${n}x${section}\n`;
    });
    const below = join(directory, `d${Math.floor(n / FILES_IN_DIRECTORY)}`);
    if (n % FILES_IN_DIRECTORY === 0) mkdirSync(below, { recursive: true });
    writeFileSync(join(below, `f${n}.md`), sections.join('\n'));
  }
}

function searchOf(directory: string, index: string) {
  const table = new MountTable();
  const attach = (point: string, mount: DiskMount | MemoryMount, searchable: boolean): void =>
    table.attach({ point, mount, access: { mode: 'rw' }, searchable });
  attach('/', new MemoryMount(), false);
  attach('/mnt/x', new DiskMount({ root: directory, searchable: true }), true);
  const gate = () => ({ decision: 'allow' as const, rule: 'bench', reason: '' });
  const fs = new Namespace({ table, gate, timeoutMs: 600_000, origin: 'shell' });
  const words = readWordTable(readFileSync(join(root, 'data', 'words.bin')));
  const engine = localEngine(new SearchEngine(index, words));
  return new MountedSearch({ table, fs, engine: () => engine });
}

async function build(directory: string, index: string): Promise<BuiltFiles> {
  const begun = cpu();
  const search = searchOf(directory, index);
  await search.state(['/mnt/x'], true);
  await search.close();
  return { taken: cpu() - begun, resident: process.resourceUsage().maxRSS * 1024 };
}

async function ask(directory: string, index: string): Promise<AskedFiles> {
  // What loading the modules took is that of any process.
  let at = cpu();
  const lap = (): number => {
    const before = at;
    at = cpu();
    return at - before;
  };
  const search = searchOf(directory, index);
  const query = async (text: string, paths = ['/mnt/x']) =>
    search.ask({ query: text, paths, limit: 10 });
  const { chunks } = await search.state(['/mnt/x/none'], false);
  const opened = lap();
  if (chunks > 0) throw new Error('nothing is below a directory that is not there');
  await query('warm up');
  const first = lap();
  await query('warm up again');
  const second = lap();
  await query('and once more');
  const measured = async (paths?: string[]): Promise<number[]> => {
    const times: number[] = [];
    for (const text of questions().slice(0, 60)) {
      lap();
      await query(text, paths);
      times.push(lap());
    }
    return times.sort((a, b) => a - b);
  };
  const all = await measured();
  const one = await measured(['/mnt/x/d0']);
  const resident = process.memoryUsage().rss;
  lap();
  writeFileSync(join(directory, 'd0', 'f0.md'), 'an edited sentence about zebras in the zoo\n');
  const { answers } = await query('zebras in the zoo');
  const edited = lap();
  if (answers[0]?.path !== '/mnt/x/d0/f0.md') throw new Error('the edit was not found');
  const passages = (await search.state(['/mnt/x'], false)).chunks;
  await search.close();
  const share = (times: number[], of: number): number => times[Math.floor(of * times.length)] ?? 0;
  return {
    opened,
    first,
    second,
    p50: share(all, 0.5),
    p95: share(all, 0.95),
    directory: share(one, 0.5),
    edited,
    resident,
    passages,
  };
}

const [action, directory = '', ...rest] = process.argv.slice(2);
if (action === 'write') write(directory, Number(rest[0]), Number(rest[1]));
else {
  const result =
    action === 'build'
      ? await build(directory, rest[0] ?? '')
      : await ask(directory, rest[0] ?? '');
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
