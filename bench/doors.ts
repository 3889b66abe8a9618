/**
 * The mounted world beside a file system that does nothing, on the same library,
 * and a directory of the host, in one run: what programs of the host wait for.
 * Prints figures and ratios; asserts nothing. Beside the clock it shows what the
 * processes that serve a directory took of the processor, which other work on the
 * machine does not change.
 *
 *   node bench/doors.ts [--quick] [--only NAME,…]
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { openDoorway } from '../src/doors/doorway.ts';
import { type OpenMount, openMount } from '../src/doors/fuse/door.ts';
import { issuesWorld } from './issues.ts';
import { median, time } from './measure.ts';

const run = promisify(execFile);
const { values } = parseArgs({
  options: { quick: { type: 'boolean', default: false }, only: { type: 'string' } },
});
const ISSUES = 1_000;
const PROBES = values.quick ? 400 : 2_000;
const RUNS = values.quick ? 3 : 7;

/** How much longer than in the file system that does nothing something may take. */
const MOST = 2;

/** A directory in which the same is done. */
interface Side {
  name: string;
  /** Issues as files. */
  issues: string;
  /** Where files can be written. */
  workspace: string;
  /** The processes that serve it. */
  servers: readonly number[];
}

/** Ms in a tick of the clock of /proc. */
const TICK_MS = 10;

/** What the processes that serve a directory took of the processor until now, ms; 0 where there is no /proc. */
function served({ servers }: Side): number {
  let ticks = 0;
  for (const server of servers) {
    const file = `/proc/${server}/stat`;
    if (!fs.existsSync(file)) continue;
    // What comes behind the name, which may have spaces: utime and stime are the 12th and the 13th of it.
    const fields = fs.readFileSync(file, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * TICK_MS;
}

/** The directory is entered by the new process: this one answers what the mount asks, and must not wait for itself. */
const sh = (script: string, cwd: string) =>
  run('/bin/sh', ['-c', 'cd -- "$1" && eval "$2"', 'sh', cwd, script]);

/** Whether a row is wanted. */
const wanted = (name: string): boolean =>
  values.only?.split(',').some((part) => name.includes(part)) ?? true;

const percentile = (times: number[], part: number): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length * part)] ?? Number.NaN;

async function probe(what: 'stat' | 'cat', { issues }: Side): Promise<number[]> {
  const files = Array.from({ length: 20 }, (_, index) => join(issues, `${index + 1}.md`));
  const program = fileURLToPath(new URL('door-probe.ts', import.meta.url));
  const { stdout } = await run(process.execPath, [program, what, String(PROBES), ...files]);
  return JSON.parse(stdout) as number[];
}

/** A row of p50 and p95, with a goal for the last side. */
async function latency(name: string, what: 'stat' | 'cat', sides: Side[]): Promise<void> {
  if (!wanted(name)) return;
  const cells: string[] = [];
  let p95 = 0;
  for (const side of sides) {
    const times = await probe(what, side);
    p95 = percentile(times, 0.95);
    cells.push(`${percentile(times, 0.5).toFixed(3)}/${p95.toFixed(3)}`.padStart(16));
  }
  const goal = what === 'stat' ? 1 : 2;
  const verdict = p95 < goal ? 'reached' : 'MISSED';
  console.log(`${name.padEnd(34)}${cells.join('')}   p95 below ${goal} ms: ${verdict}`);
}

/** @param prepare what is not timed, before each run */
async function duration(
  name: string,
  sides: Side[],
  work: (side: Side) => Promise<unknown>,
  prepare: (side: Side) => Promise<unknown> = async () => undefined,
): Promise<void> {
  if (!wanted(name)) return;
  const times = sides.map((): number[] => []);
  const costs = sides.map((): number[] => []);
  for (let round = 0; round <= RUNS; round++) {
    for (const [index, side] of sides.entries()) {
      await prepare(side);
      const before = served(side);
      const took = await time(() => work(side));
      // The first is not counted: compilers and caches.
      if (round === 0) continue;
      times[index]?.push(took);
      costs[index]?.push(served(side) - before);
    }
  }
  const medians = times.map(median);
  const [native = 0, nothing = 0, ours = 0] = medians;
  const processor = costs.map(median);
  const cells = medians.map((each, index) =>
    `${each.toFixed(0)} (${processor[index]}) ms`.padStart(16),
  );
  const ratio = ours / nothing;
  const processorRatio = (processor[2] ?? 0) / (processor[1] ?? 0);
  const verdict = ratio <= MOST ? 'reached' : 'MISSED';
  console.log(
    `${name.padEnd(34)}${cells.join('')}   ${ratio.toFixed(2)} × null (${processorRatio.toFixed(2)}), ${(ours / native).toFixed(1)} × native; at most ${MOST} × null: ${verdict}`,
  );
}

async function nullSide(directory: string, copy: string): Promise<Side & AsyncDisposable> {
  const at = join(directory, 'null');
  fs.mkdirSync(at);
  const program = fileURLToPath(new URL('null-file-system.ts', import.meta.url));
  const server = spawn(process.execPath, [program, at], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(server.stdout, 'data');
  await sh(`mkdir ${at}/workspace; cp -r ${copy} ${at}/issues`, '/');
  return {
    name: 'null',
    issues: `${at}/issues`,
    workspace: `${at}/workspace`,
    servers: [server.pid ?? 0],
    [Symbol.asyncDispose]: async () => {
      server.stdin.end();
      await once(server, 'exit');
    },
  };
}

async function compareAll(sides: Side[], spin: () => Promise<unknown>): Promise<void> {
  console.log(`${''.padEnd(34)}${sides.map(({ name }) => name.padStart(16)).join('')}`);
  console.log(`${''.padEnd(34)}(in brackets: of the processor, by the processes that serve it)`);
  await latency('stat of an issue, p50/p95 ms', 'stat', sides);
  await latency('cat of an issue, warm', 'cat', sides);
  const spinning = wanted('while') ? spin() : undefined;
  await latency('stat while a command spins', 'stat', sides);
  await latency('cat while a command spins', 'cat', sides);
  await spinning;
  const grep = 'for n in 1 2 3 4 5 6 7 8; do grep -r no-such-words . & done; wait';
  await duration('grep -r of 1,000 issues, 8 at once', sides, ({ issues }) => sh(grep, issues));
  const empty = ({ workspace }: Side) => sh('rm -rf big clone', workspace);
  await duration(
    'write of 100 MB',
    sides,
    ({ workspace }) => sh('dd if=/dev/zero of=big bs=1M count=100 2>&1', workspace),
    empty,
  );
  await duration(
    'read of 100 MB, not in the cache',
    sides,
    ({ workspace }) => sh('dd if=big of=/dev/null bs=1M 2>&1', workspace),
    ({ workspace }) => sh('sync big; dd if=big iflag=nocache count=0 2>&1', workspace),
  );
  await duration(
    'git clone of 500 files',
    sides,
    ({ workspace }) => sh(`git clone -q ${repository()} clone`, workspace),
    empty,
  );
}

const directory = fs.mkdtempSync(join(tmpdir(), 'dirigent-bench-doors-'));
const repository = (): string => join(directory, 'repository');

async function makeRepository(): Promise<void> {
  fs.mkdirSync(repository());
  await sh(
    `git init -q . && for i in $(seq 500); do mkdir -p d$((i % 20)); echo "line $i of a file" > d$((i % 20))/f$i; done
     git add . && git -c user.name=n -c user.email=a@b.c commit -qm all`,
    repository(),
  );
}

async function main(): Promise<void> {
  await using from = await issuesWorld(ISSUES, directory);
  const { world, at, copy } = from;
  const doorway = openDoorway({
    door: 'fuse',
    state: join(directory, 'state'),
    open: () => world,
    host: { base: directory, env: {} },
  });
  const mountpoint = join(directory, 'world');
  fs.mkdirSync(mountpoint);
  fs.mkdirSync(join(directory, 'workspace'));
  await makeRepository();
  await using nothing = await nullSide(directory, copy);
  const mount: OpenMount = await openMount(doorway, {
    directory: mountpoint,
    principal: { actor: 'user' },
    onTrouble: (message) => console.log(`trouble: ${message}`),
  });
  try {
    const native = {
      name: 'native',
      issues: copy,
      workspace: join(directory, 'workspace'),
      servers: [],
    };
    const ours = {
      name: 'dirigent',
      issues: mountpoint + at,
      workspace: `${mountpoint}/workspace`,
      // The world is in this process.
      servers: [mount.server, process.pid],
    };
    const spin = () =>
      world.exec("awk 'BEGIN { while (1) {} }'", { timeoutMs: values.quick ? 4_000 : 12_000 });
    await compareAll([native, nothing, ours], spin);
  } finally {
    await mount.close();
    await doorway.close();
  }
}

try {
  await main();
} finally {
  fs.rmSync(directory, { recursive: true, force: true });
}
