/** The value of an expression in 64 bits, as bash computes it. */
import {
  type Arithmetic,
  type BinaryOperator,
  parseArithmetic,
  type Variable,
  wrap,
} from './syntax.ts';

/** What an expression cannot be given a value for, in bash's words. */
export class ArithmeticFailure extends Error {
  override readonly name = 'ArithmeticFailure';
}

/** What only just-bash knows: the value of a variable that it makes up, or what may not be assigned. */
export class NotHere extends Error {
  override readonly name = 'NotHere';
}

/** The variables, with what the expression assigns. */
export interface Variables {
  /** The text of a variable or an element; undefined where it is unset. */
  get(name: string, key: string | null): string | undefined;
  set(name: string, key: string | null, text: string): void;
  isAssociative(name: string): boolean;
  /** The index that a negative one counts to, from the end. */
  fromEnd(name: string, index: bigint): bigint;
}

/** Variables that name one another deeper than this are taken for a circle, as in bash. */
const MAX_DEPTH = 1024;

/** Evaluates a tree. @throws ArithmeticFailure, NotHere and ArithmeticSyntaxError */
export function evaluate(tree: Arithmetic, variables: Variables): bigint {
  return new Evaluation(variables).value(tree);
}

class Evaluation {
  readonly #variables: Variables;
  #depth = 0;

  constructor(variables: Variables) {
    this.#variables = variables;
  }

  value(node: Arithmetic): bigint {
    switch (node.kind) {
      case 'number':
        return node.value;
      case 'variable':
        return this.#read(node, this.#key(node));
      case 'unary':
        return unary(node.operator, this.value(node.operand));
      case 'step': {
        const key = this.#key(node.target);
        const before = this.#read(node.target, key);
        const after = wrap(before + node.by);
        this.#variables.set(node.target.name, key, String(after));
        return node.prefix ? after : before;
      }
      case 'binary': {
        const left = this.value(node.left);
        return binary(node.operator, left, this.value(node.right));
      }
      case 'and':
        return truth(this.value(node.left) !== 0n && this.value(node.right) !== 0n);
      case 'or':
        return truth(this.value(node.left) !== 0n || this.value(node.right) !== 0n);
      case 'comma':
        this.value(node.left);
        return this.value(node.right);
      case 'choice':
        return this.value(this.value(node.condition) === 0n ? node.no : node.yes);
      case 'assign': {
        const { target, operator } = node;
        if (operator === null) {
          const value = this.value(node.value);
          this.#variables.set(target.name, this.#key(target), String(value));
          return value;
        }
        // As in bash, what the target holds is read before the value is worked out.
        const key = this.#key(target);
        const before = this.#read(target, key);
        const result = binary(operator, before, this.value(node.value));
        this.#variables.set(target.name, key, String(result));
        return result;
      }
    }
  }

  #key({ name, subscript }: Variable): string | null {
    if (subscript === null) return null;
    if (this.#variables.isAssociative(name)) {
      // Quotes around a key are no part of it.
      return /^(["']).*\1$/s.test(subscript) ? subscript.slice(1, -1) : subscript;
    }
    if (subscript === '' || subscript === '@' || subscript === '*') throw new NotHere(subscript);
    const index = this.value(parseArithmetic(subscript));
    return String(index < 0n ? this.#variables.fromEnd(name, index) : index);
  }

  /** What a variable holds may be an expression itself. */
  #read({ name }: Variable, key: string | null): bigint {
    const text = this.#variables.get(name, key) ?? '';
    if (/^-?(?:0|[1-9]\d{0,17})$/.test(text)) return BigInt(text);
    if (text.trim() === '') return 0n;
    if (++this.#depth > MAX_DEPTH) {
      throw new ArithmeticFailure(`${name}: expression recursion level exceeded`);
    }
    try {
      return this.value(parseArithmetic(text));
    } finally {
      this.#depth--;
    }
  }
}

function truth(value: boolean): bigint {
  return value ? 1n : 0n;
}

function unary(operator: '-' | '+' | '!' | '~', value: bigint): bigint {
  if (operator === '-') return wrap(-value);
  if (operator === '~') return ~value;
  return operator === '!' ? truth(value === 0n) : value;
}

function binary(operator: BinaryOperator, left: bigint, right: bigint): bigint {
  switch (operator) {
    case '+':
      return wrap(left + right);
    case '-':
      return wrap(left - right);
    case '*':
      return wrap(left * right);
    case '/':
    case '%':
      if (right === 0n) throw new ArithmeticFailure('division by 0');
      return operator === '/' ? wrap(left / right) : left % right;
    case '**':
      if (right < 0n) throw new ArithmeticFailure('exponent less than 0');
      return power(left, right);
    case '<<':
      return wrap(left << (right & 63n));
    case '>>':
      return left >> (right & 63n);
    case '&':
      return left & right;
    case '|':
      return left | right;
    case '^':
      return left ^ right;
    case '<':
      return truth(left < right);
    case '<=':
      return truth(left <= right);
    case '>':
      return truth(left > right);
    case '>=':
      return truth(left >= right);
    case '==':
      return truth(left === right);
    case '!=':
      return truth(left !== right);
  }
}

/** By squaring, so that no number grows beyond 128 bits. */
function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = wrap(result * square);
    square = wrap(square * square);
  }
  return result;
}
