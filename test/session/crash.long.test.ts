import { expect, test } from 'vitest';
import { killRepeatedly } from './crash.ts';

test('killed 500 times under load: no acknowledged entry is lost, none doubled, the chain is whole', async () => {
  expect(await killRepeatedly(500, 4)).toBeGreaterThan(500);
});
