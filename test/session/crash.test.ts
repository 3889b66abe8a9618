import { expect, test } from 'vitest';
import { killRepeatedly } from './crash.ts';

test('killed 15 times under load: no acknowledged entry is lost, none doubled, the chain is whole', async () => {
  expect(await killRepeatedly(15)).toBeGreaterThan(15);
}, 60_000);
