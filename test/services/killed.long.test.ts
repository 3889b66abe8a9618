/** Every write of every service in a process that is killed at each of its steps, while listings lag behind. */
import { expect, it } from 'vitest';
import { kills } from '../../src/mount-testing/index.ts';
import { SERVICES, startService } from './each-service.ts';

const LAGS = [0, 3_000, 10_000];

it.each(SERVICES)(
  '%s makes each write once or not at all, and the next start knows which',
  async (name) => {
    await using service = await startService(name);
    expect(await kills(service, { lags: LAGS })).toBeGreaterThanOrEqual(service.writes.length * 5);
  },
);
