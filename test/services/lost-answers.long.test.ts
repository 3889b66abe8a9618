/**
 * Every write of every service, with the answer to each of its requests lost in every way, while
 * listings lag behind: made once at most, never lost in silence, and told truly.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type LineFault,
  type RunningService,
  SERVICES,
  startService,
  type Write,
} from './each-service.ts';
import { carryOut, readBefore } from './testing.ts';
import { expectTruth, stateOf } from './truth.ts';

const KINDS = ['lost-answer', 'cut', 'cut-body', 'server-error'] as const;
const LAGS = [0, 3_000, 10_000];

describe.each(SERVICES)('%s', (name) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService(name);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('makes each write once or not at all, and knows which', async () => {
    let disturbed = 0;
    for (const write of service.writes) {
      const steps = await requestsOf(service, write);
      expect(steps, write.what).toBeGreaterThan(0);
      for (let step = 0; step < steps; step++) {
        for (const [kind, lag] of KINDS.flatMap((one) => LAGS.map((ms) => [one, ms] as const))) {
          const what = `${write.what}, request ${step + 1} of ${steps}: ${kind}, lag ${lag} ms`;
          await disturb(service, write, { kind, skip: step, times: 1 }, lag).catch((cause) => {
            throw new Error(what, { cause });
          });
          disturbed += 1;
        }
      }
    }
    expect(disturbed).toBeGreaterThanOrEqual(service.writes.length * KINDS.length * LAGS.length);
  });
});

/** How many requests a write takes that nothing disturbs. */
async function requestsOf(service: RunningService, write: Write): Promise<number> {
  using bench = await service.bench();
  const mount = bench.mount();
  const content = write.content(await readBefore(mount, write.path));
  await service.asked();
  await carryOut(mount, write.path, content);
  const rows = await service.asked();
  expect(write.made(await service.held()), write.what).toBe(1);
  expect(stateOf(mount)).toBe('applied');
  return rows.length;
}

async function disturb(
  service: RunningService,
  write: Write,
  fault: LineFault,
  lag: number,
): Promise<void> {
  using bench = await service.bench();
  const mount = bench.mount();
  const content = write.content(await readBefore(mount, write.path));
  if (lag > 0) await service.fault({ kind: 'lag', ms: lag });
  await service.fault(fault);
  const failed = await carryOut(mount, write.path, content).then(
    () => null,
    (error: unknown) => error,
  );
  const made = write.made(await service.held());
  const state = stateOf(mount);
  if (failed === null) expect([made, state]).toEqual([1, 'applied']);
  else expect(state).not.toBe('applied');
  if (state === 'failed' || state === 'none') expect(made).toBe(0);
  await service.clearFaults();
  await expectTruth(service, mount, write);
}
