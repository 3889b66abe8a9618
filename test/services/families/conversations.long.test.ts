/** The trials of the kit for `people` and `conversations`, on a chat that is not Slack. */
import { expect, test } from 'vitest';
import {
  conformance,
  faults,
  hostileNames,
  killAt,
  lostAnswers,
  removals,
  requestCounts,
} from '../../../src/mount-testing/index.ts';
import { chatSubject, WRITES } from './chat-subject.ts';

test('the trials of the kit: what holds of each mount, faults, removals, hostile names', async () => {
  const one = await chatSubject();
  expect(await conformance(one)).toBeGreaterThan(10);
  expect(await requestCounts(one)).toMatchObject({ listAgain: 0, readAgain: 0 });
  await faults(one);
  expect(await removals(one)).toBe(5);
  await hostileNames(one);
});

test('lost answers and a kill: each message is posted once', async () => {
  const one = await chatSubject();
  expect(await lostAnswers(one)).toBeGreaterThanOrEqual(16);
  for (const write of WRITES.slice(0, 2))
    expect((await killAt(one, write, 'answered')).killed).toBe(true);
});
