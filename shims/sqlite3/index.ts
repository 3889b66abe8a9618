/** sqlite3: the built-in one for SQL, and the dot commands of the command line around it. */
import { latin1FromBytes, stdoutAsBytes } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool, toText } from '../support/tool.ts';
import { Dots } from './dots.ts';
import { withShortNumbers } from './state.ts';

/** Options of the command line that a dot command stands for. */
const AS_DOTS: Readonly<Record<string, string>> = {
  ascii: '.mode ascii',
  box: '.mode box',
  column: '.mode column',
  // As an option it leaves lines as they are; `.mode csv` ends them as RFC 4180 has it.
  csv: '.mode csv\n.newline "\\n"',
  html: '.mode html',
  json: '.mode json',
  line: '.mode line',
  list: '.mode list',
  markdown: '.mode markdown',
  quote: '.mode quote',
  table: '.mode table',
  tabs: '.mode tabs',
  header: '.headers on',
  noheader: '.headers off',
};

const WITH_VALUE: Readonly<Record<string, string>> = {
  separator: '.separator',
  nullvalue: '.nullvalue',
  newline: '.newline',
  cmd: '',
};

/** Options that change nothing here. */
const IGNORED = new Set([
  'batch',
  'interactive',
  'bail',
  'readonly',
  'safe',
  'echo',
  'init',
  'nofollow',
  'noinit',
]);

/** A line that is a dot command. */
const DOT = /^\s*\./m;

interface CommandLine {
  database: string;
  isNamed: boolean;
  /** Dot commands that options stand for, and what `-cmd` gives. */
  before: string[];
  /** Does anything but plain options call for dot commands? */
  hasDots: boolean;
  inputs: string[];
}

function readLine(args: readonly string[]): CommandLine | undefined {
  const before: string[] = [];
  const operands: string[] = [];
  let hasDots = false;
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const name = /^--?([a-z]+)$/.exec(arg)?.[1];
    if (name === undefined || operands.length > 1) operands.push(arg);
    else if (AS_DOTS[name] !== undefined) before.push(AS_DOTS[name]);
    else if (WITH_VALUE[name] !== undefined) {
      const value = args[++i];
      if (value === undefined) throw new UsageError(`missing argument to -${name}`);
      hasDots ||= name === 'cmd';
      before.push(name === 'cmd' ? value : `${WITH_VALUE[name]} ${JSON.stringify(value)}`);
    } else if (!IGNORED.has(name)) return undefined;
  }
  const [database = ':memory:', ...inputs] = operands;
  hasDots ||= inputs.some((text) => DOT.test(text));
  return { database, isNamed: operands.length > 0, before, hasDots, inputs };
}

async function sqlite3(tool: Tool) {
  const line = readLine(tool.args);
  if (line === undefined) return tool.original();
  const isTyped = line.inputs.length === 0;
  const texts = isTyped ? [toText(tool.stdin)] : line.inputs;
  // Without a dot command there is nothing to add.
  if (!line.hasDots && !texts.some((text) => DOT.test(text))) {
    // The built-in one wants its database named.
    const result = await tool.original(line.isNamed ? tool.args : [...tool.args, ':memory:']);
    tool.print(withShortNumbers(toText(latin1FromBytes(stdoutAsBytes(result)))));
    tool.stderr += result.stderr;
    tool.status = result.exitCode;
    return undefined;
  }
  const dots = await Dots.open(tool, line.database);
  try {
    for (const text of [...line.before, ...texts]) if (!(await dots.run(text))) break;
  } finally {
    await dots.close();
  }
  return undefined;
}

/** sqlite3. */
export const sqlite3Shims: ShimFactory = (host) => [
  defineTool(
    host,
    { name: 'sqlite3', usage: 'Usage: sqlite3 [OPTIONS] [FILENAME [SQL]]' },
    sqlite3,
  ),
];
