/** What EXPLAIN and EXPLAIN QUERY PLAN give, as sqlite3 draws it. */

/** The widths of an explained program's columns. Characters. */
const WIDTHS = [4, 13, 4, 4, 4, 13, 2, 13];

/** The program of a statement. */
export function explained(names: readonly string[], rows: readonly string[][]): string {
  const line = (cells: readonly string[], widths: readonly number[]): string =>
    `${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}\n`;
  const rule = WIDTHS.map((width) => '-'.repeat(width));
  // A comment is as long as it is.
  const widths = WIDTHS.slice(0, -1);
  return line(names, WIDTHS) + line(rule, []) + rows.map((row) => line(row, widths)).join('');
}

/** The plan of a query as a tree. Rows are id, parent, unused, text. */
export function planned(rows: readonly string[][]): string {
  const below = (parent: string, prefix: string): string => {
    const children = rows.filter((row) => row[1] === parent);
    return children
      .map(([id = '', , , text], at) => {
        const isLast = at === children.length - 1;
        const deeper = below(id, prefix + (isLast ? '   ' : '|  '));
        return `${prefix}${isLast ? '`--' : '|--'}${text}\n${deeper}`;
      })
      .join('');
  };
  return rows.length === 0 ? '' : `QUERY PLAN\n${below('0', '')}`;
}
