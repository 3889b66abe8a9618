/** Words that come to one text without waiting for anything, compiled once. */
import type { WordNode } from 'just-bash';
import type { Arithmetics, Expression } from '../arithmetic/outcome.ts';
import { withOperators } from '../arithmetic/rewrite.ts';
import { isPlain, partsOf, textOf } from '../arithmetic/source.ts';
import {
  ArithmeticSyntaxError,
  parseArithmetic,
  type Arithmetic as Tree,
} from '../arithmetic/syntax.ts';
import { DYNAMIC } from '../arithmetic/variables.ts';
import type { InterpreterState, WordPart } from '../interpreter-types.ts';
import type { Text } from './compiled.ts';
import { assigningNumber, isOwn, type SmallNumber, smallNumber } from './numbers.ts';
import { type Pieces, patternOf, without } from './patterns.ts';

/** The key of an element, or null: of an array with numbers or with words. */
export type Key = (state: InterpreterState, associative: boolean) => string | null;
/** A parameter as it is: undefined where unset. */
type Raw = (state: InterpreterState) => string | null | undefined;

type Parameter = Extract<WordPart, { type: 'ParameterExpansion' }>;
type Operation = NonNullable<Parameter['operation']>;

/** Characters of which none separates words or is a wildcard, whatever `IFS` holds by default. */
const ONE_WORD = /^[\w.,:/+@%=-]+$/;
const ASCII = /^[\x00-\x7f]*$/;
/** Noncharacters are marks of the shell's own. */
const MARKED = /[\uFDD0-\uFDEF]/;
const NAME = /^[A-Za-z_]\w*$/;
const DEFAULT_IFS = ' \t\n';
/** Texts of more characters are made by the interpreter, which counts them towards its limits. */
const LONGEST = 2 ** 24;

export class Words {
  readonly #arithmetics: Arithmetics;

  constructor(arithmetics: Arithmetics) {
    this.#arithmetics = arithmetics;
  }

  /** A word that is not split: the value of an assignment, an operand of `[[`. */
  value(word: WordNode): Text | null {
    return this.#joined(word.parts, false);
  }

  /** A word of a command, as far as it is sure to be exactly one. */
  argument(word: WordNode): Text | null {
    const [part, ...more] = word.parts;
    if (part === undefined) return null;
    // An empty one would be none.
    const text = this.#joined(word.parts, true);
    if (text === null || more.length > 0 || part.type !== 'ParameterExpansion') return text;
    return (state) => text(state) || null;
  }

  /** An expression without effects, as a number. */
  number(expression: Expression): SmallNumber | null {
    const tree = this.#treeOf(expression);
    return tree === null ? null : smallNumber(tree);
  }

  /** An expression that is a command of its own: its value, or null. */
  command(expression: Expression): ((state: InterpreterState) => bigint | number | null) | null {
    const parts = partsOf(withOperators(expression.originalText) ?? '');
    if (parts === null || expression.originalText === undefined || !isPlain(parts)) return null;
    const tree = this.#treeOf(expression);
    const small = tree === null ? null : assigningNumber(tree);
    return (state) => {
      const value = small?.(state) ?? Number.NaN;
      if (!Number.isNaN(value)) return value;
      const text = textOf(parts, state, this.#arithmetics);
      const outcome = text === null ? null : this.#arithmetics.outcome(text, state);
      if (outcome === null || 'failure' in outcome) return null;
      outcome.commit();
      return outcome.value;
    };
  }

  /** What stands between the brackets of `a[…]`. */
  key(written: string): Key | null {
    const names = written.match(/[A-Za-z_]\w*/g) ?? [];
    if (/^[@*]?$/.test(written) || names.some((name) => DYNAMIC.has(name))) return null;
    const parts = partsOf(written);
    const text = parts === null ? null : this.#joined(parts, false);
    if (parts === null || text === null) return null;
    const index = treeOf(parts);
    const number = index === null ? null : smallNumber(index);
    return (state, associative) => {
      if (associative) return text(state) || null;
      const value = number?.(state) ?? Number.NaN;
      return value >= 0 ? String(value) : null;
    };
  }

  /** `${a[KEY]}` */
  #element(parameter: string): Raw | null {
    const [, name = '', written = ''] = /^([A-Za-z_]\w*)\[(.+)\]$/s.exec(parameter) ?? [];
    const key = name === '' || DYNAMIC.has(name) ? null : this.key(written);
    if (key === null) return null;
    return (state) => {
      const array = state.namerefs?.has(name) === true ? undefined : state.arrays.get(name);
      const at = array === undefined ? null : key(state, array.kind === 'associative');
      return at === null ? null : array?.elements.get(at);
    };
  }

  #treeOf(expression: Expression): Tree | null {
    const text = withOperators(expression.originalText);
    const parts = text === undefined ? null : partsOf(text);
    return parts === null ? null : treeOf(parts);
  }

  #joined(parts: readonly WordPart[], split: boolean): Text | null {
    const texts: Text[] = [];
    for (const part of parts) {
      const text = this.#part(part, split);
      if (text === null) return null;
      texts.push(text);
    }
    const [only] = texts;
    if (texts.length === 1 && only !== undefined) return only;
    return (state) => {
      let whole = '';
      for (const text of texts) {
        const piece = text(state);
        if (piece === null || whole.length + piece.length > LONGEST) return null;
        whole += piece;
      }
      return whole;
    };
  }

  #part(part: WordPart, split: boolean): Text | null {
    switch (part.type) {
      case 'Literal':
      case 'SingleQuoted':
      case 'Escaped': {
        const { value } = part;
        return MARKED.test(value) ? null : () => value;
      }
      case 'DoubleQuoted':
        return this.#joined(part.parts, false);
      case 'ArithmeticExpansion':
        return this.#split(this.#arithmetic(part.expression), split);
      case 'ParameterExpansion': {
        return this.#split(this.#parameter(part), split);
      }
      default:
        return null;
    }
  }

  #split(text: Text | null, split: boolean): Text | null {
    return text === null || !split ? text : (state) => unsplit(text(state), state);
  }

  /** Without effects: another word of the command may yet have to be left to the interpreter. */
  #arithmetic(expression: Expression): Text | null {
    const small = this.number(expression);
    if (small === null) return null;
    return (state) => {
      const value = small(state);
      return Number.isNaN(value) ? null : String(value);
    };
  }

  #parameter({ parameter, operation }: Parameter): Text | null {
    if (operation?.type === 'Length') {
      const [, array] = /^([A-Za-z_]\w*)\[[@*]\]$/.exec(parameter) ?? [];
      if (array !== undefined) return (state) => countOf(array, state);
    }
    const raw = plainParameter(parameter) ?? this.#element(parameter);
    if (raw === null) return null;
    const set: Text = (state) => {
      const text = raw(state);
      return text === undefined ? (state.options['nounset'] === true ? null : '') : text;
    };
    if (operation === null) return set;
    // `${##}` is how long `$#` is.
    return parameter === '#' && operation.type === 'PatternRemoval'
      ? null
      : this.#operation(operation, set, raw);
  }

  #operation(operation: Operation, text: Text, raw: Raw): Text | null {
    switch (operation.type) {
      case 'Length':
        return onAscii(text, (value) => String(value.length));
      case 'DefaultValue':
      case 'UseAlternative': {
        const { word, checkEmpty } = operation;
        // Quotes inside are read by rules of their own.
        const plain = word.parts.every(
          ({ type }) => type === 'Literal' || type === 'ParameterExpansion',
        );
        const other = plain ? this.value(word) : null;
        if (other === null) return null;
        const alternative = operation.type === 'UseAlternative';
        return (state) => {
          const value = raw(state);
          if (value === null) return null;
          if (value === undefined || (checkEmpty && value === ''))
            return alternative ? '' : other(state);
          return alternative ? other(state) : value;
        };
      }
      case 'PatternRemoval': {
        const pattern = patternOf(operation.pattern, (part) => this.#part(part, false));
        if (pattern === null) return null;
        const { side, greedy } = operation;
        return both(text, pattern, (value, pieces) => without(value, pieces, side, greedy));
      }
      case 'PatternReplacement': {
        const pattern = patternOf(operation.pattern, (part) => this.#part(part, false));
        const by = operation.replacement === null ? () => '' : this.value(operation.replacement);
        if (pattern === null || by === null || operation.anchor !== null) return null;
        const { all } = operation;
        return (state) => {
          const put = by(state);
          // `&` may be what was found.
          if (put === null || /[&\\]/.test(put)) return null;
          return both(text, pattern, (value, [found = '', ...more]) => {
            if (more.length > 0 || found === '') return null;
            const longest = value.length + (value.length / found.length) * put.length;
            if (longest > LONGEST) return null;
            return all ? value.replaceAll(found, () => put) : value.replace(found, () => put);
          })(state);
        };
      }
      case 'CaseModification': {
        const { all, direction, pattern } = operation;
        if (pattern !== null) return null;
        return onAscii(text, (value) => {
          const turned = direction === 'upper' ? value.toUpperCase() : value.toLowerCase();
          return all ? turned : turned.charAt(0) + value.slice(1);
        });
      }
      case 'Substring': {
        const offset = this.number(operation.offset);
        const length = operation.length === null ? null : this.number(operation.length);
        if (offset === null || (operation.length !== null && length === null)) return null;
        return (state) => {
          const from = offset(state);
          const count = length === null ? Number.POSITIVE_INFINITY : length(state);
          if (Number.isNaN(from) || Number.isNaN(count) || count < 0) return null;
          return onAscii(text, (value) => {
            const start = from < 0 ? value.length + from : from;
            return start < 0 || start > value.length ? '' : value.slice(start, start + count);
          })(state);
        };
      }
      default:
        return null;
    }
  }
}

/** The tree of an expression that is the same each time; null for any other. */
function treeOf(parts: readonly WordPart[]): Tree | null {
  const plain = namesOf(parts);
  if (plain === null) return null;
  try {
    return parseArithmetic(plain);
  } catch (error) {
    // What is wrong with it is said when it runs.
    if (error instanceof ArithmeticSyntaxError) return null;
    throw error;
  }
}

/** The text of an expression, `$x` written as `x`, which means the same where x is a number. Null for others. */
function namesOf(parts: readonly WordPart[]): string | null {
  let text = '';
  for (const part of parts) {
    if (part.type === 'Literal') text += part.value;
    else if (part.type === 'ParameterExpansion' && part.operation === null) {
      // Not as a part of a longer name or number, nor behind a sign that it would double.
      if (!NAME.test(part.parameter) || /[\w$-]\s*$/.test(text)) return null;
      text += ` ${part.parameter} `;
    } else return null;
  }
  return /\w {2}\w/.test(text) ? null : text;
}

/** A parameter that is no element: undefined where unset, null where the interpreter must look. */
function plainParameter(name: string): Raw | null {
  if (name === '?') return (state) => String(state.lastExitCode);
  if (name === '#') return (state) => state.env.get('#') ?? '0';
  if (/^[1-9]\d*$/.test(name)) return (state) => state.env.get(name);
  if (!NAME.test(name) || DYNAMIC.has(name) || name === '_') return null;
  return (state) => (isOwn(state, name) ? state.env.get(name) : null);
}

function countOf(name: string, state: InterpreterState): string | null {
  const array = state.namerefs?.has(name) === true ? undefined : state.arrays.get(name);
  return array === undefined || DYNAMIC.has(name) ? null : String(array.elements.size);
}

/** An unquoted text, if it stays one word. */
function unsplit(text: string | null, state: InterpreterState): string | null {
  if (text === null) return null;
  const separators = state.env.get('IFS');
  const usual = separators === undefined || separators === DEFAULT_IFS;
  return usual && ONE_WORD.test(text) ? text : null;
}

function onAscii(text: Text, change: (value: string) => string): Text {
  return (state) => {
    const value = text(state);
    return value === null || !ASCII.test(value) ? null : change(value);
  };
}

function both(
  text: Text,
  pattern: (state: InterpreterState) => Pieces | null,
  change: (value: string, pieces: Pieces) => string | null,
): Text {
  return (state) => {
    const [value, pieces] = [text(state), pattern(state)];
    return value === null || pieces === null ? null : change(value, pieces);
  };
}
