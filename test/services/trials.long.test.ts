/** The trials that a mount from outside passes, on the services of the house. */
import { expect, it } from 'vitest';
import { conformance, faults, removals, requestCounts } from '../../src/mount-testing/index.ts';
import { SERVICES, startService } from './each-service.ts';

it.each(SERVICES)(
  '%s: what holds for every mount, and what is fresh costs nothing',
  async (name) => {
    await using service = await startService(name);
    expect(await conformance(service)).toBeGreaterThan(5);
    expect(await requestCounts(service)).toMatchObject({ listAgain: 0, readAgain: 0 });
  },
);

it.each(SERVICES)('%s: a service that is down is said to be down', async (name) => {
  await using service = await startService(name);
  await faults(service, { kinds: ['cut', 'server-error'] });
});

it.each(SERVICES)(
  '%s: what others remove is gone, by its listing and by its name',
  async (name) => {
    await using service = await startService(name);
    expect(await removals(service)).toBe(5);
  },
);
