/** Commands that print nothing or a text, and wait for nothing: run without the interpreter. */
import type { CommandNode } from 'just-bash';
import { COMPARISONS } from '../arithmetic/comparisons.ts';
import { literalText } from '../array-literals.ts';
import type { InterpreterState } from '../interpreter-types.ts';
import { type Action, type Compiled, LEFT, type Text, valuesOf } from './compiled.ts';
import { appendElements, assignElement } from './elements.ts';
import { isAssignable } from './numbers.ts';
import { fits, patternOf } from './patterns.ts';
import { printf } from './printf.ts';
import { readCommand } from './read.ts';
import type { Words } from './words.ts';

type SimpleCommand = Extract<CommandNode, { type: 'SimpleCommand' }>;
type Assignment = SimpleCommand['assignments'][number];
type Conditional = Extract<CommandNode, { type: 'ConditionalCommand' }>['expression'];
/** True, false, or null where it must be left. */
type Test = (state: InterpreterState) => boolean | null;

const NAME = /^[A-Za-z_]\w*$/;
const SMALL = /^[-+]?\d{1,15}$/;
const NUMBERS: ReadonlyMap<string, (left: number, right: number) => boolean> = new Map([
  ['-eq', (left, right) => left === right],
  ['-ne', (left, right) => left !== right],
  ['-lt', (left, right) => left < right],
  ['-le', (left, right) => left <= right],
  ['-gt', (left, right) => left > right],
  ['-ge', (left, right) => left >= right],
]);

export class Commands {
  readonly #words: Words;

  constructor(words: Words) {
    this.#words = words;
  }

  /** Null for a command that is left to the interpreter each time. */
  compiled(node: CommandNode): Compiled | null {
    if ('redirections' in node && node.redirections.length > 0) return null;
    switch (node.type) {
      case 'SimpleCommand':
        return node.name === null ? this.#assignments(node) : this.#named(node);
      case 'ArithmeticCommand': {
        const value = this.#words.command(node.expression);
        if (value === null) return null;
        const run: Action = ({ state }) => {
          const result = value(state);
          return result === null ? LEFT : Number(Number(result) === 0);
        };
        return { run, name: null };
      }
      case 'ConditionalCommand': {
        const test = this.#conditional(node.expression);
        if (test === null) return null;
        return { run: ({ state }) => statusOf(test(state)), name: null };
      }
      default:
        return null;
    }
  }

  #assignments({ assignments }: SimpleCommand): Compiled | null {
    const [only, ...more] = assignments;
    if (only === undefined || more.length > 0) return null;
    const run = this.#assignment(only);
    return run === null ? null : { run, name: null };
  }

  #assignment({ name, value, append, array }: Assignment): Action | null {
    if (array != null) {
      const texts = array.map((word) => this.#words.argument(word));
      const known = texts.filter((text) => text !== null);
      if (!append || !NAME.test(name) || known.length < texts.length) return null;
      return ({ state, limits }) => {
        const values = valuesOf(known, state);
        return values !== null && appendElements(state, name, values, limits) ? 0 : LEFT;
      };
    }
    const text = value === null ? () => '' : this.#words.value(value);
    if (text === null) return null;
    const [, element = '', written = ''] = /^([A-Za-z_]\w*)\[(.+)\]$/s.exec(name) ?? [];
    if (element !== '') {
      const key = this.#words.key(written);
      if (append || key === null) return null;
      return ({ state, limits }) => (assignElement(state, element, key, text, limits) ? 0 : LEFT);
    }
    if (!NAME.test(name)) return null;
    return ({ state, limits }) => {
      const made = text(state);
      if (made === null || !isAssignable(state, name)) return LEFT;
      const whole = append ? (state.env.get(name) ?? '') + made : made;
      // A limit is counted in bytes, of which a character has up to three.
      if (append && whole.length * 3 > limits.maxStringLength) return LEFT;
      state.env.set(name, whole);
      return 0;
    };
  }

  #named(node: SimpleCommand): Compiled | null {
    const name = nameOf(node);
    if (name === 'read') return readCommand(node, this.#words);
    if (name === null || node.assignments.length > 0) return null;
    const words = name === 'local' ? [] : node.args.map((word) => this.#words.argument(word));
    const texts = words.filter((text) => text !== null);
    if (texts.length < words.length) return null;
    switch (name) {
      case ':':
      case 'true':
      case 'false': {
        const status = Number(name === 'false');
        const run: Action = ({ state }) => {
          const values = valuesOf(texts, state);
          if (values === null) return LEFT;
          state.lastArg = values.at(-1) ?? name;
          return status;
        };
        return { run, name };
      }
      case 'echo':
        return { run: echo(texts), name };
      case 'printf':
        return { run: printf(texts), name };
      case '[':
      case 'test':
        return { run: test(name, texts), name };
      case 'local':
        return this.#local(node);
      default:
        return null;
    }
  }

  /** `local a=$1 b`, in a function. */
  #local({ args }: SimpleCommand): Compiled | null {
    const made: { name: string; text: Text | null }[] = [];
    for (const { parts } of args) {
      const [first, ...rest] = parts;
      if (first?.type !== 'Literal') return null;
      const [, name = '', sign, start = ''] = /^([A-Za-z_]\w*)(=)?(.*)$/s.exec(first.value) ?? [];
      if (name === '' || (sign === undefined && (start !== '' || rest.length > 0))) return null;
      const begins = start === '' ? [] : [{ type: 'Literal' as const, value: start }];
      const text = this.#words.value({ type: 'Word', parts: [...begins, ...rest] });
      // Brackets around a value are those of an array to the interpreter.
      if (text === null || /[~(]/.test(start)) return null;
      made.push({ name, text: sign === undefined ? null : text });
    }
    // A value that names what is made local before it would have to wait for it.
    const later = made.flatMap(({ name }, at) => [name, JSON.stringify(args.slice(at + 1))]);
    for (let at = 0; at < later.length; at += 2) {
      if (later[at + 1]?.includes(later[at] ?? '') === true) return null;
    }
    const run: Action = ({ state }) => declareLocals(state, made);
    return { run, name: 'local' };
  }

  #conditional(node: Conditional): Test | null {
    switch (node.type) {
      case 'CondGroup':
        return this.#conditional(node.expression);
      case 'CondNot': {
        const inner = this.#conditional(node.operand);
        return inner && ((state) => negated(inner(state)));
      }
      case 'CondAnd':
      case 'CondOr': {
        const [left, right] = [this.#conditional(node.left), this.#conditional(node.right)];
        const decides = node.type === 'CondOr';
        if (left === null || right === null) return null;
        return (state) => {
          const first = left(state);
          return first === null || first === decides ? first : right(state);
        };
      }
      case 'CondWord':
        return this.#asks(node.word, (text) => text !== '');
      case 'CondUnary':
        if (node.operator === '-n') return this.#asks(node.operand, (text) => text !== '');
        return node.operator === '-z' ? this.#asks(node.operand, (text) => text === '') : null;
      case 'CondBinary':
        return this.#binary(node);
      default:
        return null;
    }
  }

  #asks(word: SimpleCommand['args'][number], holds: (text: string) => boolean): Test | null {
    const made = this.#words.value(word);
    return (
      made &&
      ((state) => {
        const text = made(state);
        return text === null ? null : holds(text);
      })
    );
  }

  #binary({ operator, left, right }: Extract<Conditional, { type: 'CondBinary' }>): Test | null {
    const first = this.#words.value(left);
    if (first === null) return null;
    const compares = NUMBERS.get(operator);
    if (compares !== undefined) {
      const second = this.#words.value(right);
      if (second === null) return null;
      return (state) => {
        const [a, b] = [first(state), second(state)];
        // Any other text is an expression.
        return a !== null && b !== null && isDecimal(a) && isDecimal(b)
          ? compares(Number(a), Number(b))
          : null;
      };
    }
    if (operator !== '==' && operator !== '=' && operator !== '!=') return null;
    const pattern = patternOf(right, (part) => this.#words.value({ type: 'Word', parts: [part] }));
    if (pattern === null) return null;
    return (state) => {
      const [text, pieces] = [first(state), pattern(state)];
      if (text === null || pieces === null || state.shoptOptions['nocasematch'] === true)
        return null;
      return fits(text, pieces) === (operator !== '!=');
    };
  }
}

/** The name of a command that is nothing but text. To the parser `[` is a wildcard. */
export function nameOf({ name }: SimpleCommand): string | null {
  const [part, ...more] = name?.parts ?? [];
  if (part?.type === 'Glob' && part.pattern === '[' && more.length === 0) return '[';
  return literalText(name);
}

/** A decimal number that begins with no zero, which would make it octal in an expression. */
function isDecimal(text: string): boolean {
  return /^-?(?:0|[1-9]\d{0,14})$/.test(text);
}

function statusOf(answer: boolean | null): number {
  return answer === null ? LEFT : Number(!answer);
}

function negated(answer: boolean | null): boolean | null {
  return answer === null ? null : !answer;
}

function echo(texts: readonly Text[]): Action {
  return ({ state }, print) => {
    const values = valuesOf(texts, state);
    if (values === null || state.shoptOptions['xpg_echo'] === true) return LEFT;
    const [first = ''] = values;
    const silent = first === '-n';
    if (!silent && /^-[neE]+$/.test(first)) return LEFT;
    print(silent ? values.slice(1).join(' ') : `${values.join(' ')}\n`);
    state.lastArg = values.at(-1) ?? 'echo';
    return 0;
  };
}

/** Of one, two or three words, with no question about a file. */
function test(name: '[' | 'test', texts: readonly Text[]): Action {
  return ({ state }) => {
    const values = valuesOf(texts, state);
    if (values === null) return LEFT;
    const last = values.at(-1) ?? name;
    if (name === '[' && values.pop() !== ']') return LEFT;
    const status = statusOf(answerOf(values));
    if (status !== LEFT) state.lastArg = last;
    return status;
  };
}

function answerOf(values: readonly string[]): boolean | null {
  const [first = '', second = '', third = ''] = values;
  if (values.length === 1) return first !== '';
  if (values.length === 2) {
    if (first === '-n' || first === '!') return first === '!' ? second === '' : second !== '';
    return first === '-z' ? second === '' : null;
  }
  if (values.length !== 3) return null;
  if (second === '=' || second === '==') return first === third;
  if (second === '!=') return first !== third;
  const compares = COMPARISONS.has(second) ? NUMBERS.get(second) : undefined;
  if (compares === undefined || !SMALL.test(first) || !SMALL.test(third)) return null;
  return compares(Number(first), Number(third));
}

/** As the interpreter's own `local` does it. */
function declareLocals(
  state: InterpreterState,
  made: readonly { name: string; text: Text | null }[],
): number {
  const { localScopes = [], callDepth } = state;
  const scope = localScopes.at(-1);
  if (scope === undefined || callDepth === undefined) return LEFT;
  const values: (string | undefined)[] = [];
  for (const { name, text } of made) {
    const value = text === null ? undefined : text(state);
    if (value === null || value?.startsWith('(') || !isAssignable(state, name)) return LEFT;
    values.push(value);
  }
  state.localVarStack ??= new Map();
  state.localVarDepth ??= new Map();
  for (const [at, { name }] of made.entries()) {
    const value = values[at];
    const before = state.env.get(name);
    const known = scope.has(name);
    if (!known) scope.set(name, before);
    state.localVarDepth.set(name, callDepth);
    state.lastArg = value === undefined ? name : `${name}=${value}`;
    if (value !== undefined) {
      const stack = state.localVarStack.get(name) ?? [];
      stack.push({ value: before, scopeIndex: localScopes.length - 1 });
      state.localVarStack.set(name, stack);
      state.env.set(name, value);
    } else if (!known) state.env.delete(name);
  }
  return 0;
}
