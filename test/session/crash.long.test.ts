import { join } from 'node:path';
import { expect, test } from 'vitest';
import { killRepeatedly } from './crash.ts';

const SQLITE = join(import.meta.dirname, '../../examples/parts/sessions.ts');

test('killed 500 times under load: no acknowledged entry is lost, none doubled, the chain is whole', async () => {
  expect(await killRepeatedly(500, 4)).toBeGreaterThan(500);
});

test('killed 60 times over one file of SQLite: the same holds', async () => {
  expect(await killRepeatedly(60, 4, SQLITE)).toBeGreaterThan(60);
});
