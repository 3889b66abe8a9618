/**
 * Expansions of a parameter that just-bash gets wrong, worked out at the moment that it looks at
 * them: `${#?}`, `${x: -8}` beyond the start, `${x/*\/y}` of what is unset, and `${x//a/<&>}`, in
 * which `&` is what was found.
 */

import { followed } from './arithmetic/source.ts';
import { isFile } from './call-stack.ts';
import { ansiQuoted } from './declared.ts';
import { hashedKeys } from './hash-order.ts';
import type { InterpreterState, WordPart } from './interpreter-types.ts';
import { negation, removeFitting, replaceFitting } from './negations.ts';
import { type Stretch, sourceOf } from './pattern-source.ts';
import { positional } from './positional.ts';
import { quoted } from './quote.ts';

export type ParameterExpansion = Extract<WordPart, { type: 'ParameterExpansion' }>;
type Operation = NonNullable<ParameterExpansion['operation']>;
type Replacement = Extract<Operation, { type: 'PatternReplacement' }>;
type Removal = Extract<Operation, { type: 'PatternRemoval' }>;
type Expression = Extract<Operation, { type: 'Substring' }>['offset'];

/** What an expression comes to; null where it cannot be told beforehand. */
export type Compute = (expression: string) => bigint | null;

/** For a value that was worked out here. The script cannot see it. */
const SCRATCH = '__dirigent_value';

/**
 * The part, or one that becomes its value when it is looked at.
 * @param written the part as it was parsed
 */
export function mendedParameter(
  part: ParameterExpansion,
  written: ParameterExpansion,
  state: () => InterpreterState,
  compute: Compute,
): ParameterExpansion {
  const indirect = written.operation?.type === 'Indirection';
  const value = valueFor(written, compute) ?? (indirect ? () => null : null);
  if (value === null) return part;
  const known = (): string | null => {
    const now = state();
    const found = value(now);
    if (found === null) return null;
    if (typeof found === 'string') {
      now.env.set(SCRATCH, found);
      return SCRATCH;
    }
    const elements = new Map(found.map((text, index) => [String(index), text]));
    now.arrays.set(SCRATCH, { kind: 'indexed', elements });
    return `${SCRATCH}[${/\*\]?$/.test(part.parameter) ? '*' : '@'}]`;
  };
  return Object.defineProperties(
    { ...part },
    {
      parameter: { get: () => known() ?? part.parameter, enumerable: true },
      operation: {
        get: () => wrongTarget(written, state()) ?? (known() === null ? part.operation : null),
        enumerable: true,
      },
    },
  );
}

/** `${!x}` where x holds what is no name; just-bash takes it for one that is unset. */
function wrongTarget(
  { parameter, operation }: ParameterExpansion,
  state: InterpreterState,
): Operation | null {
  if (operation?.type !== 'Indirection' || state.namerefs?.has(parameter) === true) return null;
  const name = scalar(parameter, state);
  if (name === undefined || /^(?:[A-Za-z_]\w*(?:\[[\s\S]+\])?|\d+|[@*#?$!_-])$/.test(name))
    return null;
  return { type: 'BadSubstitution', text: `\${!${parameter}}: ${name}` };
}

/** Drops what was made for a command. */
export function forgetValues(state: InterpreterState): void {
  state.env.delete(SCRATCH);
  state.arrays.delete(SCRATCH);
}

type Value = (state: InterpreterState) => string | string[] | null;

/** How its value is found; null where just-bash finds it. */
function valueFor({ parameter, operation }: ParameterExpansion, compute: Compute): Value | null {
  switch (operation?.type) {
    case 'Length':
      if (parameter === '?') return ({ lastExitCode }) => String(String(lastExitCode).length);
      return parameter === '@' || parameter === '*' ? ({ env }) => env.get('#') ?? '0' : null;
    case 'PatternRemoval':
      // `${##}`: how long is the number of arguments?
      return parameter === '#' && isEmpty(operation.pattern.parts)
        ? ({ env }) => String((env.get('#') ?? '0').length)
        : removedValue(parameter, operation);
    case 'Substring':
      return /^\w+$/.test(parameter) ? beyondStart(parameter, operation.offset, compute) : null;
    case 'PatternReplacement':
      return replacedValue(parameter, operation);
    case 'Transform':
      return operation.operator === 'Q' ? quotedValue(parameter) : null;
    case 'DefaultValue':
      return /^@$|\[@\]$/.test(parameter)
        ? valuesUnlessNone(parameter, operation.checkEmpty)
        : null;
    case 'Indirection':
      return operation.innerOp?.type === 'Transform' && operation.innerOp.operator === 'Q'
        ? quotedTarget(parameter)
        : null;
    case 'CaseModification':
      return operation.pattern === null && !operation.all
        ? firstLetters(parameter, operation.direction)
        : null;
    case undefined:
      return parameter === '-' ? optionLetters : null;
    default:
      return null;
  }
}

/** `${x@Q}`: as a word that the shell reads back. */
function quotedValue(parameter: string): Value | null {
  if (/^[A-Za-z_0-9]\w*$/.test(parameter)) {
    return (state) => {
      const value = scalar(parameter, state);
      return value === undefined ? null : shellWord(value);
    };
  }
  const values = valuesOf(parameter);
  return values === null ? null : (state) => values(state)?.map(shellWord) ?? null;
}

/** `"${@:-word}"`, where it is not the word: just-bash makes one text of the values. */
function valuesUnlessNone(parameter: string, checkEmpty: boolean): Value | null {
  const values = valuesOf(parameter);
  if (values === null) return null;
  return (state) => {
    const all = values(state) ?? [];
    const isNone = checkEmpty ? all.join(' ') === '' : all.length === 0;
    return isNone ? null : all;
  };
}

/** `${!x@Q}` where x names all the arguments; just-bash quotes them as one. */
function quotedTarget(parameter: string): Value {
  return (state) =>
    /^[@*]$/.test(scalar(parameter, state) ?? '') ? positional(state).map(shellWord) : null;
}

/** `${@^}`: the first letter of each; just-bash takes them for one text. */
function firstLetters(parameter: string, direction: 'upper' | 'lower'): Value | null {
  const values = valuesOf(parameter);
  if (values === null) return null;
  const change = direction === 'upper' ? upperFirst : lowerFirst;
  return (state) => values(state)?.map(change) ?? null;
}

function upperFirst([first = '', ...rest]: string): string {
  return first.toUpperCase() + rest.join('');
}

function lowerFirst([first = '', ...rest]: string): string {
  return first.toLowerCase() + rest.join('');
}

function shellWord(text: string): string {
  return /[\x00-\x1f\x7f]/.test(text) ? ansiQuoted(text) : quoted(text);
}

const LETTERS = Object.entries({
  a: 'allexport',
  e: 'errexit',
  f: 'noglob',
  h: null,
  n: 'noexec',
  u: 'nounset',
  v: 'verbose',
  x: 'xtrace',
  B: null,
  C: 'noclobber',
  E: 'errtrace',
  T: 'functrace',
});

/** `$-`, in bash's order; what has no name of its own is always on. */
function optionLetters(state: InterpreterState): string {
  const letters = LETTERS.filter(([, name]) => name === null || state.options[name] === true);
  return `${letters.map(([letter]) => letter).join('')}${isFile(state) ? '' : 'c'}`;
}

function isEmpty(parts: readonly WordPart[]): boolean {
  return parts.every((part) => part.type === 'Literal' && part.value === '');
}

/** An offset before the first character: nothing is left. */
function beyondStart(name: string, offset: Expression, compute: Compute): Value | null {
  const text = offset.originalText ?? '';
  if (!text.includes('-') && !/[A-Za-z]/.test(text)) return null;
  return (state) => {
    const value = scalar(name, state);
    if (value === undefined) return null;
    const at = compute(text);
    return at !== null && at < 0n && -at > BigInt([...value].length) ? '' : null;
  };
}

function scalar(name: string, state: InterpreterState): string | undefined {
  const target = followed(name, state);
  return state.arrays.get(target)?.elements.get('0') ?? state.env.get(target);
}

/** The value, or the values of a list, after a replacement that just-bash would make otherwise. */
function replacedValue(parameter: string, operation: Replacement): Value | null {
  if (/^\w+$/.test(parameter)) {
    return (state) => {
      const value = scalar(parameter, state);
      if (value !== undefined) return replacement(operation, state)?.(value) ?? null;
      return state.options['nounset'] === true ? null : '';
    };
  }
  const values = valuesOf(parameter);
  if (values === null) return null;
  return (state) => {
    const all = values(state);
    // just-bash lists an associative array in another order, and looks in `*` across its values.
    const always = /\*\]?$/.test(parameter) || isHashed(parameter, state);
    const replace = all === null ? null : replacement(operation, state, always);
    return replace === null ? null : (all?.map(replace) ?? null);
  };
}

/** The value without what is not said by the pattern; null where it holds no negation. */
function removedValue(parameter: string, { pattern, side, greedy }: Removal): Value | null {
  const values = valuesOf(parameter);
  return (state) => {
    if (state.shoptOptions['extglob'] !== true) return null;
    const stretches = stretchesOf(pattern.parts, state);
    const not = stretches && negation(stretches, state.shoptOptions['nocasematch'] === true);
    const given = values === null ? scalar(parameter, state) : values(state);
    if (not === null || given == null) return null;
    const remove = (value: string): string => removeFitting(value, not, side, greedy);
    return typeof given === 'string' ? remove(given) : given.map(remove);
  };
}

/** The values of `@`, `*`, `name[@]` and `name[*]`; null for other parameters. */
function valuesOf(parameter: string): ((state: InterpreterState) => string[] | null) | null {
  if (parameter === '@' || parameter === '*') return positional;
  const [, name = ''] = /^([A-Za-z_]\w*)\[[@*]\]$/.exec(parameter) ?? [];
  return name === '' ? null : (state) => listOf(name, state);
}

/** Is it all of an associative array? */
function isHashed(parameter: string, state: InterpreterState): boolean {
  const name = parameter.replace(/\[[@*]\]$/, '');
  return state.arrays.get(followed(name, state))?.kind === 'associative';
}

/** The elements of an array in bash's order; null for what is none. */
function listOf(name: string, state: InterpreterState): string[] | null {
  const array = state.arrays.get(followed(name, state));
  if (array === undefined) return null;
  const keys =
    array.kind === 'indexed'
      ? [...array.elements.keys()].sort((a, b) => Number(a) - Number(b))
      : hashedKeys(array);
  return keys.map((key) => array.elements.get(key) ?? '');
}

/** How a value is replaced; null where just-bash does as bash does. */
function replacement(
  operation: Replacement,
  state: InterpreterState,
  always = false,
): ((value: string) => string) | null {
  const replacement = stretchesOf(operation.replacement?.parts ?? [], state);
  const pattern = stretchesOf(operation.pattern.parts, state);
  if (replacement === null || pattern === null) return null;
  const fold = state.shoptOptions['nocasematch'] === true;
  const inserting = (found: string): string =>
    replacement.map((stretch) => inserted(stretch, found)).join('');
  const not = state.shoptOptions['extglob'] === true ? negation(pattern, fold) : null;
  if (not !== null) {
    return (value) => replaceFitting(value, not, operation.anchor, operation.all, inserting);
  }
  const special = replacement.some(({ text, quoted }) => !quoted && /[&\\]/.test(text));
  const escapes = pattern.some(({ text, quoted }) => !quoted && text.includes('\\'));
  if (!special && !escapes && !always) return null;
  const source = together(pattern).map(sourceOf);
  if (source.includes(null)) return null;
  const body = source.join('');
  // An empty pattern fits nowhere but at an end that it is tied to.
  if (body === '' && operation.anchor === null) return (value) => value;
  const start = operation.anchor === 'start' ? '^' : '';
  const end = operation.anchor === 'end' ? '$' : '';
  const expression = new RegExp(
    `${start}(?:${body})${end}`,
    `su${operation.all ? 'g' : ''}${fold ? 'i' : ''}`,
  );
  return (value) =>
    value.replace(expression, (found) =>
      found === '' && operation.anchor === null && value !== '' ? '' : inserting(found),
    );
}

/** `&` is what was found, `\&` an ampersand, and `\\` a backslash. */
function inserted({ text, quoted }: Stretch, found: string): string {
  if (quoted) return text;
  return text.replace(/\\([&\\])|&/g, (_whole, escaped?: string) => escaped ?? found);
}

/** The parts as text; null where something must be run for it. */
function stretchesOf(parts: readonly WordPart[], state: InterpreterState): Stretch[] | null {
  const made: Stretch[] = [];
  for (const part of parts) {
    const inner = stretchOf(part, state);
    if (inner === null) return null;
    made.push(...inner);
  }
  return made;
}

function stretchOf(part: WordPart, state: InterpreterState): Stretch[] | null {
  switch (part.type) {
    case 'SingleQuoted':
    case 'Escaped':
      return [{ text: part.value, quoted: true }];
    case 'Literal':
      return [{ text: part.value, quoted: false }];
    case 'Glob':
      return [{ text: part.pattern, quoted: false }];
    case 'DoubleQuoted': {
      const inner = stretchesOf(part.parts, state);
      return inner?.map(({ text }) => ({ text, quoted: true })) ?? null;
    }
    case 'ParameterExpansion': {
      if (part.operation !== null || !/^\w+$/.test(part.parameter)) return null;
      const value = scalar(part.parameter, state);
      return value === undefined ? null : [{ text: value, quoted: false }];
    }
    default:
      return null;
  }
}

/** A class is parsed as two stretches: `[` and the rest. */
function together(stretches: readonly Stretch[]): Stretch[] {
  const made: Stretch[] = [];
  for (const one of stretches) {
    const last = made.at(-1);
    if (last !== undefined && !last.quoted && !one.quoted) last.text += one.text;
    else made.push({ ...one });
  }
  return made;
}
