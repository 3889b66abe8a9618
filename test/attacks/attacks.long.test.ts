/** Every attempt of the table through every front end; `ROWS=PATTERN` takes those whose names match. */
import { expect, test } from 'vitest';
import { COLUMNS, type Column } from './columns.ts';
import { type Row, Siege } from './siege.ts';
import { TABLE } from './table.ts';

/** All rows; or of each class one in so many, but those that take seconds. */
function inShare({ share = 1 }: Column, rows: readonly Row[]): readonly Row[] {
  if (share === 1) return rows;
  const quick = rows.filter(({ attempt }) => attempt.slow !== true);
  const classes = Map.groupBy(quick, ({ attempt }) => attempt.class);
  return [...classes.values()].flatMap((each) => each.filter((_, at) => at % share === 0));
}

const named = new RegExp(process.env['ROWS'] ?? '');

test.each(COLUMNS)(
  '$name: no attempt gets through, and every twin does',
  async (column) => {
    const rows = inShare(column, TABLE).filter(({ attempt }) =>
      named.test(`${attempt.class}: ${attempt.name}`),
    );
    expect(await new Siege(column).run(rows)).toBeGreaterThan(0);
  },
  1_800_000,
);
