/**
 * Literal search against GNU grep, ripgrep, just-bash and mirage, in one run,
 * side by side with the goals. All sides in turn, medians; clock and processor.
 */
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Bash, InMemoryFs } from 'just-bash';
import { createWorld, type World } from '../entry/index.ts';
import { makeCorpus, RARE } from './corpus.ts';
import { issuesWorld } from './issues.ts';
import { type Cost, cost, median } from './measure.ts';
import { runNative, versionOf } from './native.ts';

export interface GrepBenchOptions {
  quick: boolean;
  /** A directory in which `@struktoai/mirage-node` is installed. */
  mirage: string | undefined;
}

const SELECTIVE = "-rnE 'zz.*needle|needle_in'";
/** In one line of forty. */
const COMMON = 'rollback';
/** In every line. */
const EVERYWHERE = 'the';

/**
 * Who runs a command; each in a directory with the same files. `lstat`: nobody
 * searches, each file is asked in this process for what shows that it is still
 * the same. Whoever leaves files of a disk unread cannot take less.
 */
type Side = 'dirigent' | 'rendered' | 'grep' | 'rg' | 'just-bash' | 'mirage' | 'lstat';

/** A figure that the goals speak of. */
interface Goal {
  text: string;
  measure: 'wall' | 'cpu';
  against: Side;
  /** How much of the other side's cost is allowed. */
  atMost: number;
}

interface Row {
  name: string;
  sides: Partial<Record<Side, (run: number) => Cost | Promise<Cost>>>;
  goals: readonly Goal[];
  runs: number;
  /** Runs of ours that are not counted: the engine is compiled while it runs. */
  warmUp?: number;
}

/** Until the compiler has done with it, and all texts of the large corpus are signed. */
const WARM_UP = 6;
/** How long a world has nothing to do before its first search, in ms: less than a model takes for a turn. */
const REST_MS = 2_000;

const goal = (measure: Goal['measure'], against: Side, atMost: number, text: string): Goal => ({
  measure,
  against,
  atMost,
  text,
});

/** Prints the table. */
export async function benchGrep({ quick, mirage }: GrepBenchOptions): Promise<void> {
  const directory = fs.mkdtempSync(join(tmpdir(), 'dirigent-bench-grep-'));
  try {
    const bench = new GrepBench(directory, quick ? 3 : 7);
    console.log(
      '\nLiteral search. Each cell: ms of the clock / of the processor, medians of runs in turn.',
    );
    for (const program of ['grep', 'rg'])
      console.log(`  ${program}: ${versionOf(program) ?? 'not installed, left out'}`);
    await bench.small(mirage);
    if (!quick) await bench.large();
    await bench.unread();
    await bench.service(quick ? 500 : 2_000);
    await bench.stopsEarly();
  } finally {
    fs.rmSync(directory, { recursive: true });
  }
}

class GrepBench {
  readonly #directory: string;
  readonly #runs: number;
  readonly #hasRg = versionOf('rg') !== null;

  constructor(directory: string, runs: number) {
    this.#directory = directory;
    this.#runs = runs;
  }

  /** 2,000 files of 5 kB, in memory. */
  async small(mirage: string | undefined): Promise<void> {
    const root = this.#corpus('small', 2000, 5000);
    console.log('\n2,000 files of 5 kB in memory (natively on disk, in the page cache)');
    const world = await this.#worldWith(root);
    try {
      const own = (command: string) => () => cost(() => world.exec(command, { cwd: '/mem' }));
      const native = (command: string) => () => runNative(command, root);
      const rare = `grep -rn ${RARE} .`;
      for (const [name, rest] of [
        ['right after the start', 0],
        ['after a rest', REST_MS],
      ] as const) {
        await this.#row({
          name: `rare word, first: ${name}`,
          sides: { dirigent: () => this.#firstSearch(root, rare, rest), grep: native(rare) },
          goals: [goal('cpu', 'grep', 1, 'no slower than GNU grep (CPU)')],
          runs: 3,
          warmUp: 0,
        });
      }
      await this.#row({
        name: 'rare word, any later one',
        sides: { dirigent: own(rare), grep: native(rare), rg: native(`rg -n ${RARE} .`) },
        goals: [goal('cpu', 'grep', 1, 'no slower than GNU grep (CPU)')],
        runs: this.#runs,
      });
      const everywhere = `grep -rn ${EVERYWHERE} .`;
      await this.#row({
        name: 'dense output, every line, into a pipe',
        sides: {
          dirigent: own(`${everywhere} | wc -c`),
          grep: native(`${everywhere} | wc -c`),
        },
        goals: [goal('cpu', 'grep', 4, 'at most 4 times GNU grep (CPU)')],
        runs: this.#runs,
      });
      await this.#row({
        name: 'dense output, every line, as an answer',
        sides: { dirigent: own(everywhere), grep: native(everywhere) },
        goals: [goal('cpu', 'grep', 4, 'at most 4 times GNU grep (CPU)')],
        runs: this.#runs,
      });
      // After the others, since what it leaves to be collected would be counted for them.
      const bash = new Bash({ fs: new InMemoryFs(contents(root, '/data')), cwd: '/data' });
      await this.#row({
        name: 'rare word, just-bash in memory',
        sides: { dirigent: own(rare), 'just-bash': () => cost(() => bash.exec(rare)) },
        goals: [],
        runs: this.#runs,
      });
      if (mirage !== undefined) await this.#mirage(mirage, root, own(rare), rare);
    } finally {
      await world.close();
    }
  }

  /** 20,000 files of 2 kB, in memory and on a disk mount that was read before. */
  async large(): Promise<void> {
    const root = this.#corpus('large', 20_000, 2000);
    console.log('\n20,000 files of 2 kB, warm');
    const world = await this.#worldWith(root);
    try {
      const at = (cwd: string, command: string) => () => cost(() => world.exec(command, { cwd }));
      const native = (command: string) => () => runNative(command, root);
      const rare = `grep -rn ${RARE} .`;
      const five = goal('wall', 'rg', 1 / 5, 'at least 5 times as fast as ripgrep');
      const sides = { grep: native(rare), rg: native(`rg -n ${RARE} .`) };
      await this.#row({
        name: 'rare word, in memory',
        sides: { dirigent: at('/mem', rare), ...sides },
        goals: [five],
        runs: this.#runs,
      });
      // The third search of a disk mount knows its texts.
      for (let time = 0; time < 2; time++) await world.exec(rare, { cwd: '/disk' });
      await this.#row({
        name: 'rare word, on a disk mount',
        sides: {
          dirigent: at('/disk', rare),
          ...sides,
          lstat: () => cost(async () => lookAt(root)),
        },
        goals: [goal('cpu', 'grep', 1, 'no slower than GNU grep (CPU)'), five],
        runs: this.#runs,
      });
      const selective = `grep ${SELECTIVE} .`;
      for (const [name, cwd] of [
        ['in memory', '/mem'],
        ['on a disk mount', '/disk'],
      ] as const) {
        await this.#row({
          name: `selective expression, ${name}`,
          sides: { dirigent: at(cwd, selective), grep: native(selective) },
          goals: [goal('cpu', 'grep', 1, 'faster than GNU grep (CPU)')],
          runs: this.#runs,
        });
      }
      const common = `grep -rn ${COMMON} .`;
      await this.#row({
        name: 'common word, in memory',
        sides: {
          dirigent: at('/mem', common),
          grep: native(common),
          rg: native(`rg -n ${COMMON} .`),
        },
        goals: [goal('cpu', 'grep', 2, 'at most 2 times GNU grep (CPU)')],
        runs: this.#runs,
      });
    } finally {
      await world.close();
    }
  }

  /** Directories of a disk mount of which nothing was read before, one a run. */
  async unread(): Promise<void> {
    console.log('\n2,000 files of 5 kB on a disk mount, never read before');
    const roots = Array.from({ length: this.#runs + 1 }, (_, run) =>
      this.#corpus(`unread/${run}`, 2000, 5000),
    );
    const world = await this.#world({ '/disk': `${join(this.#directory, 'unread')}:ro` });
    try {
      const command = `grep -rn ${RARE} .`;
      const last = roots.length - 1;
      // The engine itself is warm: it has searched another directory.
      for (let run = 0; run < WARM_UP; run++) await world.exec(command, { cwd: `/disk/${last}` });
      await this.#row({
        name: 'rare word',
        sides: {
          dirigent: (run) => cost(() => world.exec(command, { cwd: `/disk/${run}` })),
          grep: (run) => runNative(command, roots[run] ?? ''),
        },
        warmUp: 0,
        goals: [goal('cpu', 'grep', 3, 'at most 3 times GNU grep (CPU)')],
        runs: this.#runs,
      });
    } finally {
      await world.close();
    }
  }

  /** Issues of a service that were searched before. `rendered`: a search for which every text is needed. */
  async service(count: number): Promise<void> {
    console.log(
      `\n${count} issues of GitHub with ${count * 1.5} comments, warm (natively: copies)`,
    );
    await using issues = await issuesWorld(count, this.#directory);
    const { world, at, copy } = issues;
    const own = (command: string) => () => cost(() => world.exec(command, { cwd: at }));
    const native = (command: string) => () => runNative(command, copy);
    const rare = `grep -rn ${RARE} .`;
    const sides = { grep: native(rare), rg: native(`rg -n ${RARE} .`) };
    await this.#row({
      name: 'rare word',
      // Two bytes are too few for the index, and in none of the files.
      sides: { dirigent: own(rare), rendered: own(`grep -rn -e ${RARE} -e '~~' .`), ...sides },
      goals: [
        goal('cpu', 'rendered', 1 / 5, 'at least 5 times as fast as with every text rendered'),
      ],
      runs: this.#runs,
    });
    for (const command of [`grep -rl ${RARE} .`, `rg -n ${RARE} .`]) {
      await this.#row({
        name: command,
        sides: { dirigent: own(command), grep: native(command.replace('rg -n', 'grep -rn')) },
        goals: [],
        runs: this.#runs,
      });
    }
  }

  /** A search that is told to stop does. */
  async stopsEarly(): Promise<void> {
    const root = join(this.#directory, 'long');
    fs.mkdirSync(root);
    const line = 'one line of a long text in which the word is everywhere\n';
    fs.writeFileSync(join(root, 'long.txt'), line.repeat(400_000));
    console.log('\nOne file of 22 MB in memory, the word in every line');
    const world = await this.#worldWith(root);
    try {
      const own = (command: string) => () => cost(() => world.exec(command, { cwd: '/mem' }));
      const native = (command: string) => () => runNative(command, root);
      for (const command of ['grep -m 1 word long.txt', 'grep -c word long.txt']) {
        await this.#row({
          name: command,
          sides: { dirigent: own(command), grep: native(command) },
          goals: [],
          runs: this.#runs,
        });
      }
    } finally {
      await world.close();
    }
  }

  /** mirage reads a disk: seconds a search, so one run of it. */
  async #mirage(
    installed: string,
    root: string,
    own: () => Promise<Cost>,
    command: string,
  ): Promise<void> {
    const main = join(installed, 'node_modules/@struktoai/mirage-node/dist/index.js');
    // Not a dependency: it brings 170 MB. What is used of it is checked by using it.
    const { Workspace, DiskResource } = await import(pathToFileURL(main).href);
    const workspace = new Workspace({ '/data': new DiskResource({ root }) });
    const theirs = await cost(() => workspace.execute(command.replace(/\.$/, '/data')));
    await this.#row({
      name: 'rare word, mirage on a disk (one run)',
      sides: { dirigent: own, mirage: () => theirs },
      goals: [],
      runs: 1,
    });
  }

  async #firstSearch(root: string, command: string, restMs: number): Promise<Cost> {
    const world = await this.#worldWith(root);
    try {
      if (restMs > 0) await delay(restMs);
      return await cost(() => world.exec(command, { cwd: '/mem' }));
    } finally {
      await world.close();
    }
  }

  /** The files below a new directory of the host. */
  #corpus(name: string, count: number, bytes: number): string {
    const root = join(this.#directory, name);
    for (const { path, text } of makeCorpus(count, bytes)) {
      const file = join(root, path);
      fs.mkdirSync(dirname(file), { recursive: true });
      fs.writeFileSync(file, text);
    }
    return root;
  }

  /** A world with the files of a directory at /disk, and copies of them at /mem. */
  async #worldWith(root: string): Promise<World> {
    const world = await this.#world({ '/disk': `${root}:ro`, '/mem': 'mem' });
    await world.exec('cp -r /disk/. /mem/');
    return world;
  }

  async #world(mounts: Record<string, string>): Promise<World> {
    const state = fs.mkdtempSync(join(this.#directory, 'state-'));
    return createWorld({ mounts, state });
  }

  async #row({ name, sides, goals, runs, warmUp = WARM_UP }: Row): Promise<void> {
    const costs = new Map<Side, Cost[]>();
    const all = (Object.keys(sides) as Side[]).filter((side) => side !== 'rg' || this.#hasRg);
    for (let run = 0; run < warmUp; run++) await sides.dirigent?.(run);
    for (let run = 0; run < runs; run++) {
      for (const side of all) {
        const taken = await sides[side]?.(run);
        if (taken !== undefined) costs.set(side, [...(costs.get(side) ?? []), taken]);
      }
    }
    const of = (side: Side, measure: 'wall' | 'cpu'): number =>
      median((costs.get(side) ?? []).map((each) => each[measure]));
    const cells = all.map((side) => `${side} ${ms(of(side, 'wall'))} / ${ms(of(side, 'cpu'))}`);
    console.log(`  ${name.padEnd(40)}${cells.join('   ')}`);
    for (const { text, measure, against, atMost } of goals) {
      if (!costs.has(against)) continue;
      const ratio = of('dirigent', measure) / of(against, measure);
      const told =
        atMost < 1 ? `${(1 / ratio).toFixed(1)} times as fast` : `${ratio.toFixed(2)} times`;
      console.log(
        `  ${''.padEnd(40)}goal: ${text}: ${told}, ${ratio <= atMost ? 'met' : 'MISSED'}`,
      );
    }
  }
}

const ms = (value: number): string => value.toFixed(value < 10 ? 1 : 0);

/** Asks each file below a directory for its attributes, and does nothing else. */
function lookAt(root: string): void {
  for (const directory of fs.readdirSync(root)) {
    const path = join(root, directory);
    for (const name of fs.readdirSync(path)) fs.lstatSync(`${path}/${name}`);
  }
}

/** All files below a directory, under another name for it. */
function contents(root: string, shown: string): Record<string, string> {
  const files: Record<string, string> = {};
  for (const entry of fs.readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files[shown + path.slice(root.length)] = fs.readFileSync(path, 'utf8');
  }
  return files;
}
