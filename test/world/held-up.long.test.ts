/**
 * The supervisor is not held up by content: while commands meet long files, long
 * output and text that was written to take long, timers of its thread go on.
 */
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryDirectory, testWorld } from './harness.ts';

const MB = 1024 * 1024;

/** What a work did to the timers of this thread, at its worst. ms. */
interface Delay {
  /** So late was a timer: on a busy machine of itself, too. */
  late: number;
  /** So much of a processor was used between two timers: that is our own. */
  busy: number;
}

async function longestDelay(work: () => Promise<unknown>): Promise<Delay> {
  const delay = monitorEventLoopDelay({ resolution: 5 });
  let before = process.threadCpuUsage();
  let busy = 0;
  const look = setInterval(() => {
    const now = process.threadCpuUsage();
    busy = Math.max(busy, now.user + now.system - before.user - before.system);
    before = now;
  }, 2);
  delay.enable();
  await work();
  await sleep(20);
  delay.disable();
  clearInterval(look);
  return { late: Math.round(delay.max / 1e6), busy: Math.round(busy / 1e3) };
}

test('long files, long output, long lines and hostile text hold nobody up', async () => {
  const directory = temporaryDirectory();
  const root = join(directory, 'workspace');
  mkdirSync(root);
  for (let index = 0; index < 8; index++) {
    const file = join(root, `long${index}`);
    writeFileSync(file, `${index}`);
    truncateSync(file, 40 * MB + index);
  }
  mkdirSync(join(root, 'many'));
  for (let index = 0; index < 3_000; index++)
    writeFileSync(join(root, 'many', `f${index}`), `${index}`);
  const world = testWorld(
    { mounts: { '/workspace': './workspace:rw' }, state: join(directory, '.dirigent') },
    { deployment: directory },
  );
  await world.fs.readdir('/workspace');
  const run = (command: string) => async (): Promise<void> => {
    const { stderr } = await world.exec(command);
    expect(stderr).toBe('');
  };
  const delays: Record<string, Delay> = {};
  const attacks: Record<string, () => Promise<unknown>> = {
    'a first snapshot of 320 MB': run('true'),
    'a change of 40 MB': run('cp /workspace/long1 /workspace/again'),
    'output of 20 MB': run('head -c 20000000 /dev/zero | tr "\\0" x'),
    'output of 20 MB that is not ASCII': run('yes "ä€ 漢字" | head -c 20000000'),
    'output of 20 MB that is no text': run('yes "ä€ 漢字" | head -c 20000000; printf "\\377"'),
    'a command of 900 KB': run(`echo ${'x'.repeat(900_000)} > /dev/null`),
    'a line of 5 MB in a file, and its listing': run(
      'head -c 5000000 /dev/zero | tr "\\0" "\\033" > /workspace/line; cat /workspace/line; ls -lR /workspace',
    ),
    'a change of 3,000 files': run('for f in /workspace/many/*; do echo new > "$f"; done'),
    'a tree of a session with all of it': run(
      'cat /session/tree.txt > /dev/null; tail -c 100000 /session/log.jsonl',
    ),
  };
  for (const [what, attack] of Object.entries(attacks)) delays[what] = await longestDelay(attack);
  console.info(JSON.stringify(delays));
  // Far off what is wanted, which is 50: processors differ, and share their caches.
  for (const [what, { busy }] of Object.entries(delays)) expect(busy, what).toBeLessThan(250);
}, 300_000);
