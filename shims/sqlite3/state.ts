/** How sqlite3 shows rows, as its dot commands set it. */

/** Modes that show a heading unless they are told not to. */
const HEADED = new Set(['column', 'box', 'table', 'markdown']);

/** Everything that `.mode`, `.headers`, `.separator` and `.nullvalue` set. */
export class Style {
  mode = 'list';
  headers: boolean | undefined;
  separator: string | undefined;
  newline: string | undefined;
  nullValue: string | undefined;
  /** The table that `.mode insert` names. */
  table = 'table';

  /** The same as options of the built-in sqlite3. */
  get flags(): string[] {
    const isHeaded = this.headers ?? HEADED.has(this.mode);
    const mode = this.mode === 'insert' ? 'quote' : this.mode;
    return [
      `-${mode}`,
      isHeaded && this.mode !== 'insert' ? '-header' : '-noheader',
      ...(this.separator === undefined ? [] : ['-separator', this.separator]),
      ...(this.newline === undefined ? [] : ['-newline', this.newline]),
      ...(this.nullValue === undefined ? [] : ['-nullvalue', this.nullValue]),
    ];
  }
}

/** Names in as many columns as 80 characters hold, downwards first. */
export function inColumns(names: readonly string[]): string {
  const widest = Math.max(0, ...names.map((name) => name.length));
  const columns = Math.max(1, Math.floor(80 / (widest + 2)));
  const rows = Math.ceil(names.length / columns);
  return Array.from({ length: rows }, (_, row) => {
    const cells = names.filter((_name, at) => at % rows === row);
    return `${cells.map((cell) => cell.padEnd(widest)).join('  ')}\n`;
  }).join('');
}

/** A text in SQL. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** A name in SQL. */
export function quotedName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** The built-in sqlite3 prints 17 digits of a fraction, and 0.1 as 0.10000000000000001; sqlite3 prints 15. */
export function withShortNumbers(text: string): string {
  return text.replace(/(?<![\w.])-?\d+\.\d{12,}(?![\w.])/g, (digits) => {
    const value = Number(digits);
    // Only what was printed like that: other digits are text.
    if (value.toPrecision(17).replace(/\.?0+$/, '') !== digits) return digits;
    return String(Number(value.toPrecision(15)));
  });
}
