/** Killing a process while it writes, at any step, and looking at what is left. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { readBefore } from './bench.ts';
import { runWriter } from './processes.ts';
import type { Subject, TestedWrite } from './subject.ts';
import { expectTruth, stateOf } from './truth.ts';

/** The states of a change at which a process can be killed. */
const STATES = ['draft', 'unknown', 'applied'] as const;

/**
 * Kills a process at each step of every write: it is made once or not at all, and the next start knows which.
 * @param lags ms by which listings lag meanwhile, in turn, for a stand-in that can do that
 * @returns how many processes were killed
 * @throws AssertionError naming the write and the step
 */
export async function kills<Held>(
  subject: Subject<Held>,
  { lags = [0] }: { lags?: readonly number[] } = {},
): Promise<number> {
  let [tried, killed] = [0, 0];
  for (const write of subject.writes) {
    const { requests } = await killAt(subject, write, '');
    ok(requests > 0, `${write.what}: it sends a request`);
    const numbers = Array.from({ length: requests }, (_, index) => index + 1);
    // Between one answer and the next request nothing goes out: `after N` stands for both.
    const steps = [...STATES, 'before 1', ...numbers.map((n) => `after ${n}`)];
    for (const step of steps) {
      const lag = lags[tried % lags.length] ?? 0;
      const ended = await killAt(subject, write, step, lag).catch((cause) => {
        const what = `${write.what}, killed at ${step}, lag ${lag} ms`;
        throw new Error(`${what}: ${String(cause)}`, { cause });
      });
      if (ended.killed) killed += 1;
      tried += 1;
    }
  }
  ok(killed >= subject.writes.length * (STATES.length + 2), `only ${killed} processes were killed`);
  return killed;
}

/**
 * Lets a process of its own write, kills it at a step, and does what the next start does. What the
 * service holds then, the journal knows; what was not made can be written again, and is made once.
 *
 * @param step where it is killed, see child-writer.ts; '' for no kill
 * @returns was it killed? Under a lag there may be fewer requests, and it ends before it gets there.
 */
export async function killAt<Held>(
  subject: Subject<Held>,
  write: TestedWrite<Held>,
  step: string,
  lag = 0,
): Promise<{ killed: boolean; requests: number }> {
  using bench = await subject.bench();
  const reader = bench.mount();
  const content = write.content(await readBefore(reader, write.path));
  if (lag > 0) await subject.fault({ kind: 'lag', ms: lag });
  const what = ['write', write.path, content ?? 'null', step];
  const { code, signal, said } = await runWriter(subject.opener, bench.directory, ...what);
  const killed = signal === 'SIGKILL';
  if (!killed) {
    equal(code, 0);
    equal(write.made(await subject.held()), 1);
  }
  const mount = bench.mount();
  await mount.journal.recover();
  deepEqual(mount.journal.list({ state: 'draft' }), []);
  const made = write.made(await subject.held());
  if (stateOf(mount) === 'applied') equal(made, 1);
  await subject.clearFaults();
  await expectTruth(subject, mount, write);
  return { killed, requests: killed ? 0 : Number(said) };
}
