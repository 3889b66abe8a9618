/**
 * What an agent does most, beside plain just-bash of the same version on its own file system in memory,
 * in one run; and the first search of a world beside GNU grep. Each with its goal.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Bash, InMemoryFs } from 'just-bash';
import { createWorld, type World } from '../entry/index.ts';
import { makeCorpus, RARE } from './corpus.ts';
import { type Cost, cost, cpu, median } from './measure.ts';
import { runNative, versionOf } from './native.ts';

/** A command that both shells run, and how it is to compare. */
interface Row {
  name: string;
  command: string;
  /** How often it is run between two looks at the clock. */
  times: number;
  goal: { atMost: number; unit: 'times' | 'ms' };
}

const FILES = 2000;
const BYTES = 5000;
const RUNS = 9;
const FIRST_RUNS = 3;
const APPENDS = 'rm -f log; for ((i = 0; i < 1000; i++)); do echo "line $i" >> log; done';

const ROWS: readonly Row[] = [
  { name: 'warm echo', command: 'echo hi', times: 40, goal: { atMost: 1, unit: 'ms' } },
  {
    name: 'cat of one file',
    command: 'cat d000/file-1.txt',
    times: 40,
    goal: { atMost: 1.5, unit: 'times' },
  },
  { name: '1,000 appends', command: APPENDS, times: 1, goal: { atMost: 1.2, unit: 'times' } },
];

/** Prints the table: ms of the clock / of the processor, medians of runs in turn. Goals are the clock's. */
export async function benchBeside(only?: string): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dirigent-beside-'));
  try {
    console.log(`\n${''.padEnd(24)}${'just-bash'.padStart(18)}${'dirigent'.padStart(18)}`);
    const texts: Record<string, string> = {};
    for (const { path, text } of makeCorpus(FILES, BYTES)) texts[path] = text;
    const wanted = (name: string): boolean => only === undefined || name.includes(only);
    const rows = ROWS.filter(({ name }) => wanted(name));
    if (rows.length > 0) await compareRows(rows, texts, join(directory, 'state'));
    if (wanted('first grep')) await compareFirst(texts, directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function compareRows(
  rows: readonly Row[],
  texts: Readonly<Record<string, string>>,
  state: string,
): Promise<void> {
  const world = await worldWith(texts, state);
  const files = Object.entries(texts).map(([path, text]) => [`/data/${path}`, text]);
  const plain = new Bash({ fs: new InMemoryFs(Object.fromEntries(files)), cwd: '/data' });
  try {
    for (const row of rows) {
      const [theirs, ours] = await inTurn(row.times, [
        () => plain.exec(row.command),
        () => world.exec(row.command),
      ]);
      const { atMost, unit } = row.goal;
      const compared = (measure: keyof Cost): number =>
        unit === 'ms' ? ours[measure] - theirs[measure] : ours[measure] / theirs[measure];
      const figure = [compared('wall'), compared('cpu')].map((each) => each.toFixed(2)).join(' / ');
      const text = unit === 'ms' ? `${figure} ms more` : `${figure} times`;
      print(row.name, theirs, ours, text, `at most ${atMost} ${unit}`, compared('wall') <= atMost);
    }
  } finally {
    await world.close();
  }
}

/** What a run costs, one run of each in turn, the first ones not counted. */
async function inTurn(
  times: number,
  tasks: readonly [() => Promise<unknown>, () => Promise<unknown>],
): Promise<readonly [Cost, Cost]> {
  const spent: readonly [Cost[], Cost[]] = [[], []];
  for (let run = 0; run <= RUNS; run++) {
    for (const [at, task] of tasks.entries()) {
      const { wall, cpu } = await cost(async () => {
        for (let time = 0; time < times; time++) await task();
      });
      if (run > 0) spent[at]?.push({ wall: wall / times, cpu: cpu / times });
    }
  }
  return [medianOf(spent[0]), medianOf(spent[1])];
}

function medianOf(costs: readonly Cost[]): Cost {
  return { wall: median(costs.map(({ wall }) => wall)), cpu: median(costs.map(({ cpu }) => cpu)) };
}

/** The first `grep` of a world beside that of the machine, by the processor. */
async function compareFirst(
  texts: Readonly<Record<string, string>>,
  directory: string,
): Promise<void> {
  if (versionOf('grep') === null) return console.log('first grep: there is no grep beside it');
  const root = join(directory, 'files');
  for (const [path, text] of Object.entries(texts)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const command = `grep -rn ${RARE} .`;
  const native: Cost[] = [];
  const own: Cost[] = [];
  for (let run = 0; run < FIRST_RUNS; run++) {
    native.push(runNative(command, root));
    const world = await worldWith(texts, join(directory, `state-${run}`));
    await settled();
    own.push(await cost(() => world.exec(command)));
    await world.close();
  }
  const [theirs, ours] = [medianOf(native), medianOf(own)];
  const figure = ours.cpu / theirs.cpu;
  const text = `${figure.toFixed(2)} times the CPU of GNU's`;
  print("a world's first grep", theirs, ours, text, 'at most 2 times', figure <= 2);
}

/** Waits until what the start of a world has left to be done is done: it is not the command's. */
async function settled(): Promise<void> {
  for (let before = cpu(), quiet = false; !quiet; ) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    const now = cpu();
    quiet = now - before < 10;
    before = now;
  }
}

async function worldWith(texts: Readonly<Record<string, string>>, state: string): Promise<World> {
  const world = createWorld({ mounts: { '/data': 'mem' }, cwd: '/data', state });
  const made = new Set<string>();
  for (const [path, text] of Object.entries(texts)) {
    const parent = dirname(path);
    if (!made.has(parent)) await world.fs.mkdir(`/data/${parent}`);
    made.add(parent);
    await world.fs.writeFile(`/data/${path}`, text);
  }
  return world;
}

function print(
  name: string,
  theirs: Cost,
  ours: Cost,
  figure: string,
  goal: string,
  met: boolean,
): void {
  const cell = ({ wall, cpu }: Cost): string =>
    `${[wall, cpu].map((value) => value.toFixed(value < 10 ? 2 : 0)).join(' / ')} ms`.padStart(18);
  console.log(
    `${name.padEnd(24)}${cell(theirs)}${cell(ours)}  ${figure}; goal: ${goal}${met ? '' : ', missed'}`,
  );
}
