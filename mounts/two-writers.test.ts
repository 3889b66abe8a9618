/** Two processes at once, on one record: no edit vanishes without an ESTALE. */
import { expect, it } from 'vitest';
import { SERVICES, startService } from './each-service.ts';
import { expectNothingLost } from './two-writers.ts';

it.each(SERVICES)('%s', async (name) => {
  await using service = await startService(name);
  await expectNothingLost(service, service.places.record, 2);
  expect((await service.asked()).some(({ write }) => write)).toBe(true);
});
