/** bc, with -l, over files and stdin. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { defineTool, type Tool, toText } from '../support/tool.ts';
import { Machine, RunProblem } from './run.ts';
import { Parser, type Statement, SyntaxProblem } from './syntax.ts';

/** A part of the program: a file, or what comes on stdin. */
interface Source {
  name: string;
  text: string;
}

/** Runs a program to its end, or until it quits: its sources are one text. */
function runProgram(tool: Tool, machine: Machine, sources: readonly Source[]): void {
  const whole = sources.map(({ text }) => text).join('');
  const tell = (at: number, message: string): void => {
    tool.stderr += `${placeOf(at, whole, sources)}: ${message}\n`;
  };
  for (const { text, from } of pieces(whole)) {
    const { statements, problem, illegal } = readPiece(text);
    // What no newline ends is no statement to GNU's.
    const end = problem ?? (text.endsWith('\n') ? null : text.length);
    for (const { at, text: char } of illegal) {
      if (end === null || at < end) tell(from + at, illegalCharacter(char));
    }
    if (end !== null) tell(from + end, 'syntax error');
    for (const { at, text: char } of illegal) {
      if (end !== null && at >= end) tell(from + at, illegalCharacter(char));
    }
    if (end !== null || illegal.length > 0) continue;
    try {
      for (const one of statements) if (!machine.run(one)) return;
    } catch (error) {
      if (!(error instanceof RunProblem)) throw error;
      tool.stderr += `Runtime error (func=(main), adr=0): ${error.message}\n`;
    }
  }
}

/** The statements of a piece, or how far it was read where one is none. */
function readPiece(text: string): {
  statements: Statement[];
  problem: number | null;
  illegal: Parser['illegal'];
} {
  const parser = new Parser(text);
  const { illegal } = parser;
  const statements: Statement[] = [];
  try {
    for (let one = parser.next(); one !== null; one = parser.next()) statements.push(one);
    return { statements, problem: null, illegal };
  } catch (error) {
    if (!(error instanceof SyntaxProblem)) throw error;
    return { statements, problem: error.at, illegal };
  }
}

function illegalCharacter(char: string): string {
  const shown = char < ' ' ? `^${String.fromCharCode(char.charCodeAt(0) + 64)}` : char;
  return `illegal character: ${shown}`;
}

/** Source and line of an offset; of the end of all bc says line 1. */
function placeOf(at: number, whole: string, sources: readonly Source[]): string {
  const last = sources.at(-1);
  if (last === undefined || at >= whole.length) return `${last?.name ?? ''} 1`;
  let from = 0;
  for (const { name, text } of sources) {
    if (at < from + text.length) return `${name} ${text.slice(0, at - from).split('\n').length}`;
    from += text.length;
  }
  return `${last.name} 1`;
}

/** A stretch of a program, with its offset. */
interface Stretch {
  text: string;
  from: number;
}

/** The lines of a program, those of a block together: a mistake in one does not keep the next from running. */
function pieces(source: string): Stretch[] {
  const list: Stretch[] = [];
  let piece = '';
  let from = 0;
  let depth = 0;
  let comment = false;
  const end = (): void => {
    // `else` on a line of its own belongs to the block before.
    const before = /^\s*else\b/.test(piece) ? list.at(-1) : undefined;
    if (before !== undefined) before.text += piece;
    else if (piece.endsWith('\n') || piece.trim() !== '') list.push({ text: piece, from });
    from += piece.length;
    piece = '';
    depth = 0;
  };
  for (const line of source.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    piece += line;
    for (const [mark] of line.matchAll(/"[^"]*"?|\/\*|\*\/|[{}#]/g)) {
      if (mark === '/*') comment = true;
      else if (mark === '*/') comment = false;
      else if (comment) continue;
      else if (mark === '#') break;
      else if (mark === '{') depth += 1;
      else if (mark === '}') depth -= 1;
    }
    const quoted = piece.split('"').length % 2 === 0;
    const goesOn = /\\\n$|^\s*(?:if|while|for|define)\b[^;{]*\)\s*$/.test(line);
    if (depth <= 0 && !comment && !quoted && !goesOn) end();
  }
  if (piece !== '') end();
  return list;
}

async function bc(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'lqswi',
    long: { mathlib: 'l', quiet: 'q', standard: 's', warn: 'w', interactive: 'i' },
  });
  const machine = new Machine((text) => tool.print(text), options.has('l'));
  const sources: Source[] = [];
  for (const file of options.operands) {
    const program = await tool.tryRead(file, 1, `File ${file} is unavailable`);
    if (program === undefined) return;
    const text = toText(program);
    // What its last line lacks may follow in the next file, but no more of the same word.
    sources.push({ name: file, text: /[^\n]$/.test(text) ? `${text} ` : text });
  }
  sources.push({ name: '(standard_in)', text: toText(tool.stdin) });
  runProgram(tool, machine, sources);
}

/** bc. */
export const bcShims: ShimFactory = (host) => [
  defineTool(host, { name: 'bc', usage: 'Usage: bc [OPTION]... [FILE]...' }, bc),
];
