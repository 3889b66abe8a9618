/** The trials of the kit for `Graph` and `GraphqlClient`, on a service that is not Linear. */
import { expect, test } from 'vitest';
import {
  conformance,
  faults,
  hostileNames,
  lostAnswers,
  requestCounts,
} from '../../../src/mount-testing/index.ts';
import { depotSubject } from './depot-subject.ts';

test('the trials of the kit: what holds of each mount, faults, lost answers, hostile names', async () => {
  const one = await depotSubject();
  expect(await conformance(one)).toBeGreaterThanOrEqual(8);
  expect(await requestCounts(one, { list: 3, read: 0 })).toMatchObject({ listAgain: 0 });
  await faults(one);
  expect(await lostAnswers(one)).toBeGreaterThanOrEqual(12);
  await hostileNames(one);
});
