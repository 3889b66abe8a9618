/**
 * What an attacker tries gets through no front end, and the benign twin of each
 * attempt does. Here a sample, other rows for each front end;
 * `attacks.long.test.ts` has all.
 */
import { expect, test } from 'vitest';
import { CLASSES } from './attempt.ts';
import { COLUMNS } from './columns.ts';
import { Siege } from './siege.ts';
import { TABLE } from './table.ts';

test('the table has rows of every class, and each has a name of its own', () => {
  expect(TABLE.length).toBeGreaterThanOrEqual(150);
  expect(new Set(TABLE.map(({ attempt }) => attempt.name)).size).toBe(TABLE.length);
  const kinds = new Set(TABLE.map(({ attempt }) => attempt.class));
  expect(CLASSES.filter((each) => !kinds.has(each))).toEqual([]);
});

test.each(COLUMNS.map((column, place) => ({ column, place })))(
  'C one gate, $column.name: no attempt of the sample gets through, and every twin does',
  async ({ column, place }) => {
    const rows = TABLE.filter(({ attempt }) => attempt.slow !== true).filter(
      ({ index }) => index % column.sample === place % column.sample,
    );
    expect(await new Siege(column).run(rows)).toBeGreaterThan(5);
  },
  60_000,
);
