import { expect, test } from 'vitest';
import { killRepeatedly } from './crash.ts';

test('killed 8 times under load: no acknowledged entry is lost, none doubled, the chain is whole', async () => {
  expect(await killRepeatedly(8, 2)).toBeGreaterThan(8);
});
