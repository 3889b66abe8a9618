/** A database as SQL: `.schema` and `.dump`. All texts are byte strings. */

import { nameInSql, quoted, quotedName } from './quoting.ts';
import type { Session } from './session.ts';
import { inSql } from './style.ts';

/** A statement that makes something, as it is shown. */
function shown(sql: string, end = ';\n'): string {
  return `${sql.replace(/^CREATE TABLE (?=['"])/, 'CREATE TABLE IF NOT EXISTS ')}${end}`;
}

/** A statement that makes something in a database that is attached. */
function withSchema(sql: string, schema: string): string {
  return sql.replace(
    /^CREATE (?:TABLE|VIEW|TRIGGER|(?:UNIQUE )?INDEX|VIRTUAL TABLE) /,
    (made) => `${made}${quotedName(schema).replace(/^"(\w+)"$/, '$1')}.`,
  );
}

/** A condition on names: `%` and `_` as in LIKE, or `*`, `?` and `[` as in GLOB. */
function matching(column: string, pattern: string | undefined): string {
  if (pattern === undefined) return '1';
  if (/[*?[]/.test(pattern)) return `lower(${column}) GLOB lower(${quoted(pattern)})`;
  return `${column} LIKE ${quoted(pattern)} ESCAPE '\\'`;
}

/** The statements that make the database, or what a pattern fits. */
export function schemaOf(session: Session, pattern?: string, withoutSystem = false): string {
  const own = withoutSystem ? " AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'" : '';
  let out = '';
  for (const [schema] of session.database.rows('SELECT name FROM pragma_database_list')) {
    const table = `${quotedName(schema ?? '')}.sqlite_schema`;
    const found = session.database.rows(
      `SELECT sql, type, name FROM ${table} WHERE ${matching('tbl_name', pattern)} AND sql NOT NULL${own} ORDER BY rowid`,
    );
    for (const [sql, type, name] of found) {
      const isView = type === 'view' || /^CREATE VIRTUAL/i.test(sql ?? '');
      const whose = schema === 'main' ? sql : withSchema(sql ?? '', schema ?? '');
      out += shown(whose ?? '', isView ? columnsNote(session, name ?? '') : ';\n');
    }
  }
  return out;
}

/** What a view's columns are called stands below it. */
function columnsNote(session: Session, name: string): string {
  const isKeyword = (word: string): boolean => session.engine.isKeyword(word);
  const columns = session.database
    .rows(`SELECT name FROM pragma_table_info(${quoted(name)})`)
    .map(([column]) => nameInSql(column ?? '', isKeyword));
  return `\n/* ${nameInSql(name, isKeyword)}(${columns.join(',')}) */;\n`;
}

/** Everything in the database, or in the tables that a pattern fits, as statements. */
export function dump(session: Session, patterns: readonly string[]): void {
  const { database } = session;
  const wanted =
    patterns.length === 0 ? '1' : patterns.map((pattern) => matching('name', pattern)).join(' OR ');
  session.print('PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n');
  const tables = database.rows(
    `SELECT name, sql FROM sqlite_schema WHERE (${wanted}) AND type='table' AND sql NOT NULL ORDER BY tbl_name='sqlite_sequence', rowid`,
  );
  let isSchemaWritten = false;
  for (const [name, sql] of tables) {
    if (/^CREATE VIRTUAL TABLE/i.test(sql ?? '') && !isSchemaWritten) {
      session.print('PRAGMA writable_schema=ON;\n');
      isSchemaWritten = true;
    }
    dumpTable(session, name ?? '', sql ?? '');
  }
  const others = database.rows(
    `SELECT sql FROM sqlite_schema WHERE (${wanted}) AND sql NOT NULL AND type IN ('index','trigger','view') ORDER BY type COLLATE NOCASE DESC, rowid`,
  );
  for (const [sql] of others) session.print(shown(sql ?? ''));
  if (isSchemaWritten) session.print('PRAGMA writable_schema=OFF;\n');
  session.print('COMMIT;\n');
}

function dumpTable(session: Session, name: string, sql: string): void {
  if (name === 'sqlite_sequence') session.print('DELETE FROM sqlite_sequence;\n');
  else if (/^sqlite_stat./.test(name)) session.print('ANALYZE sqlite_schema;\n');
  else if (name.startsWith('sqlite_')) return;
  else if (/^CREATE VIRTUAL TABLE/i.test(sql)) {
    session.print(
      `INSERT INTO sqlite_schema(type,name,tbl_name,rootpage,sql)VALUES('table',${quoted(name)},${quoted(name)},0,${quoted(sql)});\n`,
    );
    return;
  } else session.print(shown(sql));
  const into = nameInSql(name, (word) => session.engine.isKeyword(word));
  const columns = session.database
    .rows(`SELECT name FROM pragma_table_info(${quoted(name)})`)
    .map(([column]) => quotedName(column ?? ''));
  const query = `SELECT ${columns.join(',')} FROM ${quotedName(name)}`;
  for (const statement of session.database.statements(Buffer.from(query, 'latin1'))) {
    while (statement.step()) {
      const values = statement.cells().map((cell) => inSql(cell));
      session.print(`INSERT INTO ${into} VALUES(${values.join(',')});\n`);
    }
  }
}
