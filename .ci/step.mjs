// Runs a step of .ci/run so that it ends: node .ci/step.mjs DIRECTORY NAME SECONDS COMMAND…
// What the step prints goes to DIRECTORY/NAME.log, a file, since a pipe stays open as long as
// any process that the step began; this follows the file. When the step has ended, or its
// seconds are over, every process that it began is ended, too. Exits with the step's status,
// with 124 when the time was over; runs on Node 20.
import { spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readSync, writeSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';

/** What is asked to end has so long to do so. */
const GRACE_MS = 3_000;
const FOLLOW_MS = 200;

const [directory = '.', name = '', seconds = '', command = '', ...args] = process.argv.slice(2);
const log = join(directory, `${name}.log`);
// Where .ci/reporter.mjs writes to; what has it in its environment belongs to this step.
const report = join(directory, `${name}.jsonl`);
const mark = `CI_REPORT=${report}`;

const output = openSync(log, 'w');
const step = spawn(command, args, {
  detached: true,
  stdio: ['ignore', output, output],
  env: { ...process.env, CI_REPORT: report },
});

const input = openSync(log, 'r');
const chunk = Buffer.alloc(1 << 16);
function follow() {
  for (let size = readSync(input, chunk); size > 0; size = readSync(input, chunk))
    writeSync(1, chunk.subarray(0, size));
}
setInterval(follow, FOLLOW_MS);

let ending;
setTimeout(() => {
  writeSync(output, `\n== ${name}: not ended after ${seconds} s; still running:\n${listed()}`);
  end(124);
}, Number(seconds) * 1000);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => end(128 + constants.signals[signal]));
step.on('error', (error) => {
  writeSync(output, `${error.message}\n`);
  leave(127);
});
step.on('exit', (code, signal) => leave(ending ?? code ?? 128 + constants.signals[signal]));

/** Asks all to end, and ends what did not. */
function end(status) {
  if (ending !== undefined) return;
  ending = status;
  kill('SIGTERM');
  setTimeout(() => leave(status), GRACE_MS);
}

function leave(status) {
  kill('SIGKILL');
  follow();
  closeSync(output);
  process.exit(status);
}

function kill(signal) {
  for (const pid of [-step.pid, ...processes().map((each) => each.pid)]) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (error.code !== 'ESRCH') throw error;
    }
  }
}

function listed() {
  return processes()
    .map(({ pid, words }) => `  ${pid} ${words.slice(0, 300)}\n`)
    .join('');
}

/** What the step began and is still there, also in groups of its own; where there is no /proc, none. */
function processes() {
  let pids;
  try {
    pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  } catch {
    return [];
  }
  const all = pids.flatMap((pid) => {
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      // The name of the program, in brackets, can hold anything.
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      const [state, parent, group] = fields;
      if (state === 'Z') return [];
      const marked = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark);
      const ours = marked || Number(group) === step.pid;
      return [{ pid: Number(pid), parent: Number(parent), words, ours }];
    } catch {
      // It ended meanwhile, or is another user's.
      return [];
    }
  });
  const found = new Set(all.filter((each) => each.ours).map((each) => each.pid));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const each of all) if (found.has(each.parent)) found.add(each.pid);
  }
  found.delete(process.pid);
  return all.filter((each) => found.has(each.pid));
}
