/** A terminal that is closed takes its session with it. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryDirectory } from '../world/harness.ts';
import { ROOT } from './run-cli.ts';

const hasScript = spawnSync('script', ['--version']).status === 0;

/** Waits for something that must come; far longer than it takes. */
async function until(done: () => boolean): Promise<boolean> {
  for (let left = 200; left > 0 && !done(); left--) await sleep(100);
  return done();
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // What has ended and was not waited for is still in the table.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test.skipIf(!hasScript).for([
  ['as a terminal does', ''],
  ['though it does not heed the hangup', "trap '' HUP;"],
])('the shell ends when its terminal is closed, %s', async ([, first = '']) => {
  const directory = temporaryDirectory();
  const pidFile = join(directory, 'pid');
  const command = `${first} echo $$ > '${pidFile}'; exec '${process.execPath}' '${join(ROOT, 'entry/main.ts')}' sh --mount /x=mem`;
  const terminal = spawn('script', ['-qec', command, '/dev/null'], {
    env: { ...process.env, XDG_STATE_HOME: directory, SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  onTestFinished(() => void terminal.kill('SIGKILL'));
  let screen = '';
  terminal.stdout.on('data', (chunk: Buffer) => {
    screen += chunk.toString();
  });
  expect(await until(() => existsSync(pidFile) && screen.includes('$ '))).toBe(true);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  onTestFinished(() => {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL');
  });
  expect(isRunning(pid)).toBe(true);
  terminal.kill('SIGKILL');
  expect(await until(() => !isRunning(pid))).toBe(true);
});
