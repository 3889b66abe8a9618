/** bc, with -l, over files and stdin. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { defineTool, type Tool, toText } from '../support/tool.ts';
import { Machine, RunProblem } from './run.ts';
import { Parser, type Statement, SyntaxProblem } from './syntax.ts';

/** Runs a program to its end. False if it quit. */
function runProgram(tool: Tool, machine: Machine, source: string, where: string): boolean {
  // What no newline ends is no statement to GNU's.
  const end = source.lastIndexOf('\n') + 1;
  const cut = source.slice(end).trim() !== '';
  for (const piece of pieces(source.slice(0, cut ? end : source.length))) {
    try {
      const parser = new Parser(piece);
      const statements: Statement[] = [];
      for (let one = parser.next(); one !== null; one = parser.next()) statements.push(one);
      for (const one of statements) if (!machine.run(one)) return false;
    } catch (error) {
      if (error instanceof SyntaxProblem) tool.stderr += `${where} 1: ${error.message}\n`;
      else if (error instanceof RunProblem) {
        tool.stderr += `Runtime error (func=(main), adr=0): ${error.message}\n`;
      } else throw error;
    }
  }
  if (cut) {
    const line = source.slice(0, end).split('\n').length;
    tool.stderr += `${where} ${line}: syntax error\n`;
  }
  return true;
}

/** The lines of a program, those of a block together: a mistake in one does not keep the next from running. */
function pieces(source: string): string[] {
  const list: string[] = [];
  let piece = '';
  let depth = 0;
  let comment = false;
  for (const line of source.replaceAll('\\\n', '').split('\n')) {
    piece += `${line}\n`;
    for (const [mark] of line.matchAll(/"[^"]*"?|\/\*|\*\/|[{}#]/g)) {
      if (mark === '/*') comment = true;
      else if (mark === '*/') comment = false;
      else if (comment) continue;
      else if (mark === '#') break;
      else if (mark === '{') depth += 1;
      else if (mark === '}') depth -= 1;
    }
    const quoted = piece.split('"').length % 2 === 0;
    const open =
      depth > 0 || comment || quoted || /^\s*(?:if|while|for|define)\b[^;{]*\)\s*$/.test(line);
    if (open) continue;
    list.push(piece);
    piece = '';
    depth = 0;
  }
  if (piece !== '') list.push(piece);
  // `else` on a line of its own belongs to the block before.
  return list.reduce<string[]>((all, one) => {
    if (/^\s*else\b/.test(one) && all.length > 0) all.push(`${all.pop() ?? ''}${one}`);
    else all.push(one);
    return all;
  }, []);
}

async function bc(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'lqswi',
    long: { mathlib: 'l', quiet: 'q', standard: 's', warn: 'w', interactive: 'i' },
  });
  const machine = new Machine((text) => tool.print(text), options.has('l'));
  for (const file of options.operands) {
    const program = await tool.tryRead(file, 1, `File ${file} is unavailable`);
    if (program === undefined) return;
    if (!runProgram(tool, machine, toText(program), file)) return;
  }
  runProgram(tool, machine, toText(tool.stdin), '(standard_in)');
}

/** bc. */
export const bcShims: ShimFactory = (host) => [
  defineTool(host, { name: 'bc', usage: 'Usage: bc [OPTION]... [FILE]...' }, bc),
];
