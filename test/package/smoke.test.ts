/**
 * The package as it is published, beside the dependencies that it names and no
 * others: the tarball holds what it needs, and each part of it runs. The long
 * tests install it with each package manager.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { out, pack, ROOT, SMOKE, writeProgram } from './pack.ts';

const directory = mkdtempSync(join(tmpdir(), 'dirigent-package-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

test('what is packed runs beside its own dependencies', () => {
  const installed = join(directory, 'node_modules', 'dirigent');
  mkdirSync(installed, { recursive: true });
  out('tar', ['xzf', pack(directory), '--strip-components=1', '-C', installed], directory);
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const link = join(directory, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
  writeProgram(directory);
  const told = JSON.parse(out(process.execPath, ['smoke.mjs'], directory)) as object;
  expect(told).toMatchObject(SMOKE);
});
