/** What runs beside credentials comes in by a commit, and not by an install. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8'));

test('every dependency has one exact version, which is the one that the lock file has', () => {
  const { dependencies, optionalDependencies = {} } = read('package.json') as Record<
    string,
    Record<string, string>
  >;
  const { packages } = read('package-lock.json') as {
    packages: Record<string, { version: string }>;
  };
  const named = Object.entries({ ...dependencies, ...optionalDependencies });
  expect(named.length).toBeGreaterThan(5);
  const locked = named.map(([name]) => [name, packages[`node_modules/${name}`]?.version]);
  expect(named).toEqual(locked);
});
