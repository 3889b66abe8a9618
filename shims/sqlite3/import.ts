/** `.import`: fields, quoted or not, in lines, as rows of a table. All texts are byte strings. */
import type { Statement } from './engine.ts';
import { quoted, quotedName } from './quoting.ts';
import { DotError, FailedRead, type Session } from './session.ts';

/** What divides what is read. */
export interface Separators {
  column: string;
  row: string;
  /** Do quotes keep what they hold together? */
  hasQuotes: boolean;
}

/** The rows of a text. */
export function readRows(text: string, { column, row, hasQuotes }: Separators): string[][] {
  const rows: string[][] = [];
  let fields: string[] = [];
  let at = 0;
  while (at < text.length) {
    let field: string;
    if (hasQuotes && text[at] === '"') {
      const [whole = '"', inside = ''] = /^"((?:[^"]|"")*)"?/.exec(text.slice(at)) ?? [];
      field = inside.replaceAll('""', '"');
      at += whole.length;
      if (text[at] === '\r' && text.startsWith(row, at + 1)) at += 1;
    } else {
      const end = fieldEnd(text, at, column, row);
      field = text.slice(at, end);
      at = end;
      if (row === '\n' && !text.startsWith(column, at) && field.endsWith('\r')) {
        field = field.slice(0, -1);
      }
    }
    fields.push(field);
    if (text.startsWith(row, at) || at >= text.length) {
      at += row.length;
      rows.push(fields);
      fields = [];
    } else if (text.startsWith(column, at)) {
      at += column.length;
      // A separator at the very end is followed by an empty field.
      if (at >= text.length) fields.push('');
    }
  }
  if (fields.length > 0) rows.push(fields);
  return rows;
}

function fieldEnd(text: string, from: number, column: string, row: string): number {
  const next = (mark: string): number => {
    const found = text.indexOf(mark, from);
    return found < 0 ? text.length : found;
  };
  const lineEnd = next(row);
  // Only this line is looked through: a text of one column has no separator anywhere.
  const found = text.slice(from, lineEnd).indexOf(column);
  return found < 0 ? lineEnd : from + found;
}

/** @throws DotError, SqlError */
export function importRows(session: Session, args: readonly string[]): void {
  const { style } = session;
  const operands: string[] = [];
  let separators = separatorsOf(session);
  let skip = 0;
  let schema = 'main';
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const option = /^--?([a-z]+)$/.exec(arg)?.[1];
    if (option === undefined) operands.push(arg);
    else if (option === 'csv') separators = { column: ',', row: '\n', hasQuotes: true };
    else if (option === 'ascii') separators = { column: '\x1f', row: '\x1e', hasQuotes: false };
    else if (option === 'skip') skip = Number(args[++i] ?? 0);
    else if (option === 'schema') schema = args[++i] ?? schema;
    else if (option !== 'v') throw new DotError(`unknown option: "${arg}"`);
  }
  const [file, table] = operands;
  if (file === undefined || table === undefined) {
    throw new DotError(`missing ${file === undefined ? 'FILE' : 'TABLE'} argument`);
  }
  if (operands.length > 2) throw new DotError(`extra argument: "${operands[2]}"`);
  // To import, rows end in a newline alone, and from then on they do when printed, too.
  if (style.newline === '\r\n') style.newline = '\n';
  const text = file.startsWith('|') ? outputOf(session, file.slice(1)) : session.read(file);
  const rows = readRows(text, separators).slice(skip);
  const name = `${quotedName(schema)}.${quotedName(table)}`;
  const made = columnsOf(session, schema, table);
  const isNew = made.length === 0;
  const columns = isNew ? (rows.shift() ?? []) : made;
  if (columns.length === 0) {
    session.warn(`${file}: empty file\n`);
    throw new FailedRead();
  }
  if (isNew) {
    const named = columns.map((column) => column || '?');
    const different = unlike(named);
    tellRenamed(session, file, named, different);
    const defined = different.map(
      (column, at) => `${at % 4 === 0 ? '\n' : ''}${at === 0 ? '' : ' '}${quotedName(column)} TEXT`,
    );
    session.database.rows(`CREATE TABLE ${name}(${defined.join(',')})`);
  }
  insert(session, {
    name,
    width: columns.length,
    rows,
    place: (at) => `${file.startsWith('|') ? '<pipe>' : file}:${at + 1 + skip + (isNew ? 1 : 0)}`,
  });
}

function separatorsOf({ style }: Session): Separators {
  const isAscii = style.mode === 'ascii';
  return {
    column: style.separator,
    row: style.newline === '\r\n' ? '\n' : style.newline,
    hasQuotes: !isAscii,
  };
}

function outputOf(session: Session, command: string): string {
  const { bridge } = session.streams;
  const stdin = new Uint8Array();
  const ran = bridge.call('exec', { run: command, cwd: session.cwd, env: null, stdin });
  session.warn(Buffer.from(ran.stderr).toString());
  return Buffer.from(ran.stdout).toString('latin1');
}

function columnsOf(session: Session, schema: string, table: string): string[] {
  return session.database
    .rows(`SELECT name FROM pragma_table_info(${quoted(table)}, ${quoted(schema)})`)
    .map(([name]) => name ?? '');
}

/** Column names that differ, as sqlite3 makes them: those that stand twice are numbered. */
function unlike(names: readonly string[]): string[] {
  const lower = names.map((name) => name.toLowerCase());
  const twice = (name: string): boolean => lower.indexOf(name) !== lower.lastIndexOf(name);
  if (!lower.some(twice)) return [...names];
  const digits = String(names.length).length;
  return names.map((name, at) =>
    twice(name.toLowerCase()) ? `${name}_${String(at + 1).padStart(digits, '0')}` : name,
  );
}

function tellRenamed(
  session: Session,
  file: string,
  before: readonly string[],
  after: readonly string[],
): void {
  const pairs = before
    .map((name, at) => [name, after[at] ?? name] as const)
    .filter(([old, now]) => old !== now)
    .map(([old, now]) => `${quotedName(old)} to ${quotedName(now)}`);
  if (pairs.length > 0)
    session.warn(
      `Columns renamed during .import ${file} due to duplicates:\n${pairs.join(',\n')}\n`,
    );
}

interface Insertion {
  name: string;
  width: number;
  rows: string[][];
  /** What a row is called in messages. */
  place(at: number): string;
}

/** All rows or, after an error of the database, none. */
function insert(session: Session, { name, width, rows, place }: Insertion): void {
  const { database } = session;
  const marks = Array.from({ length: width }, () => '?').join(',');
  const isOwn = database.isAutocommit;
  if (isOwn) database.rows('BEGIN');
  const text = Buffer.from(`INSERT INTO ${name} VALUES(${marks})`, 'latin1');
  for (const statement of database.statements(text)) {
    for (const [at, row] of rows.entries()) {
      tellWidth(session, place(at), width, row.length);
      for (let i = 0; i < width; i++) statement.bind(i + 1, row[i]);
      insertOne(session, statement, place(at));
    }
  }
  if (isOwn) database.rows('COMMIT');
}

function insertOne(session: Session, statement: Statement, place: string): void {
  try {
    statement.step();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    session.warn(`${place}: INSERT failed: ${error.message}\n`);
  }
  statement.reset();
}

function tellWidth(session: Session, place: string, wanted: number, found: number): void {
  if (found === wanted) return;
  const rest = found < wanted ? 'filling the rest with NULL' : 'extras ignored';
  session.warn(`${place}: expected ${wanted} columns but found ${found} - ${rest}\n`);
}
