/** The dot commands of sqlite3, a row each. */
import { CallFailed } from '../support/program/bridge.ts';
import { importRows } from './import.ts';
import { cString } from './modes.ts';
import { nameInSql, quoted, quotedName } from './quoting.ts';
import { dump, schemaOf } from './schema.ts';
import {
  DotError,
  FailedRead,
  MEMORY,
  type Outcome,
  type Session,
  type Switches,
} from './session.ts';
import { MODES, type Mode } from './style.ts';

/** Runs one; a number is the status with which all ends. @throws DotError, SqlError */
type Dot = (session: Session, args: readonly string[], runLines: LineRunner) => number | undefined;

/** Runs a text line by line. */
export type LineRunner = (session: Session, text: string) => Outcome;

/** Of those the first that a shortened name fits is meant. */
const DOTS: Readonly<Record<string, Dot>> = {
  backup: save,
  bail: onOff('bail'),
  cd(session, [directory]) {
    if (directory === undefined) throw new DotError('Usage: .cd DIRECTORY');
    if (!isDirectory(session, directory))
      throw new DotError(`Cannot change to directory "${directory}"`);
    session.cwd = session.path(directory);
    return undefined;
  },
  changes: onOff('changes'),
  clone: save,
  databases(session) {
    for (const [, name, file] of session.database.rows('PRAGMA database_list')) {
      session.print(`${name}: ${file === '' || file === null ? '""' : file} r/w\n`);
    }
    return undefined;
  },
  dump(session, args) {
    dump(
      session,
      args.filter((arg) => !arg.startsWith('-')),
    );
    return undefined;
  },
  echo: onOff('echo'),
  eqp: onOff('eqp'),
  exit: quit,
  explain: ignored,
  fullschema(session) {
    session.print(schemaOf(session, undefined, true));
    session.print('/* No STAT tables available */\n');
    return undefined;
  },
  headers(session, [value]) {
    if (value === undefined) throw new DotError('Usage: .headers on|off');
    session.style.headers = isOn(value);
    session.style.areHeadersSet = true;
    return undefined;
  },
  help(session) {
    session.print(
      Object.keys(DOTS)
        .map((name) => `.${name}\n`)
        .join(''),
    );
    return undefined;
  },
  import(session, args) {
    importRows(session, args);
    return undefined;
  },
  indexes: (session, [pattern]) => listNames(session, "type='index'", 'tbl_name', pattern),
  indices: (session, [pattern]) => listNames(session, "type='index'", 'tbl_name', pattern),
  limit: ignored,
  mode: setMode,
  nullvalue(session, [text]) {
    if (text === undefined) throw new DotError('Usage: .nullvalue STRING');
    session.style.nullValue = text;
    return undefined;
  },
  once(session, args) {
    if (args.length === 0) throw new DotError('Usage: .once FILE');
    session.redirect(targetOf(args), true);
    return undefined;
  },
  open: openDatabase,
  output(session, args) {
    session.redirect(targetOf(args));
    return undefined;
  },
  parameter: setParameter,
  print(session, args) {
    session.print(`${args.join(' ')}\n`);
    return undefined;
  },
  prompt: ignored,
  quit,
  read(session, [file], runLines) {
    if (file === undefined) throw new DotError('Usage: .read FILE');
    const outcome = runLines(session, session.read(file));
    if (outcome.ends) return outcome.status;
    // What failed there was told.
    if (outcome.failed) throw new FailedRead();
    return undefined;
  },
  restore(session, args) {
    const [schema, file] = args.length > 1 ? args : ['main', args[0]];
    if (file === undefined) throw new DotError('Usage: .restore ?DB? FILE');
    const source = session.connect(file, { readonly: true });
    try {
      source.copyTo(session.database, 'main', schema);
    } finally {
      source.close();
    }
    return undefined;
  },
  save,
  schema(session, args) {
    const [pattern] = args.filter((arg) => !arg.startsWith('-'));
    session.print(
      schemaOf(
        session,
        pattern,
        args.some((arg) => /^--?nosys$/.test(arg)),
      ),
    );
    return undefined;
  },
  separator(session, [column, row]) {
    if (column === undefined) throw new DotError('Usage: .separator COL ?ROW?');
    session.style.separator = column;
    session.style.newline = row ?? session.style.newline;
    return undefined;
  },
  shell: runCommand,
  show,
  stats: ignored,
  system: runCommand,
  tables: (session, [pattern]) =>
    listNames(
      session,
      "type IN ('table','view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
      'name',
      pattern,
    ),
  timeout: ignored,
  timer: onOff('timer'),
  version(session) {
    session.print(`SQLite ${session.engine.version}\n`);
    return undefined;
  },
  width(session, args) {
    session.style.widths = args.map((width) => Number.parseInt(width, 10) || 0);
    return undefined;
  },
};

/** What sqlite3 has besides, and nothing here stands for. */
const ABSENT = new Set(
  'archive auth binary crnl dbconfig dbinfo excel expert filectrl imposter iotrace lint load log nonce progress recover scanstats selftest session sha3sum testcase testctrl trace vfsinfo vfslist vfsname check connection'.split(
    ' ',
  ),
);

/** Runs a line that begins with a dot. @throws DotError, SqlError, FailedRead */
export function runDot(session: Session, line: string, runLines: LineRunner): number | undefined {
  const [given = '', ...args] = words(line.slice(1));
  const names = Object.keys(DOTS);
  const name = names.find((each) => each === given) ?? names.find((each) => each.startsWith(given));
  if (ABSENT.has(given)) throw new DotError(`.${given} is not here; .help lists what is`);
  if (given === '' || name === undefined) {
    throw new DotError(`unknown command or invalid arguments:  "${given}". Enter ".help" for help`);
  }
  return DOTS[name]?.(session, args, runLines);
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
};

/** Words of a dot command: in quotes, with escapes in double ones. */
function words(line: string): string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\[\s\S])*)"?|'([^']*)'?|(\S+)/g)].map(
    ([, double, single, plain]) =>
      double === undefined
        ? (single ?? plain ?? '')
        : double.replace(/\\([0-7]{1,3}|[\s\S])/g, (_, char: string) =>
            /^[0-7]/.test(char)
              ? String.fromCharCode(Number.parseInt(char, 8) & 0xff)
              : (ESCAPES[char] ?? char),
          ),
  );
}

function isDirectory(session: Session, name: string): boolean {
  try {
    return (session.streams.bridge.call('stat', session.path(name)).mode & 0o170_000) === 0o040_000;
  } catch (error) {
    if (!(error instanceof CallFailed)) throw error;
    return false;
  }
}

/** A file, or a command with its arguments. */
function targetOf(args: readonly string[]): string | undefined {
  return args[0]?.startsWith('|') === true ? args.join(' ') : args[0];
}

function ignored(): undefined {
  return undefined;
}

function isOn(value: string): boolean {
  if (/^(?:on|yes)$/i.test(value)) return true;
  if (/^(?:off|no)$/i.test(value)) return false;
  if (/^\d+$/.test(value)) return Number(value) !== 0;
  throw new DotError(`Not a boolean value: "${value}". Assuming "no".`);
}

function onOff(name: keyof Switches): Dot {
  return (session, [value]) => {
    if (value === undefined) throw new DotError(`Usage: .${name} on|off`);
    session.switches[name] = isOn(value);
    return undefined;
  };
}

function quit(_session: Session, [status]: readonly string[]): number {
  return Number.parseInt(status ?? '0', 10) || 0;
}

function setMode(session: Session, args: readonly string[]): undefined {
  const { style } = session;
  const after = (option: RegExp): string | undefined =>
    args[args.findIndex((arg) => option.test(arg)) + 1 || args.length];
  const [wrap, wordWrap] = [after(/^--?wrap$/), after(/^--?wordwrap$/)];
  const [given, table] = args.filter((arg) => !arg.startsWith('-'));
  const names = Object.keys(MODES) as Mode[];
  // `.mode qbox` is a box of texts as SQL.
  const isQuoted = given === 'qbox' || args.some((arg) => /^--?quote$/.test(arg));
  const mode =
    given === 'qbox' ? 'box' : names.find((name) => given !== undefined && name.startsWith(given));
  if (mode === undefined) {
    throw new DotError(`mode should be one of: ${[...names, 'qbox'].sort().join(' ')}`);
  }
  const separators: { separator?: string; newline?: string } = MODES[mode];
  Object.assign(style, separators, { mode, quotes: isQuoted });
  style.wrap = wrap === undefined ? 60 : Number(wrap) || 0;
  style.wrapsAtWords = args.some((arg) => /^--?ww$/.test(arg)) || isOn(wordWrap ?? 'off');
  if (mode === 'column' && !style.areHeadersSet) style.headers = true;
  if (mode === 'insert') {
    style.table = nameInSql(table ?? 'table', (word) => session.engine.isKeyword(word));
  }
  return undefined;
}

function listNames(session: Session, what: string, column: string, pattern = '%'): undefined {
  const names: string[] = [];
  for (const [schema] of session.database.rows('SELECT name FROM pragma_database_list')) {
    const prefix = schema === 'main' || schema === null ? '' : `${schema}.`;
    const rows = session.database.rows(
      `SELECT name FROM ${quotedName(schema ?? 'main')}.sqlite_schema WHERE ${what} AND ${column} LIKE ${quoted(pattern)}`,
    );
    names.push(...rows.map(([name]) => prefix + (name ?? '')));
  }
  session.print(inColumns(names.sort()));
  return undefined;
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

function openDatabase(session: Session, args: readonly string[]): undefined {
  const [file = MEMORY] = args.filter((arg) => !arg.startsWith('-'));
  const has = (option: string): boolean => args.some((arg) => arg.replace(/^--?/, '') === option);
  if (has('new')) session.streams.bridge.call('write', session.path(file), new Uint8Array());
  session.open(file, { readonly: has('readonly') });
  return undefined;
}

function save(session: Session, args: readonly string[]): undefined {
  const operands = args.filter((arg) => !arg.startsWith('-'));
  const [schema, file] = operands.length > 1 ? operands : ['main', operands[0]];
  if (file === undefined) throw new DotError('missing FILENAME argument on .backup');
  const target = session.connect(file);
  try {
    session.database.copyTo(target, schema);
    session.engine.files.store();
  } finally {
    target.close();
  }
  return undefined;
}

function setParameter(session: Session, args: readonly string[]): undefined {
  const [what = '', name, ...value] = args;
  const { parameters } = session;
  if (what === 'set' && name !== undefined && value.length === 1)
    parameters.set(name, value[0] ?? '');
  else if (what === 'unset' && name !== undefined) parameters.delete(name);
  else if (what === 'clear') parameters.clear();
  else if (what === 'list') {
    const widest = Math.max(0, ...[...parameters.keys()].map((each) => each.length));
    for (const [each, text] of [...parameters].sort())
      session.print(`${each.padEnd(widest)} ${text}\n`);
  } else if (what !== 'init')
    throw new DotError('Usage: .parameter clear|init|list|set NAME VALUE|unset NAME');
  return undefined;
}

function runCommand(session: Session, args: readonly string[]): undefined {
  if (args.length === 0) throw new DotError('Usage: .system COMMAND');
  const line = args.map((arg) => (/\s/.test(arg) ? `"${arg}"` : arg)).join(' ');
  const status = session.command(line);
  if (status !== 0) session.warn(`System command returns ${status << 8}\n`);
  return undefined;
}

function show(session: Session): undefined {
  const { style, switches } = session;
  const word = (on: boolean): string => (on ? 'on' : 'off');
  const wrapping = ['box', 'column', 'markdown', 'table'].includes(style.mode)
    ? ` --wrap ${style.wrap} --wordwrap ${word(style.wrapsAtWords)} --${style.quotes ? '' : 'no'}quote`
    : '';
  const rows = {
    echo: word(switches.echo),
    eqp: word(switches.eqp),
    explain: 'auto',
    headers: word(style.headers),
    mode: style.mode + wrapping,
    nullvalue: cString(style.nullValue),
    output: 'stdout',
    colseparator: cString(style.separator),
    rowseparator: cString(style.newline),
    stats: 'off',
    width: style.widths.map((width) => `${width} `).join(''),
    filename: session.file,
  };
  for (const [name, value] of Object.entries(rows))
    session.print(`${name.padStart(12)}: ${value}\n`);
  return undefined;
}
