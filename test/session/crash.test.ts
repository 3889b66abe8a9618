import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killRepeatedly } from './crash.ts';

const SQLITE = join(import.meta.dirname, '../../examples/parts/sessions.ts');

test('killed 8 times under load: no acknowledged entry is lost, none doubled, the chain is whole', async () => {
  expect(await killRepeatedly(8, 2)).toBeGreaterThan(8);
});

test('killed 6 times over one file of SQLite: the same holds', async () => {
  expect(await killRepeatedly(6, 2, SQLITE)).toBeGreaterThan(6);
});
