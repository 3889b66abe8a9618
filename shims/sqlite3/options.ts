/** The command line of sqlite3. */
import { UsageError } from '../support/getopt.ts';
import { MODES, type Mode, type Style } from './style.ts';

/** What the arguments say. */
export interface CommandLine {
  /** undefined is a database in memory. */
  file: string | undefined;
  /** Statements and dot commands, each an argument; without any, stdin is read. */
  inputs: string[];
  /** What `-cmd` gives, to be run before anything else. */
  before: string[];
  /** A file that is read at the start: `-init`. */
  init: string | undefined;
  bail: boolean;
  echo: boolean;
  readonly: boolean;
  help: boolean;
  version: boolean;
  /** Sets what the options say of how rows are shown. */
  setStyle(style: Style): void;
}

/** Options that change nothing here. */
const IGNORED = new Set(
  'batch interactive safe nofollow noinit memtrace stats deserialize append multiplex'.split(' '),
);
/** The same, with a number or more behind them. */
const IGNORED_VALUES: Readonly<Record<string, number>> = {
  maxsize: 1,
  mmap: 1,
  heap: 1,
  lookaside: 2,
  pagecache: 2,
  vfs: 1,
};

/** Modes that an option brings with separators of their own. */
const SEPARATORS: Readonly<Record<string, Partial<Style>>> = {
  ascii: { separator: '\x1f', newline: '\x1e' },
  csv: { separator: ',' },
  list: {},
  quote: { separator: ',', newline: '\n' },
  tabs: { separator: '\t', newline: '\n' },
};

/** @throws UsageError */
export function readCommandLine(args: readonly string[]): CommandLine {
  const line: CommandLine = {
    file: undefined,
    inputs: [],
    before: [],
    init: undefined,
    bail: false,
    echo: false,
    readonly: false,
    help: false,
    version: false,
    setStyle: (style) => {
      for (const change of changes) Object.assign(style, change);
    },
  };
  const changes: Partial<Style>[] = [];
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const name = /^--?([a-zA-Z].*)$/.exec(arg)?.[1];
    if (name === undefined) {
      if (line.file === undefined) line.file = arg;
      else line.inputs.push(arg);
      continue;
    }
    const value = (): string => {
      const next = args[++i];
      if (next === undefined) throw new UsageError(`Error: missing argument to -${name}`);
      return next;
    };
    if (setSwitch(line, name) || IGNORED.has(name)) continue;
    const style = styleOf(name, value);
    if (style !== undefined) changes.push(style);
    else if (name === 'cmd') line.before.push(Buffer.from(value()).toString('latin1'));
    else if (name === 'init') line.init = value();
    else if (IGNORED_VALUES[name] !== undefined) i += IGNORED_VALUES[name];
    else {
      throw new UsageError(`Error: unknown option: ${arg}\nUse -help for a list of options.`);
    }
  }
  return { ...line, inputs: line.inputs.map((text) => Buffer.from(text).toString('latin1')) };
}

function setSwitch(line: CommandLine, name: string): boolean {
  if (
    name !== 'bail' &&
    name !== 'echo' &&
    name !== 'readonly' &&
    name !== 'help' &&
    name !== 'version'
  )
    return false;
  line[name] = true;
  return true;
}

/** What an option sets of how rows are shown; undefined if it is none of those. */
function styleOf(name: string, value: () => string): Partial<Style> | undefined {
  if (Object.hasOwn(MODES, name) && name !== 'tcl' && name !== 'insert') {
    return { mode: name as Mode, ...SEPARATORS[name] };
  }
  switch (name) {
    case 'header':
      return { headers: true, areHeadersSet: true };
    case 'noheader':
      return { headers: false, areHeadersSet: true };
    case 'separator':
      return { separator: latin1(value()) };
    case 'newline':
      return { newline: latin1(value()) };
    case 'nullvalue':
      return { nullValue: latin1(value()) };
    default:
      return undefined;
  }
}

function latin1(text: string): string {
  return Buffer.from(text).toString('latin1');
}
