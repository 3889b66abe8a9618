/**
 * Dirigent against plain just-bash on its own in-memory file system, and its
 * literal search against GNU grep, ripgrep and mirage, in one run. Prints
 * ratios; asserts nothing, since machines are noisy.
 *
 *   npm run bench                  everything
 *   npm run bench -- --quick       the small corpus, fewer runs
 *   npm run bench -- --grep        literal search alone
 *   npm run bench -- --shell [--only NAME]
 *     what agents do most, beside just-bash; commands over much, beside bash and its tools
 *   npm run bench -- --doors [--only NAME]
 *     a mounted world, beside a file system that does nothing
 *   npm run bench -- --mirage DIRECTORY
 *     beside mirage, installed there with `npm install @struktoai/mirage-node`
 *     (214 packages, 170 MB: too much to bring along)
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Bash, InMemoryFs } from 'just-bash';
import { createWorld, type World } from '../entry/index.ts';
import { benchBeside } from './beside.ts';
import { benchCliffs } from './cliffs.ts';
import { makeCorpus, RARE } from './corpus.ts';
import { benchGrep } from './grep.ts';
import { compare, row, time } from './measure.ts';
import { benchSemantic } from './semantic.ts';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    grep: { type: 'boolean', default: false },
    shell: { type: 'boolean', default: false },
    doors: { type: 'boolean', default: false },
    only: { type: 'string' },
    mirage: { type: 'string' },
  },
});

const COMMANDS: readonly [name: string, command: string][] = [
  ['cat of one file', 'cat d000/file-1.txt'],
  ['ls -R', 'ls -R'],
  ['find -name', "find . -name 'file-1*7.txt'"],
  ['grep -rn, literal, rare', `grep -rn ${RARE} .`],
  ['grep -rn, literal, common', 'grep -rn rollback .'],
  ['grep -rnE, selective regex', "grep -rnE 'zz.*needle|needle_in' ."],
  ['rg, literal, rare', `rg -n ${RARE}`],
  ['rg, selective regex', "rg -n 'zz.*needle|needle_in'"],
];

async function compareCommands(count: number, bytes: number, runs: number): Promise<void> {
  console.log(`\n${count.toLocaleString('en')} files of ${bytes / 1000} kB in memory`);
  console.log(
    `${''.padEnd(44)}${'just-bash'.padStart(11)}${'dirigent'.padStart(11)}   times as fast`,
  );
  const state = mkdtempSync(join(tmpdir(), 'dirigent-bench-'));
  const world = createWorld({ mounts: { '/data': 'mem' }, state });
  const files: Record<string, string> = {};
  const made = new Set<string>();
  for (const { path, text } of makeCorpus(count, bytes)) {
    files[`/data/${path}`] = text;
    const directory = `/data/${path.slice(0, path.indexOf('/'))}`;
    if (!made.has(directory)) await world.fs.mkdir(directory);
    made.add(directory);
    await world.fs.writeFile(`/data/${path}`, text);
  }
  const plain = new Bash({ fs: new InMemoryFs(files), cwd: '/data' });
  try {
    for (const [name, command] of COMMANDS) {
      const slow = name.startsWith('rg') || (count > 5000 && name.includes('regex'));
      const result = await compare(
        name,
        () => plain.exec(command, { cwd: '/data' }),
        () => world.exec(command, { cwd: '/data' }),
        runs,
        slow,
      );
      console.log(row(result));
    }
    if (count < 5000) await compareSmall(plain, world, runs);
  } finally {
    await world.close();
    rmSync(state, { recursive: true });
  }
}

async function compareSmall(plain: Bash, world: World, runs: number): Promise<void> {
  const appends = 'for ((i = 0; i < 1000; i++)); do echo "line $i" >> log.txt; done';
  console.log(
    row(
      await compare(
        '1,000 appends',
        () => plain.exec(`rm -f log.txt; ${appends}`, { cwd: '/data' }),
        () => world.exec(`rm -f log.txt; ${appends}`, { cwd: '/data' }),
        runs,
      ),
    ),
  );
  const echo = await compare(
    'warm echo',
    () => plain.exec('echo hi'),
    () => world.exec('echo hi'),
    runs * 40,
  );
  console.log(row(echo));
  console.log(`  a warm echo is ${(echo.ours - echo.baseline).toFixed(2)} ms slower`);
}

/** A command in which nothing looks at the clock: how long after its deadline is it over? */
async function measureStop(runs: number): Promise<void> {
  const state = mkdtempSync(join(tmpdir(), 'dirigent-bench-'));
  const world = createWorld({ state });
  const deadline = 500;
  const late: number[] = [];
  try {
    await world.exec('true');
    for (let run = 0; run < runs; run++) {
      const spin = () => world.exec("awk 'BEGIN { while (1) {} }'", { timeoutMs: deadline });
      late.push((await time(spin)) - deadline);
    }
  } finally {
    await world.close();
    rmSync(state, { recursive: true });
  }
  const [least, most] = [Math.min(...late), Math.max(...late)];
  console.log(
    `\nA command that spins is over ${least.toFixed(0)} to ${most.toFixed(0)} ms after its deadline`,
  );
}

/** Whole processes: one that only imports just-bash, and `dirigent sh -c true`, installed and from a checkout. */
async function compareStartUp(runs: number): Promise<void> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const state = mkdtempSync(join(tmpdir(), 'dirigent-bench-'));
  const run = (args: string[]) => async (): Promise<void> => {
    const done = spawnSync(process.execPath, args, {
      cwd: root,
      env: { ...process.env, XDG_STATE_HOME: state },
    });
    if (done.status !== 0) throw new Error(`${args.join(' ')} failed: ${done.stderr}`);
  };
  const importOnly = run(['--input-type=module', '-e', "await import('just-bash')"]);
  console.log('\nStart-up, whole processes');
  for (const [what, main] of [
    ['as the package has it', 'dist/entry/main.js'],
    ['from a checkout, types stripped', 'entry/main.ts'],
  ] as const) {
    const result = await compare(what, importOnly, run([main, 'sh', '-c', 'true']), runs);
    const [imported, ours] = [result.baseline.toFixed(0), result.ours.toFixed(0)];
    console.log(
      `  import of just-bash ${imported} ms, sh -c true ${ours} ms: ${(result.ours / result.baseline).toFixed(2)} times, ${what}`,
    );
  }
  rmSync(state, { recursive: true });
}

/** A bench that is a process of its own, so that its heap is its own, too. */
function runBench(name: string, only?: string): void {
  const file = fileURLToPath(new URL(name, import.meta.url));
  const args = values.quick ? [file, '--quick'] : [file];
  if (only !== undefined) args.push('--only', only);
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${name} failed`);
}

if (values.shell) {
  await benchBeside(values.only);
  await benchCliffs(values.only);
} else if (values.doors) runBench('doors.ts', values.only);
else await benchGrep({ quick: values.quick, mirage: values.mirage });
if (!values.grep && !values.shell && !values.doors) {
  await compareCommands(2000, 5000, values.quick ? 3 : 7);
  if (!values.quick) await compareCommands(20_000, 2000, 5);
  await measureStop(5);
  benchSemantic(values.quick);
  await compareStartUp(values.quick ? 5 : 15);
  runBench('turn.ts');
}
