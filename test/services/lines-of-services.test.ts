/** How much a service has to say for itself, where the layer of resources says the rest. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const MOUNTS = join(import.meta.dirname, '..', '..', 'mounts');
/** What speaks to one database each, below the mount of them all. */
const DRIVERS = ['driver.ts', 'postgres.ts', 'sqlite.ts'];

test.each([
  ['slack', 200],
  ['sql', 200],
])('%s is said in at most %i formatted lines', (name, most) => {
  const files = readdirSync(join(MOUNTS, name)).filter(
    (file) => !/\.test\.ts$|^testing/.test(file) && !(name === 'sql' && DRIVERS.includes(file)),
  );
  const lines = files.flatMap((file) =>
    readFileSync(join(MOUNTS, name, file), 'utf8')
      .trimEnd()
      .split('\n'),
  );
  expect(lines.length).toBeGreaterThan(100);
  expect(lines.length).toBeLessThanOrEqual(most);
});
