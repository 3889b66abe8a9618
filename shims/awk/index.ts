/**
 * awk: the built-in one, given its program in a form that it runs as awk would.
 * It forgets `-v` for the variables of awk itself, takes `-vX=1` for nothing,
 * rounds `int` of negative numbers down, and reads lines whatever RS says.
 */
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { defineTool, type Tool, toText } from '../support/tool.ts';
import { type Token, tokens } from './tokens.ts';

/** Variables that the built-in one keeps apart, so that `-v` does not reach them. */
const OWN = new Set(
  'FS OFS ORS RS OFMT SUBSEP NR NF FNR FILENAME RSTART RLENGTH CONVFMT'.split(' '),
);

interface CommandLine {
  /** Options for the built-in one. */
  options: string[];
  /** `-v` of awk's own variables, in order. */
  assigned: Array<{ name: string; value: string }>;
  program: string;
  operands: string[];
}

async function commandLine(tool: Tool): Promise<CommandLine | undefined> {
  const line: CommandLine = { options: [], assigned: [], program: '', operands: [] };
  const files: string[] = [];
  const { args } = tool;
  let at = 0;
  for (; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (arg === '--') {
      at++;
      break;
    }
    const [, letter = '', joined = ''] = /^-([Fvf])(.*)$/s.exec(arg) ?? [];
    if (letter === '') {
      // What is no option is the program; an option that is unknown is refused below.
      if (!arg.startsWith('-') || arg === '-') break;
      line.options.push(arg);
      continue;
    }
    const value = joined === '' ? args[++at] : joined;
    if (value === undefined) {
      throw new UsageError(`option requires an argument -- '${letter}'`, { status: 2 });
    }
    if (letter === 'f') files.push(value);
    else if (letter === 'F') line.options.push('-F', value);
    else assign(line, value);
  }
  const rest = args.slice(at);
  if (files.length === 0) line.program = rest.shift() ?? '';
  for (const file of files) {
    const text = await tool.tryRead(file, 2);
    if (text === undefined) return undefined;
    line.program += `${toText(text)}\n`;
  }
  line.operands = rest;
  return line;
}

function assign(line: CommandLine, assignment: string): void {
  const [, name = '', value = ''] = /^([A-Za-z_]\w*)=(.*)$/s.exec(assignment) ?? [];
  if (OWN.has(name)) line.assigned.push({ name, value });
  else line.options.push('-v', assignment);
}

/** A value of `-v` as a string of the language: the same escapes count in both. */
function quoted(value: string): string {
  const inner = value.replace(/\\(?:[\s\S]|$)|["\n]/g, (part) => {
    if (part === '"') return '\\"';
    if (part === '\n' || part === '\\\n') return '\\n';
    return part === '\\' ? '\\\\' : part;
  });
  return `"${inner}"`;
}

const INT = '__dirigent_int';
/** The built-in `int` is the floor. */
const INT_FUNCTION = `\nfunction ${INT}(x) { return x < 0 ? -int(-x) : int(x) }`;

/** The program with calls of `int` led to one that truncates. */
function truncating(list: readonly Token[]): string {
  let found = false;
  const text = list.map(({ kind, text: one }, index) => {
    const next = list.slice(index + 1).find(({ text: after }) => !/^[ \t]+$/.test(after));
    if (kind !== 'word' || one !== 'int' || next?.text !== '(') return one;
    found = true;
    return INT;
  });
  return text.join('') + (found ? INT_FUNCTION : '');
}

/** Is RS given a value other than the newline? */
function changesRecords(list: readonly Token[]): boolean {
  const code = list.filter(({ text }) => !/^\s+$/.test(text));
  return code.some(
    ({ kind, text }, index) =>
      kind === 'word' &&
      text === 'RS' &&
      code[index + 1]?.text === '=' &&
      code[index + 2]?.text !== '"\\n"',
  );
}

async function awk(tool: Tool) {
  if (tool.args.length === 0) return tool.original();
  const line = await commandLine(tool);
  if (line === undefined) return undefined;
  const begin = line.assigned.map(({ name, value }) => `${name} = ${quoted(value)}`).join('; ');
  const list = tokens(begin === '' ? line.program : `BEGIN { ${begin} }\n${line.program}`);
  if (changesRecords(list)) {
    throw new UsageError(
      'records other than lines (RS) are not possible here; ' +
        "turn the separator into newlines first, as with tr or sed, or use sed's N and D",
      { status: 2, hint: false },
    );
  }
  return tool.original([...line.options, truncating(list), ...line.operands]);
}

/** awk. */
export const awkShims: ShimFactory = (host) => [
  defineTool(
    host,
    {
      name: 'awk',
      usage: "Usage: awk [-F FS] [-v VAR=VALUE]... 'PROGRAM' | -f FILE [FILE]...",
      usageStatus: 2,
    },
    awk,
  ),
];
