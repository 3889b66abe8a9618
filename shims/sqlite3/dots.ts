/** The dot commands of sqlite3, on a database that each statement opens anew. */
import { latin1FromBytes, stdoutAsBytes } from 'just-bash';
import { errnoOf, type Tool, toText } from '../support/tool.ts';
import { readRows } from './csv.ts';
import { dumpOf, isComplete, schemaOf } from './schema.ts';
import { inColumns, quoted, quotedName, Style, withShortNumbers } from './state.ts';

const MODES = new Set([
  'ascii',
  'box',
  'column',
  'csv',
  'html',
  'insert',
  'json',
  'line',
  'list',
  'markdown',
  'quote',
  'table',
  'tabs',
]);
const NOTHING_TO_DO = new Set([
  '.bail',
  '.changes',
  '.echo',
  '.eqp',
  '.explain',
  '.prompt',
  '.stats',
  '.timeout',
  '.timer',
  '.width',
]);
const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '\\': '\\',
  '"': '"',
};

/** Words of a dot command: in quotes, with escapes in double ones. */
function words(line: string): string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\[\s\S])*)"?|'([^']*)'?|(\S+)/g)].map(
    ([, double, single, plain]) =>
      double === undefined
        ? (single ?? plain ?? '')
        : double.replace(/\\([\s\S])/g, (_, char: string) => ESCAPES[char] ?? char),
  );
}

/** Runs lines and statements one after the other. */
export class Dots {
  readonly #tool: Tool;
  readonly #style = new Style();
  #database: string;
  #shown: string;
  /** Where output goes: undefined is stdout; `once` ends with the next statement. */
  #output: { file: string; once: boolean; text: string } | undefined;
  #isTemporary: boolean;

  private constructor(tool: Tool, database: string, shown: string, isTemporary: boolean) {
    this.#tool = tool;
    this.#database = database;
    this.#shown = shown;
    this.#isTemporary = isTemporary;
  }

  /** A database in memory is a file for as long as this takes. */
  static async open(tool: Tool, database: string): Promise<Dots> {
    if (database !== ':memory:' && database !== '')
      return new Dots(tool, database, database, false);
    const file = (await tool.spawn(['mktemp', '/tmp/.sqlite3-XXXXXX'])).stdout.trim();
    return new Dots(tool, file, ':memory:', true);
  }

  async close(): Promise<void> {
    await this.#flush();
    if (this.#isTemporary) await this.#tool.fs.rm(this.#tool.path(this.#database), { force: true });
  }

  /** False where all ends: after an error, or `.quit`. */
  async run(text: string): Promise<boolean> {
    let sql = '';
    for (const line of text.split('\n')) {
      await this.#tool.pulse();
      if (sql.trim() === '' && /^\s*\./.test(line)) {
        sql = '';
        if (!(await this.#dot(line.trim()))) return false;
        continue;
      }
      sql += `${line}\n`;
      if (!isComplete(sql)) continue;
      if (!(await this.#sql(sql))) return false;
      sql = '';
    }
    return sql.trim() === '' || this.#sql(sql);
  }

  /** Runs SQL in a mode, and gives what it printed; undefined after an error. */
  async #query(sql: string, flags: readonly string[]): Promise<string | undefined> {
    const result = await this.#tool.original([...flags, this.#database, sql]);
    this.#tool.stderr += result.stderr;
    if (result.exitCode !== 0) {
      this.#tool.status = result.exitCode;
      return undefined;
    }
    return withShortNumbers(toText(latin1FromBytes(stdoutAsBytes(result))));
  }

  async #rows(sql: string): Promise<string[] | undefined> {
    const text = await this.#query(sql, ['-list', '-noheader', '-newline', '\x1e']);
    return text?.split('\x1e').slice(0, -1);
  }

  async #sql(sql: string): Promise<boolean> {
    const text = await this.#query(sql, this.#style.flags);
    if (text === undefined) return false;
    const isInsert = this.#style.mode === 'insert';
    const isCsv = this.#style.mode === 'csv' && this.#style.newline === '\r\n';
    const table = /^[A-Za-z_]\w*$/.test(this.#style.table)
      ? this.#style.table
      : quotedName(this.#style.table);
    // The ends of rows, not those of lines within a value.
    if (isCsv) {
      this.#print(text.replace(/("(?:[^"]|"")*")|\n/g, (_all, value) => value ?? '\r\n'));
    } else
      this.#print(isInsert ? text.replace(/^(.+)$/gm, `INSERT INTO ${table} VALUES($1);`) : text);
    if (this.#output?.once === true) await this.#flush();
    return true;
  }

  #print(text: string): void {
    if (this.#output === undefined) this.#tool.print(text);
    else this.#output.text += text;
  }

  async #flush(): Promise<void> {
    const output = this.#output;
    this.#output = undefined;
    if (output === undefined) return;
    await this.#tool.attempt(`cannot open "${output.file}"`, () =>
      this.#tool.fs.writeFile(this.#tool.path(output.file), output.text),
    );
  }

  #fail(text: string): false {
    this.#tool.stderr += `Error: ${text}\n`;
    this.#tool.status = 1;
    return false;
  }

  async #dot(line: string): Promise<boolean> {
    const [name = '', ...args] = words(line);
    const [first, second] = args;
    const style = this.#style;
    if (NOTHING_TO_DO.has(name)) return true;
    switch (name) {
      case '.mode':
        return this.#mode(first, second);
      case '.headers':
      case '.header':
        style.headers = /^(?:on|yes|true|1)$/i.test(first ?? '');
        return true;
      case '.separator':
        style.separator = first;
        style.newline = second ?? style.newline;
        return true;
      case '.newline':
        style.newline = first;
        return true;
      case '.nullvalue':
        style.nullValue = first ?? '';
        return true;
      case '.print':
        this.#print(`${args.join(' ')}\n`);
        return true;
      case '.quit':
      case '.exit':
        this.#tool.status = Number(first ?? 0);
        return false;
      case '.output':
      case '.once':
        await this.#flush();
        if (first !== undefined && first !== 'stdout') {
          this.#output = { file: first, once: name === '.once', text: '' };
        }
        return true;
      case '.read':
        return this.#read(first);
      case '.open':
        if (first === undefined) return this.#fail('missing file name');
        [this.#database, this.#shown, this.#isTemporary] = [first, first, false];
        return true;
      case '.import':
        return this.#import(args);
      default:
        return this.#about(name, first);
    }
  }

  /** What tells of the database itself. */
  async #about(name: string, pattern: string | undefined): Promise<boolean> {
    switch (name) {
      case '.tables':
        return this.#names("type IN ('table','view')", 'name', pattern);
      case '.indexes':
      case '.indices':
        return this.#names("type='index'", 'tbl_name', pattern);
      case '.databases':
        this.#print(
          `main: ${this.#shown === ':memory:' ? '""' : this.#tool.path(this.#shown)} r/w\n`,
        );
        return true;
      case '.schema':
      case '.fullschema':
      case '.dump': {
        const rows = (sql: string) => this.#rows(sql);
        const text = await (name === '.dump' ? dumpOf(rows, pattern) : schemaOf(rows, pattern));
        if (text !== undefined) this.#print(text);
        return text !== undefined;
      }
      default:
        this.#fail(
          `unknown command or invalid arguments:  "${name.slice(1)}". Enter ".help" for help`,
        );
        return true;
    }
  }

  #mode(mode: string | undefined, table: string | undefined): boolean {
    const full = mode === undefined ? undefined : [...MODES].find((name) => name.startsWith(mode));
    if (full === undefined) {
      return this.#fail(`mode should be one of: ${[...MODES].sort().join(' ')}`);
    }
    this.#style.mode = full;
    this.#style.separator = undefined;
    this.#style.newline = full === 'csv' ? '\r\n' : undefined;
    this.#style.table = table ?? 'table';
    return true;
  }

  async #names(what: string, column: string, pattern: string | undefined): Promise<boolean> {
    const like = pattern === undefined ? '' : ` AND ${column} LIKE ${quoted(pattern)}`;
    const names = await this.#rows(
      `SELECT name FROM sqlite_master WHERE ${what} AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'${like} ORDER BY 1`,
    );
    if (names !== undefined) this.#print(inColumns(names));
    return names !== undefined;
  }

  async #read(file: string | undefined): Promise<boolean> {
    if (file === undefined) return this.#fail('missing file name');
    try {
      return await this.run(toText(await this.#tool.read(file)));
    } catch (error) {
      if (errnoOf(error) === undefined) throw error;
      return this.#fail(`cannot open "${file}"`);
    }
  }

  async #import(args: readonly string[]): Promise<boolean> {
    const operands: string[] = [];
    let isCsv = this.#style.mode === 'csv';
    let skip = 0;
    for (let i = 0; i < args.length; i++) {
      const arg = args[i] ?? '';
      if (/^--?csv$/.test(arg)) isCsv = true;
      else if (/^--?skip$/.test(arg)) skip = Number(args[++i] ?? 0);
      else if (!/^--?(?:ascii|v)$/.test(arg)) operands.push(arg);
    }
    const [file, table] = operands;
    if (file === undefined || table === undefined)
      return this.#fail('missing FILE or TABLE argument');
    const content = await this.#tool.attempt(`cannot open "${file}"`, () => this.#tool.read(file));
    if (content === undefined) return false;
    const separator =
      this.#style.separator ?? (isCsv ? ',' : this.#style.mode === 'tabs' ? '\t' : '|');
    const rows = readRows(toText(content), separator, isCsv).slice(skip);
    // To import, rows end in a newline alone, and from then on they do when printed, too.
    if (this.#style.newline === '\r\n') this.#style.newline = '\n';
    return this.#insert(file, table, rows);
  }

  async #insert(file: string, table: string, rows: string[][]): Promise<boolean> {
    const name = quotedName(table);
    const columns = await this.#rows(`SELECT name FROM pragma_table_info(${quoted(table)})`);
    if (columns === undefined) return false;
    const isNew = columns.length === 0;
    const head = isNew ? (rows.shift() ?? []) : columns;
    const made = `CREATE TABLE ${name}(\n${head.map((column) => `${quotedName(column)} TEXT`).join(', ')});`;
    const inserts = rows.map((row, i) => {
      if (row.length !== head.length)
        this.#tellWidth(`${file}:${i + (isNew ? 2 : 1)}`, head.length, row.length);
      const cells = head.map((_, at) => (row[at] === undefined ? 'NULL' : quoted(row[at])));
      return `INSERT INTO ${name} VALUES(${cells.join(',')});`;
    });
    const script = `BEGIN;${isNew ? made : ''}\n${inserts.join('\n')}\nCOMMIT;`;
    return (await this.#query(script, ['-list'])) !== undefined;
  }

  #tellWidth(where: string, wanted: number, found: number): void {
    const rest = found < wanted ? 'filling the rest with NULL' : 'extras ignored';
    this.#tool.stderr += `${where}: expected ${wanted} columns but found ${found} - ${rest}\n`;
  }
}
