/** The trials of the kit for `tableRows`, on a store that is no database. */
import { expect, test } from 'vitest';
import {
  conformance,
  faults,
  hostileNames,
  lostAnswers,
  removals,
  requestCounts,
} from '../../../src/mount-testing/index.ts';
import { sheetsSubject } from './sheets-subject.ts';

test('the trials of the kit: what holds of each mount, faults, lost answers, removals, hostile names', async () => {
  const one = await sheetsSubject();
  expect(await conformance(one)).toBeGreaterThan(8);
  expect(await requestCounts(one, { list: 2, read: 0 })).toMatchObject({ listAgain: 0 });
  await faults(one);
  expect(await lostAnswers(one)).toBeGreaterThanOrEqual(12);
  expect(await removals(one)).toBe(5);
  const titles = [
    'a/b',
    '../../etc',
    '..',
    'tab\tand\nline',
    '\u202eright',
    'x'.repeat(300),
    'new',
    'a,b',
  ];
  await hostileNames(one, { titles });
});
