/**
 * Every write of every service, with the answer to each of its requests lost in every way, while
 * listings lag behind: made once at most, never lost in silence, and told truly.
 */
import { expect, it } from 'vitest';
import { lostAnswers } from '../../src/mount-testing/index.ts';
import { SERVICES, startService } from './each-service.ts';

const LAGS = [0, 3_000, 10_000];
/** A request is cut, its answer lost or cut, or it fails. */
const WAYS = 4;

it.each(SERVICES)('%s makes each write once or not at all, and knows which', async (name) => {
  await using service = await startService(name);
  const least = service.writes.length * WAYS * LAGS.length;
  expect(await lostAnswers(service, { lags: LAGS })).toBeGreaterThanOrEqual(least);
});
