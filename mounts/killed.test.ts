/** A process that is killed while it writes: what became of it is found out, and nothing is sent again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningService, SERVICES, startService } from './each-service.ts';
import { killAt } from './killing.ts';

describe.each(SERVICES)('%s', (name) => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startService(name);
  });
  afterAll(() => service[Symbol.asyncDispose]());

  it.each([
    { what: 'a new record', step: 'answered' },
    { what: 'an edit', step: 'unknown' },
  ])('$what, at "$step"', async ({ what, step }) => {
    const write = service.writes.find((one) => one.what === what);
    if (write === undefined) throw new Error(`${name} has no write called ${what}`);
    expect((await killAt(service, write, step)).killed).toBe(true);
  });
});
