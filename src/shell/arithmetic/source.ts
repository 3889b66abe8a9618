/** The text of an expression: as it is written, or from expansions that can be made at once. */
import { parse } from 'just-bash';
import type { InterpreterState, WordPart } from '../interpreter-types.ts';
import { NotHere } from './evaluate.ts';
import { withoutMarks } from './marks.ts';
import type { Arithmetics } from './outcome.ts';
import { DYNAMIC, referred } from './variables.ts';

/** Names that just-bash makes values for are expanded like `$NAME`. */
const BARE_DYNAMIC = new RegExp(
  `(?<![\\w$\\{])(?:${[...DYNAMIC].join('|')})(?!\\w|\\[|\\s*(?:[-+*/%&^|]|<<|>>)?=(?!=)|\\s*(?:\\+\\+|--))`,
  'g',
);

/** The parts of an expression's text, expansions told from text; null where it cannot be parsed. */
export function partsOf(text: string): WordPart[] | null {
  const named = withoutMarks(text).replace(BARE_DYNAMIC, (name) => `\${${name}}`);
  if (!/[$`\\"']/.test(named)) return [{ type: 'Literal', value: named }];
  // Single quotes are an error in bash, and quotes around parts count for nothing.
  if (named.includes("'") || named.includes('\\')) return null;
  try {
    const script = parse(`x="${outsideQuotes(named)}"`);
    const [command] = script.statements[0]?.pipelines[0]?.commands ?? [];
    if (script.statements.length !== 1 || command?.type !== 'SimpleCommand') return null;
    return command.assignments[0]?.value?.parts ?? null;
  } catch (error) {
    // It was parsed once already, in its script; what is special about it is just-bash's.
    if (error instanceof Error) return null;
    throw error;
  }
}

/** Without double quotes, save those inside substitutions. */
function outsideQuotes(text: string): string {
  return text.includes('$(') || text.includes('`') ? text : text.replaceAll('"', '');
}

/** The text of parts, where it can be had at once; null where the interpreter must expand them. */
export function textOf(
  parts: readonly WordPart[],
  state: InterpreterState,
  arithmetics: Arithmetics,
): string | null {
  let text = '';
  for (const part of parts) {
    const piece = pieceOf(part, state, arithmetics);
    if (piece === null) return null;
    text += piece;
  }
  return text;
}

/** Parts that are text as they are; in an expression a pattern is one: `a[0]`. */
const TEXT: ReadonlySet<string> = new Set(['Literal', 'SingleQuoted', 'Escaped', 'Glob']);

/** Can the text ever be had at once? */
export function isPlain(parts: readonly WordPart[]): boolean {
  return parts.every((part) => {
    if (part.type === 'DoubleQuoted') return isPlain(part.parts);
    if (part.type === 'ParameterExpansion') {
      return part.operation === null && !DYNAMIC.has(part.parameter);
    }
    return TEXT.has(part.type);
  });
}

function pieceOf(part: WordPart, state: InterpreterState, arithmetics: Arithmetics): string | null {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'Escaped':
      return part.value;
    case 'Glob':
      return part.pattern;
    case 'DoubleQuoted':
      return textOf(part.parts, state, arithmetics);
    case 'ParameterExpansion':
      return part.operation === null ? parameter(part.parameter, state, arithmetics) : null;
    default:
      return null;
  }
}

function parameter(name: string, state: InterpreterState, arithmetics: Arithmetics): string | null {
  if (name === '?') return String(state.lastExitCode);
  if (name === '#') return state.env.get('#') ?? '0';
  const [, base = '', subscript] = /^(\w+)(?:\[(.+)\])?$/s.exec(name) ?? [];
  if (base === '' || base === '0' || DYNAMIC.has(base)) return null;
  const value =
    subscript === undefined ? scalar(base, state) : element(base, subscript, state, arithmetics);
  // just-bash says what is wrong about an unset one.
  return value === undefined && state.options['nounset'] === true ? null : (value ?? '');
}

function scalar(name: string, state: InterpreterState): string | undefined {
  const target = followed(name, state);
  return state.arrays.get(target)?.elements.get('0') ?? state.env.get(target);
}

/** What a name reference refers to, itself where that is no name. */
export function followed(name: string, state: InterpreterState): string {
  try {
    return referred(state, name);
  } catch (error) {
    if (error instanceof NotHere) return name;
    throw error;
  }
}

function element(
  name: string,
  subscript: string,
  state: InterpreterState,
  arithmetics: Arithmetics,
): string | undefined | null {
  const target = followed(name, state);
  const array = state.arrays.get(target);
  if (array === undefined || /[@*$`"']/.test(subscript)) return null;
  if (state.associativeArrays?.has(target) === true) return array.elements.get(subscript);
  const index = arithmetics.outcome(subscript, state);
  if (index === null || 'failure' in index || index.value < 0n) return null;
  index.commit();
  return array.elements.get(String(index.value));
}
