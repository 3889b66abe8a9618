/** A run of sqlite3: the database, how rows are shown, where output goes, and the statements that are run. */
import { posix } from 'node:path';
import { type Bridge, CallFailed } from '../support/program/bridge.ts';
import { type Database, type Engine, SqlError, type Statement } from './engine.ts';
import { explained, planned } from './explain.ts';
import { addFunctions } from './functions.ts';
import { printerFor } from './modes.ts';
import { PLAIN_STYLE, type Style } from './style.ts';

/** Bytes of a page of a new database. */
const PAGE_SIZE = 4096;

export const MEMORY = ':memory:';

/** A dot command that was refused. The text is what stands after `Error: `, unless it says otherwise. */
export class DotError extends Error {}

/** Statements of a file failed, which was told. */
export class FailedRead extends Error {}

/** What a text led to: go on, or end here with a status. */
export type Outcome = { ends: false; failed: boolean } | { ends: true; status: number };

/** Where a run reads from and prints to. */
export interface Streams {
  bridge: Bridge;
  cwd: string;
  stdout(bytes: string): void;
  stderr(text: string): void;
}

/** Settings of a run that are on or off. */
export interface Switches {
  bail: boolean;
  changes: boolean;
  echo: boolean;
  /** Shows the plan of each statement before its rows. */
  eqp: boolean;
  timer: boolean;
}

export class Session {
  readonly engine: Engine;
  readonly streams: Streams;
  readonly switches: Switches = {
    bail: false,
    changes: false,
    echo: false,
    eqp: false,
    timer: false,
  };
  /** What `.parameter` set, by name; the texts of values. */
  readonly parameters = new Map<string, string>();
  style: Style = { ...PLAIN_STYLE, widths: [] };
  cwd: string;
  database!: Database;
  /** As it was named. */
  file = MEMORY;
  /** Where output goes instead of stdout; `once` ends with the next statement. */
  #output: { target: string; once: boolean; bytes: string } | undefined;

  constructor(engine: Engine, streams: Streams) {
    this.engine = engine;
    this.streams = streams;
    this.cwd = streams.cwd;
  }

  /** Opens a database in place of the one there is. @throws SqlError */
  open(file: string, how: { readonly?: boolean } = {}): void {
    this.engine.files.store();
    this.database?.close();
    this.file = file;
    this.database = this.connect(file, how);
  }

  /** A further connection. @throws SqlError */
  connect(file: string, how: { readonly?: boolean } = {}): Database {
    const isMemory = file === MEMORY || file === '';
    const database = this.engine.open(isMemory ? MEMORY : this.path(file), how);
    // As sqlite3 makes new ones. Those that there are keep theirs.
    if (isMemory || this.engine.files.isNew(this.path(file)))
      database.rows(`PRAGMA page_size=${PAGE_SIZE}`);
    addFunctions(database, { bridge: this.streams.bridge, path: (file) => this.path(file) });
    return database;
  }

  path(file: string): string {
    return posix.resolve(this.cwd, file);
  }

  /** @throws DotError */
  read(file: string): string {
    try {
      return Buffer.from(this.streams.bridge.call('read', this.path(file))).toString('latin1');
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      throw new DotError(`cannot open "${file}"`);
    }
  }

  print(bytes: string): void {
    if (this.#output === undefined) this.streams.stdout(bytes);
    else this.#output.bytes += bytes;
  }

  warn(text: string): void {
    this.streams.stderr(text);
  }

  /** Sends output to a file, or to a command if the target begins with `|`; undefined is stdout. @throws DotError */
  redirect(target: string | undefined, once = false): void {
    this.endOutput();
    if (target === undefined || target === 'stdout') return;
    this.#output = { target, once, bytes: '' };
    // A file that cannot be written is told at once.
    if (!target.startsWith('|')) this.#write(target, '');
  }

  /** After a statement: what `.once` sent elsewhere is whole. */
  endOnce(): void {
    if (this.#output?.once === true) this.endOutput();
  }

  endOutput(): void {
    const output = this.#output;
    this.#output = undefined;
    if (output === undefined) return;
    if (output.target.startsWith('|')) {
      this.command(output.target.slice(1), Buffer.from(output.bytes, 'latin1'));
    } else if (output.bytes !== '') this.#write(output.target, output.bytes);
  }

  #write(file: string, bytes: string): void {
    try {
      this.streams.bridge.call('write', this.path(file), Buffer.from(bytes, 'latin1'));
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      throw new DotError(`cannot open "${file}"`);
    }
  }

  /** Runs a line of shell, which sees what was written so far. Gives its status. */
  command(line: string, stdin: Uint8Array = new Uint8Array()): number {
    const { files } = this.engine;
    files.store();
    const ran = this.streams.bridge.call('exec', { run: line, cwd: this.cwd, env: null, stdin });
    files.reload();
    this.print(Buffer.from(ran.stdout).toString('latin1'));
    this.warn(Buffer.from(ran.stderr).toString());
    return ran.status;
  }

  /** Runs all statements of a text. @throws SqlError */
  run(sql: string): void {
    for (const statement of this.database.statements(Buffer.from(sql, 'latin1'))) {
      this.#bind(statement);
      if (this.switches.eqp && statement.explains === 0) this.#plan(statement);
      this.#show(statement);
    }
  }

  /** The same for statements that were read by lines, with what `.echo`, `.timer` and `.changes` add. @throws SqlError */
  runRead(sql: string): void {
    if (this.switches.echo) this.print(`${sql}\n`);
    const start = performance.now();
    this.run(sql);
    if (this.switches.timer) {
      const seconds = (performance.now() - start) / 1000;
      this.print(`Run Time: real ${seconds.toFixed(3)} user ${seconds.toFixed(6)} sys 0.000000\n`);
    }
    if (this.switches.changes) {
      const { changes, totalChanges } = this.database;
      this.print(`changes: ${changes}   total_changes: ${totalChanges}\n`);
    }
  }

  #show(statement: Statement): void {
    if (statement.explains > 0) {
      const rows = [...rowsOf(statement)];
      this.print(statement.explains === 1 ? explained(statement.names, rows) : planned(rows));
      return;
    }
    const printer = printerFor({
      style: this.style,
      names: statement.names,
      print: (bytes) => this.print(bytes),
      isKeyword: (name) => this.engine.isKeyword(name),
    });
    // What came before an error was printed.
    try {
      while (statement.step()) printer.row(statement.cells());
    } finally {
      printer.end();
    }
  }

  #plan(statement: Statement): void {
    const sql = Buffer.concat([Buffer.from('EXPLAIN QUERY PLAN '), statement.source]);
    for (const plan of this.database.statements(sql)) this.print(planned([...rowsOf(plan)]));
  }

  #bind(statement: Statement): void {
    for (const [at, name] of statement.parameters.entries()) {
      const value = this.parameters.get(name ?? `?${at + 1}`);
      if (value === undefined) statement.bind(at + 1, undefined);
      else bindValue(this.database, statement, at + 1, value);
    }
  }
}

/** The value is SQL if it can be, and a text otherwise, as `.parameter set` has it. */
function bindValue(database: Database, statement: Statement, index: number, value: string): void {
  try {
    for (const asked of database.statements(Buffer.from(`SELECT ${value}`, 'latin1'))) {
      if (!asked.step()) continue;
      const [cell] = asked.cells();
      if (cell !== undefined) statement.bindCell(index, cell);
    }
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    statement.bind(index, value);
  }
}

/** The rows of a statement as texts. */
function* rowsOf(statement: Statement): Generator<string[]> {
  while (statement.step()) yield statement.cells().map(({ bytes }) => bytes);
}
