/**
 * `local files=(*.md)`, `declare -A m=([k]="v w")`: just-bash's parser keeps the
 * words of such a literal as text, and loses what it cannot spell: `$(…)` becomes
 * nothing, `"$@"` one word, a value ends at its first blank. Here the script is
 * parsed once more, each literal stands as a mark in it, and the literal's words,
 * parsed as those of a plain assignment, are hung on the argument.
 */
import { parse, type ScriptNode, type WordNode } from 'just-bash';
import { spellAssignmentWords } from './assignment-words.ts';

/** An argument `name=(…)` or `name+=(…)` of declare and its kin, with its words as they were written. */
export interface ArrayArgument extends WordNode {
  elements: WordNode[];
}

/** The commands whose arguments may be array literals. */
export const DECLARES: ReadonlySet<string> = new Set([
  'declare',
  'typeset',
  'local',
  'readonly',
  'export',
]);

const DECLARE = /\b(?:declare|typeset|local|readonly|export)[ \t]/;
/** From such a command to the first literal among its arguments, on the same line. */
const FIRST = /\b(?:declare|typeset|local|readonly|export)[ \t][^\n;|&]*?\b[A-Za-z_]\w*\+?=\(/g;
/** From the end of a literal to the next one of the same command. */
const NEXT = /[ \t][^\n;|&]*?\b[A-Za-z_]\w*\+?=\(/y;
const ARGUMENT = /^[A-Za-z_]\w*\+?=\((\w+)\)$/;

/** Parentheses that may close a literal are tried in turn, but not for ever. */
const MOST_TRIES = 500;

/** A literal found in a script: the text between its parentheses. */
interface Literal {
  start: number;
  end: number;
  elements: WordNode[];
}

/** The script, its array literals kept whole; null if it has none. */
export function parseWithArrays(script: string): ScriptNode | null {
  if (!DECLARE.test(script)) return null;
  const found = findLiterals(script);
  if (found.length === 0) return null;
  let prefix = 'dirigent_array';
  while (script.includes(prefix)) prefix += '_';
  // What stands in a comment, a quoted string or a here-document does not come out as an argument.
  const real = attach(withMarks(script, found, prefix), found, prefix);
  if (real === null || real.literals.length === 0) return null;
  if (real.literals.length === found.length) return real.node;
  const again = attach(withMarks(script, real.literals, prefix), real.literals, prefix);
  return again?.node ?? null;
}

/** Is the word such an argument? */
export function isArrayArgument(word: WordNode): word is ArrayArgument {
  return 'elements' in word;
}

/** Does the script hold literals that were parsed without {@link parseWithArrays}? */
export function hasLostArrays(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return false;
  const command = node as { type?: unknown; args?: unknown };
  if (command.type === 'SimpleCommand' && Array.isArray(command.args)) {
    const lost = (command.args as WordNode[]).some(
      (word) =>
        !isArrayArgument(word) &&
        word.parts[0]?.type === 'Literal' &&
        /^[A-Za-z_]\w*\+?=\(/.test(word.parts[0].value),
    );
    if (lost) return true;
  }
  return Object.values(node).some(hasLostArrays);
}

function findLiterals(script: string): Literal[] {
  const found: Literal[] = [];
  const first = new RegExp(FIRST);
  const next = new RegExp(NEXT);
  for (let match = first.exec(script); match !== null; match = first.exec(script)) {
    let start: number | undefined = match.index + match[0].length;
    while (start !== undefined) {
      const literal = literalAt(script, start);
      if (literal === null) break;
      found.push(literal);
      next.lastIndex = literal.end + 1;
      const more = next.exec(script);
      start = more === null ? undefined : next.lastIndex;
      first.lastIndex = literal.end;
    }
  }
  return found;
}

/** The literal whose text begins here: it ends at the first parenthesis with which it can be parsed. */
function literalAt(script: string, start: number): Literal | null {
  let end = start - 1;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    end = script.indexOf(')', end + 1);
    if (end < 0) return null;
    const elements = parseElements(script.slice(start, end));
    if (elements !== null) return { start, end, elements };
  }
  return null;
}

function parseElements(text: string): WordNode[] | null {
  const command = onlyCommand(spellAssignmentWords(`x=(${text})`));
  const [assignment, ...others] = command?.assignments ?? [];
  const alone = command?.name === null && command.redirections.length === 0 && others.length === 0;
  return alone ? (assignment?.array ?? null) : null;
}

/** The script's one simple command, or null if it is anything else. */
export function onlyCommand(script: string) {
  const node = parsed(script);
  const [statement, ...statements] = node?.statements ?? [];
  const [pipeline, ...pipelines] = statement?.pipelines ?? [];
  const [command, ...commands] = pipeline?.commands ?? [];
  if (statements.length + pipelines.length + commands.length > 0) return null;
  return command?.type === 'SimpleCommand' ? command : null;
}

function parsed(script: string): ScriptNode | null {
  try {
    return parse(script);
  } catch (error) {
    // No script: that is the question here.
    if (error instanceof Error) return null;
    throw error;
  }
}

/** The script with a mark in the place of each literal, and as many lines. */
function withMarks(script: string, literals: readonly Literal[], prefix: string): string {
  let text = '';
  let at = 0;
  for (const [index, { start, end }] of literals.entries()) {
    const lines = script.slice(start, end).split('\n').length - 1;
    text += `${script.slice(at, start)}${prefix}${index}${'\n'.repeat(lines)}`;
    at = end;
  }
  return text + script.slice(at);
}

/** Parses a script with marks, and hangs the words on the arguments in which the marks came out. */
function attach(
  script: string,
  literals: readonly Literal[],
  prefix: string,
): { node: ScriptNode; literals: Literal[] } | null {
  const node = parsed(script);
  if (node === null) return null;
  const real = new Set<Literal>();
  visit(node, (word) => {
    const part = word.parts.length === 1 ? word.parts[0] : undefined;
    const mark = part?.type === 'Literal' ? ARGUMENT.exec(part.value)?.[1] : undefined;
    if (mark?.startsWith(prefix) !== true) return;
    const literal = literals[Number(mark.slice(prefix.length))];
    if (literal === undefined) return;
    real.add(literal);
    Object.assign(word, { elements: literal.elements });
  });
  return { node, literals: literals.filter((literal) => real.has(literal)) };
}

/** Shows each argument of declare and its kin, at any depth. */
function visit(node: unknown, see: (word: WordNode) => void): void {
  if (typeof node !== 'object' || node === null) return;
  const command = node as { type?: unknown; name?: WordNode | null; args?: WordNode[] };
  if (command.type === 'SimpleCommand' && DECLARES.has(literalText(command.name ?? null) ?? '')) {
    for (const word of command.args ?? []) see(word);
  }
  for (const inner of Object.values(node)) visit(inner, see);
}

/** The text of a word that is nothing but text. */
export function literalText(word: WordNode | null): string | null {
  const [part, ...others] = word?.parts ?? [];
  return part?.type === 'Literal' && others.length === 0 ? part.value : null;
}
