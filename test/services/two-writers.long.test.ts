/** Two processes at once, on one record and one file, many times: no edit vanishes without an ESTALE. */
import { expect, it } from 'vitest';
import { twoWriters } from '../../src/mount-testing/index.ts';
import { SERVICES, startService, textsOf } from './each-service.ts';

it.each(SERVICES)('%s', async (name) => {
  await using service = await startService(name);
  const file = service.writes.find(({ what }) => what === 'a file of the repository');
  const paths = [service.places.record, ...(file === undefined ? [] : [file.path])];
  for (const path of paths) {
    await twoWriters(service, textsOf, { path, rounds: 12 });
    expect(
      (await service.asked()).some(({ write }) => write),
      path,
    ).toBe(true);
  }
});
