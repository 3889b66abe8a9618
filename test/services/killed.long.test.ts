/** Every write of every service in a process that is killed at each of its steps, while listings lag behind. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningService, SERVICES, startService } from './each-service.ts';
import { killAt, STATES } from './killing.ts';

const LAGS = [0, 3_000, 10_000];

describe.each(SERVICES)('%s', (name) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService(name);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it('makes each write once or not at all, and the next start knows which', async () => {
    let [tried, killed] = [0, 0];
    for (const write of service.writes) {
      const { requests } = await killAt(service, write, '');
      expect(requests, write.what).toBeGreaterThan(0);
      const numbers = Array.from({ length: requests }, (_, index) => index + 1);
      // Between one answer and the next request nothing goes out: `after N` stands for both.
      const steps = [...STATES, 'before 1', ...numbers.map((n) => `after ${n}`)];
      for (const step of steps) {
        const lag = LAGS[tried % LAGS.length] ?? 0;
        const ended = await killAt(service, write, step, lag).catch((cause) => {
          throw new Error(`${write.what}, killed at ${step}, lag ${lag} ms`, { cause });
        });
        if (ended.killed) killed += 1;
        tried += 1;
      }
    }
    expect(killed).toBeGreaterThanOrEqual(service.writes.length * (STATES.length + 2));
  });
});
