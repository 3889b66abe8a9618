// Would the tests notice? `npm run mutants` changes one random place of the code
// at a time, in copies of the checkout, and runs the test files nearest to it: a
// mutant that none of them fails on shows what no test holds.
//
//   --seed N     the same seed picks the same mutants of the same code (default: the day)
//   --count N    how many (default: 60)
//   --room PATH  only below this path: src/policy
//   --only 3,17  only these of the seed's mutants: after a test was written for them
//   --lanes N    as many at a time, each in a copy of its own (default: 1)
//   --limit S    seconds that one run of test files may take (default: 90)
//   --list       show them, run nothing
import { spawn, spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { refusedOf } from './mutants/compiler.mjs';
import { mutationsOf } from './mutants/mutations.mjs';
import { Imports } from './mutants/nearest.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** Test files that one mutant meets: the nearest first, since they kill most; but each run has its start to pay. */
const WAVES = [2, 14];
/** Long test files that it meets after them. */
const LONG = 2;

const options = readOptions();
const [seed, count, lanes, limit] = ['seed', 'count', 'lanes', 'limit'].map(wholeNumber);

const files = spawnSync('git', ['ls-files', '-co', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 1 << 26,
})
  .stdout.trim()
  .split('\n');
const imports = new Imports(root, files);
const mutants = pick();
if (options.list) for (const mutant of mutants) console.log(row(mutant, ''));
else await runAll();

function readOptions() {
  try {
    return parseArgs({
      options: {
        seed: {
          type: 'string',
          default: new Date().toISOString().slice(0, 10).replaceAll('-', ''),
        },
        count: { type: 'string', default: '60' },
        room: { type: 'string', default: '' },
        only: { type: 'string' },
        lanes: { type: 'string', default: '1' },
        limit: { type: 'string', default: '90' },
        list: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    console.error(`mutants: ${error.message}`);
    process.exit(2);
  }
}

function wholeNumber(name) {
  const value = Number(options[name]);
  if (!Number.isSafeInteger(value) || value < 1) {
    console.error(`mutants: --${name} takes a whole number above 0, not '${options[name]}'`);
    process.exit(2);
  }
  return value;
}

/** The seed's mutants, each of another place; a room is met by the root of its size, so that small ones are met, too. */
function pick() {
  const random = randomOf(seed);
  const one = (list) => list[Math.floor(random() * list.length)];
  const rooms = new Map();
  for (const file of files) {
    if (!isMutated(file) || !`${file}/`.startsWith(options.room)) continue;
    const room = file.split('/').slice(0, -1).slice(0, 2).join('/');
    const original = readFileSync(join(root, file), 'utf8');
    const found = mutationsOf(file, original);
    rooms.set(room, [
      ...(rooms.get(room) ?? []),
      ...found.map((each) => ({ room, file, original, ...each })),
    ]);
  }
  const weights = [...rooms]
    .filter(([, found]) => found.length > 0)
    .map(([room, found]) => ({ room, weight: Math.sqrt(found.length) }));
  if (weights.length === 0) {
    console.error(`mutants: there is no code below '${options.room}'`);
    process.exit(2);
  }
  const picked = new Map();
  for (let tries = 0; picked.size < count && tries < count * 50; tries++) {
    const room = weighted(weights, random());
    const found = rooms.get(room);
    // A kind before a place: else most would be comparisons.
    const kind = one([...new Set(found.map((each) => each.kind))]);
    const mutant = one(found.filter((each) => each.kind === kind));
    picked.set(`${mutant.file}:${mutant.start}:${kind}`, mutant);
  }
  const only = options.only?.split(',').map(Number);
  return [...picked.values()]
    .map((mutant, index) => ({ number: index + 1, ...mutant }))
    .filter(({ number }) => only?.includes(number) ?? true);
}

/** @param {number} part from 0 to below 1: the place on the line of all weights */
function weighted(weights, part) {
  let left = part * weights.reduce((sum, { weight }) => sum + weight, 0);
  for (const { room, weight } of weights) {
    left -= weight;
    if (left < 0) return room;
  }
  return weights.at(-1).room;
}

function isMutated(file) {
  return file.endsWith('.ts') && imports.isReached(file);
}

/** mulberry32: numbers from 0 to below 1, the same for the same seed. */
function randomOf(start) {
  let state = start >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

async function runAll() {
  const directory = mkdtempSync(join(tmpdir(), 'mutants-'));
  const running = new Set();
  const clean = () => {
    for (const child of running) endGroup(child);
    rmSync(directory, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM'])
    process.once(signal, () => {
      clean();
      process.exit(130);
    });
  const waiting = [];
  const greenFiles = new Map();
  const survivors = [];
  let undecided = 0;
  const copies = Array.from({ length: lanes }, (_, index) => {
    const copy = copyOfCheckout(join(directory, `${index}`));
    return { copy, running, greenFiles };
  });
  const work = async (lane) => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const { killer, isUndecided } = await killerOf(mutant, lane);
      if (isUndecided) undecided += 1;
      else if (killer === undefined) survivors.push(mutant);
      const verdict = isUndecided ? 'undecided: late without it, too' : 'survived';
      console.log(row(mutant, killer === undefined ? verdict : `killed by ${killer}`));
    }
  };
  try {
    const refused = refusedOf(copies[0].copy, mutants, mutated);
    for (const mutant of refused) console.log(row(mutant, 'refused by the compiler'));
    waiting.push(...mutants.filter((mutant) => !refused.includes(mutant)));
    const judged = waiting.length;
    await noteGreen(waiting, copies[0]);
    await Promise.all(copies.map(work));
    const killed = judged - undecided - survivors.length;
    const share = judged === 0 ? '' : ` (${Math.round((100 * killed) / judged)} %)`;
    console.log(
      `\n${killed} of ${judged} killed${share}, seed ${seed}; the compiler refuses ${refused.length} more, ${undecided} are undecided`,
    );
  } finally {
    clean();
  }
}

/** Which of the test files that stand nearest are green without any mutant, in one run: to ask for each alone takes far longer. */
async function noteGreen(mutants, lane) {
  const nearest = new Set(mutants.flatMap(({ file }) => imports.testsNear(file).slice(0, 1)));
  const seconds = limit * Math.max(1, nearest.size / 4);
  await run(vitest([...nearest], lane), lane, seconds);
  for (const { name, status } of resultsOf(lane))
    if (status === 'passed') lane.greenFiles.set(keyOf([pathIn(lane, name)]), true);
}

/** The runs of test files that a mutant of a file meets; the long ones last, and only those that are of the file itself. */
function wavesOf(file) {
  const near = imports.testsNear(file);
  const waves = [];
  for (let from = 0, wave = 0; wave < WAVES.length; from += WAVES[wave++])
    waves.push({ tests: near.slice(from, from + WAVES[wave]) });
  waves.push({ tests: imports.longTestsOf(file).slice(0, LONG), isLong: true });
  return waves.filter(({ tests }) => tests.length > 0);
}

/**
 * The files that git knows or would take, and the packages by links: the checkout itself is never
 * written. What tests and compilers keep beside the packages is the copy's own, and goes with it.
 */
function copyOfCheckout(copy) {
  mkdirSync(join(copy, 'tmp'), { recursive: true });
  for (const file of files) {
    mkdirSync(dirname(join(copy, file)), { recursive: true });
    cpSync(join(root, file), join(copy, file));
  }
  mkdirSync(join(copy, 'node_modules'));
  for (const entry of readdirSync(join(root, 'node_modules'), { withFileTypes: true }))
    if (!isCache(entry))
      symlinkSync(join(root, 'node_modules', entry.name), join(copy, 'node_modules', entry.name));
  return copy;
}

function isCache(entry) {
  return entry.name.startsWith('.') && entry.isDirectory() && entry.name !== '.bin';
}

/**
 * What fails on a mutant and is green without it; undefined if nothing near does. Undecided is what
 * no test failed on, but one came to no end with it, and to none in time without it.
 */
async function killerOf(mutant, lane) {
  let isUndecided = false;
  for (const wave of wavesOf(mutant.file)) {
    // What fails once may have been a busy machine: then the wave is run again.
    for (let tries = 0; tries < 2; tries++) {
      const failed = await failureOf(mutant, wave, lane);
      if (failed === undefined) break;
      const alone = { ...wave, ...failed };
      if (!(await isGreen(alone, lane))) {
        if (failed.isLate) isUndecided = true;
        break;
      }
      if (failed.isLate || (await failureOf(mutant, alone, lane)) !== undefined)
        return { killer: failed.by, isUndecided: false };
    }
  }
  return { killer: undefined, isUndecided };
}

/** What of some tests fails on a mutant. */
async function failureOf(mutant, wave, lane) {
  const path = join(lane.copy, mutant.file);
  writeFileSync(path, mutated(mutant));
  try {
    return await runTests(wave, lane);
  } finally {
    writeFileSync(path, mutant.original);
  }
}

function mutated({ original, start, end, text }) {
  return original.slice(0, start) + text + original.slice(end);
}

/** What does not end is told from what a busy machine made late: without the mutant half the time must do. */
async function isGreen({ tests, isLong, isLate = false }, lane) {
  const key = keyOf(tests, isLate);
  if (!lane.greenFiles.has(key)) {
    const failed = await runTests({ tests, isLong }, lane, isLate ? limit / 2 : limit);
    lane.greenFiles.set(key, failed === undefined);
  }
  return lane.greenFiles.get(key);
}

function keyOf(tests, isLate = false) {
  return [isLate, ...tests].join(' ');
}

/** @returns what failed: the test file, or all of them if they did not end; undefined if all are green */
async function runTests(wave, lane, seconds = limit) {
  const failed = await runOnce(wave, lane, seconds);
  return failed?.isBroken ? await runOnce(wave, lane, seconds) : failed;
}

async function runOnce({ tests, isLong = false }, lane, seconds) {
  const config = isLong ? ['--config=vitest.long.config.ts'] : [];
  const status = await run([...vitest(tests, lane), ...config, '--bail=1'], lane, seconds);
  if (status === 0) return undefined;
  if (status === null) return { tests, isLate: true, by: `no end after ${seconds} s` };
  const results = resultsOf(lane);
  // What came after the first failure was passed over, and is no pass either.
  const failed = (each) => each.assertionResults.some(({ status }) => status === 'failed');
  const found = results.find(failed) ?? results.find((each) => each.status === 'failed');
  if (found === undefined) return { tests, isBroken: true, by: 'a run that broke down' };
  const file = pathIn(lane, found.name);
  return { tests: [file], by: file };
}

/** What runs test files, with a report that {@link resultsOf} reads. */
function vitest(tests, lane) {
  rmSync(reportOf(lane), { force: true });
  const report = ['--reporter=json', `--outputFile=${reportOf(lane)}`];
  return ['node_modules/vitest/vitest.mjs', 'run', ...tests, '--maxWorkers=1', ...report];
}

function resultsOf(lane) {
  try {
    return JSON.parse(readFileSync(reportOf(lane), 'utf8')).testResults;
  } catch (error) {
    // A run that broke down as a whole writes no report.
    if (error.code !== 'ENOENT') throw error;
    return [];
  }
}

function reportOf({ copy }) {
  return join(copy, 'mutants-report.json');
}

function pathIn({ copy }, file) {
  return file.slice(copy.length + 1);
}

/** Runs a program of Node's in the copy. @returns its status; null: it was ended at the limit */
function run(args, { copy, running }, seconds = limit) {
  return new Promise((resolve, reject) => {
    // A group of its own: what the tests began ends with them.
    const child = spawn(process.execPath, args, {
      cwd: copy,
      env: { ...process.env, TMPDIR: join(copy, 'tmp') },
      stdio: 'ignore',
      detached: true,
    });
    running.add(child);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      endGroup(child);
    }, seconds * 1000);
    child.once('error', reject);
    child.once('exit', (status) => {
      clearTimeout(timer);
      running.delete(child);
      endGroup(child);
      resolve(late ? null : (status ?? 1));
    });
  });
}

function endGroup(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function row({ number, room, file, line, kind, before, after }, verdict) {
  return `${`${number}`.padStart(3)}  ${room}  ${file}:${line}  ${kind}: ${before} → ${after}  ${verdict}`.trimEnd();
}
