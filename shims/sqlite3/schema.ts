/** A database as SQL: `.schema` and `.dump`. */
import { quoted, quotedName } from './state.ts';

/** Gives the rows of a query that has one column; undefined after an error. */
type Rows = (sql: string) => Promise<string[] | undefined>;

/** Does a text end in a whole statement? A `;` in quotes, comments or a trigger's body ends none. */
export function isComplete(sql: string): boolean {
  const bare = sql
    .replace(
      /'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]|--[^\n]*(?=\n)|\/\*[\s\S]*?\*\//g,
      ' ',
    )
    .trim();
  if (!bare.endsWith(';') || /['"`]/.test(bare)) return false;
  const last = /\bcreate\s+(?:temp\s+|temporary\s+)?trigger\b[\s\S]*$/i.exec(bare);
  return last === null || /\bend\s*;$/i.test(bare);
}

const shown = (sql: string): string =>
  `${sql.replace(/^CREATE TABLE (?=['"])/, 'CREATE TABLE IF NOT EXISTS ')};\n`;

const OWN = "name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND sql NOT NULL";

const matching = (pattern: string | undefined): string =>
  pattern === undefined ? '' : ` AND tbl_name LIKE ${quoted(pattern)}`;

/** The statements that make the database, or what a pattern fits. */
export async function schemaOf(rows: Rows, pattern?: string): Promise<string | undefined> {
  const found = await rows(
    `SELECT sql FROM sqlite_master WHERE ${OWN}${matching(pattern)} ORDER BY rowid`,
  );
  return found?.map(shown).join('');
}

/** Everything in the database as statements. */
export async function dumpOf(rows: Rows, pattern?: string): Promise<string | undefined> {
  const tables = await rows(
    `SELECT name FROM sqlite_master WHERE type='table' AND ${OWN}${matching(pattern)} ORDER BY rowid`,
  );
  if (tables === undefined) return undefined;
  let out = 'PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n';
  for (const table of tables) {
    const [made = ''] =
      (await rows(`SELECT sql FROM sqlite_master WHERE type='table' AND name=${quoted(table)}`)) ??
      [];
    const columns = await rows(`SELECT name FROM pragma_table_info(${quoted(table)})`);
    if (columns === undefined) return undefined;
    const name = /^[A-Za-z_]\w*$/.test(table) ? table : quotedName(table);
    const values = columns.map((column) => `quote(${quotedName(column)})`).join("||','||");
    const lines = await rows(
      `SELECT ${quoted(`INSERT INTO ${name} VALUES(`)}||${values}||');' FROM ${quotedName(table)}`,
    );
    if (lines === undefined) return undefined;
    out += shown(made) + lines.map((line) => `${line}\n`).join('');
  }
  const others = await rows(
    `SELECT sql FROM sqlite_master WHERE type<>'table' AND ${OWN}${matching(pattern)} ORDER BY type COLLATE NOCASE DESC, rowid`,
  );
  if (others === undefined) return undefined;
  return `${out}${others.map(shown).join('')}COMMIT;\n`;
}
