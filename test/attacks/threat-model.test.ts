/** Each promise of THREAT_MODEL.md names tests, and they are there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLASSES } from './attempt.ts';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'THREAT_MODEL.md'), 'utf8');

const promised = page.slice(page.indexOf('## What is promised'), page.indexOf('## What is not'));
const rows = promised.split('\n').filter((line) => line.startsWith('| **'));

test('every promise is held by tests that exist', () => {
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows) {
    const [, promise = '', tests = ''] =
      row.split(' | ').length > 1 ? [row, ...row.split(' | ')] : [];
    const named = [...tests.matchAll(/(?:test|src)\/[\w./-]+/g)].map(([path]) => path);
    expect(named.length, promise).toBeGreaterThan(0);
    expect(
      named.filter((path) => !existsSync(join(root, path))),
      promise,
    ).toEqual([]);
  }
});

test('every class of the attack suite stands behind a promise', () => {
  expect(CLASSES.filter((each) => !promised.includes(`*${each}*`))).toEqual([]);
});
