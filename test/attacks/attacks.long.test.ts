/** Every attempt of the table through every front end; `ROWS=PATTERN` takes those whose names match. */
import { expect, test } from 'vitest';
import { COLUMNS } from './columns.ts';
import { Siege } from './siege.ts';
import { TABLE } from './table.ts';

const named = new RegExp(process.env['ROWS'] ?? '');

test.each(COLUMNS)(
  '$name: no attempt gets through, and every twin does',
  async (column) => {
    const rows = TABLE.filter(({ attempt }) => named.test(`${attempt.class}: ${attempt.name}`));
    expect(await new Siege(column).run(rows)).toBeGreaterThan(0);
  },
  1_800_000,
);
