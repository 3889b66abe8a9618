/** Every write with the answer to each of its requests lost in every way. */
import { deepEqual, equal, notEqual, ok } from 'node:assert/strict';
import { carryOut, readBefore } from './bench.ts';
import type { LineFault, Subject, TestedWrite } from './subject.ts';
import { expectTruth, stateOf } from './truth.ts';

const KINDS = ['lost-answer', 'cut', 'cut-body', 'server-error'] as const;

/**
 * Disturbs every request of every write: it is made once or not at all, is never lost in silence,
 * and the journal knows which.
 * @param lags ms by which listings lag meanwhile, for a stand-in that can do that
 * @returns how many writes were disturbed
 * @throws AssertionError naming the write, the request and the fault
 */
export async function lostAnswers<Held>(
  subject: Subject<Held>,
  { lags = [0] }: { lags?: readonly number[] } = {},
): Promise<number> {
  let disturbed = 0;
  for (const write of subject.writes) {
    const steps = await requestsOf(subject, write);
    for (let step = 0; step < steps; step++) {
      for (const [kind, lag] of KINDS.flatMap((one) => lags.map((ms) => [one, ms] as const))) {
        const what = `${write.what}, request ${step + 1} of ${steps}: ${kind}, lag ${lag} ms`;
        await disturb(subject, write, { kind, skip: step, times: 1 }, lag).catch((cause) => {
          throw new Error(`${what}: ${String(cause)}`, { cause });
        });
        disturbed += 1;
      }
    }
  }
  return disturbed;
}

/** How many requests a write takes that nothing disturbs. */
async function requestsOf<Held>(subject: Subject<Held>, write: TestedWrite<Held>): Promise<number> {
  using bench = await subject.bench();
  const mount = bench.mount();
  const content = write.content(await readBefore(mount, write.path));
  await subject.asked();
  await carryOut(mount, write.path, content);
  const rows = await subject.asked();
  equal(write.made(await subject.held()), 1, `${write.what}: undisturbed it is made once`);
  equal(stateOf(mount), 'applied', write.what);
  ok(
    rows.some((one) => one.write),
    `${write.what}: it sends a request`,
  );
  return rows.length;
}

async function disturb<Held>(
  subject: Subject<Held>,
  write: TestedWrite<Held>,
  fault: LineFault,
  lag: number,
): Promise<void> {
  using bench = await subject.bench();
  const mount = bench.mount();
  const content = write.content(await readBefore(mount, write.path));
  if (lag > 0) await subject.fault({ kind: 'lag', ms: lag });
  await subject.fault(fault);
  const failed = await carryOut(mount, write.path, content).then(
    () => null,
    (error: unknown) => error,
  );
  const made = write.made(await subject.held());
  const state = stateOf(mount);
  ok(made <= 1, `it was made ${made} times`);
  if (failed === null)
    deepEqual([made, state], [1, 'applied'], 'a write that did not fail is made');
  else notEqual(state, 'applied', 'a write that failed is not applied');
  if (state === 'failed' || state === 'none') equal(made, 0, 'a write that failed made nothing');
  await subject.clearFaults();
  await expectTruth(subject, mount, write);
}
