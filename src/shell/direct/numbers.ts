/**
 * Arithmetic on small integers, compiled once: what most loops count with. Whatever is not a small
 * integer (a value that a double may not hold, text that is an expression itself, an element of an
 * array) is left to the evaluator, which knows all of it.
 */
import type { BinaryOperator, Arithmetic as Tree, Variable } from '../arithmetic/syntax.ts';
import { DYNAMIC } from '../arithmetic/variables.ts';
import type { InterpreterState } from '../interpreter-types.ts';

/** The value of an expression; NaN where it must be worked out otherwise. Then nothing has been assigned. */
export type SmallNumber = (state: InterpreterState) => number;

/** A decimal number that a double holds, as well as any result of one operation on two of its kind. */
const SMALL = /^-?(?:0|[1-9]\d{0,14})$/;

const OTHERWISE: SmallNumber = () => Number.NaN;

/** An expression that may assign to a variable, once all else in it has a value. */
export function assigningNumber(tree: Tree): SmallNumber {
  if (tree.kind === 'step') {
    const target = readable(tree.target);
    if (target === null) return OTHERWISE;
    const by = Number(tree.by);
    const { name } = tree.target;
    return (state) => {
      const before = target(state);
      const after = kept(before + by);
      return assign(state, name, after) ? (tree.prefix ? after : before) : Number.NaN;
    };
  }
  if (tree.kind !== 'assign') return smallNumber(tree);
  const { name, subscript } = tree.target;
  if (subscript !== null) return OTHERWISE;
  const value =
    tree.operator === null
      ? smallNumber(tree.value)
      : binary(tree.operator, smallNumber(tree.target), smallNumber(tree.value));
  return (state) => {
    const result = value(state);
    return assign(state, name, result) ? result : Number.NaN;
  };
}

/** An expression that assigns nothing; one that does is left to the evaluator. */
export function smallNumber(tree: Tree): SmallNumber {
  switch (tree.kind) {
    case 'number': {
      const value = kept(Number(tree.value));
      return () => value;
    }
    case 'variable':
      return readable(tree) ?? OTHERWISE;
    case 'unary':
      return unary(tree.operator, smallNumber(tree.operand));
    case 'binary':
      return binary(tree.operator, smallNumber(tree.left), smallNumber(tree.right));
    case 'and':
    case 'or': {
      const [left, right] = [smallNumber(tree.left), smallNumber(tree.right)];
      const decides = tree.kind === 'or';
      return (state) => {
        const first = left(state);
        if (Number.isNaN(first)) return first;
        if ((first !== 0) === decides) return decides ? 1 : 0;
        return truth(right(state));
      };
    }
    case 'choice': {
      const [condition, yes, no] = [tree.condition, tree.yes, tree.no].map(smallNumber);
      if (condition === undefined || yes === undefined || no === undefined) return OTHERWISE;
      return (state) => {
        const chosen = condition(state);
        if (Number.isNaN(chosen)) return chosen;
        return chosen === 0 ? no(state) : yes(state);
      };
    }
    default:
      return OTHERWISE;
  }
}

/** Is it a plain variable, of which the interpreter makes nothing up? */
export function isOwn(state: InterpreterState, name: string): boolean {
  return !state.arrays.has(name) && state.namerefs?.has(name) !== true;
}

/** May a plain variable be given a text as it is? */
export function isAssignable(state: InterpreterState, name: string): boolean {
  return (
    isOwn(state, name) &&
    state.readonlyVars?.has(name) !== true &&
    state.integerVars?.has(name) !== true &&
    state.lowercaseVars?.has(name) !== true &&
    state.uppercaseVars?.has(name) !== true &&
    state.options['allexport'] !== true
  );
}

function readable({ name, subscript }: Variable): SmallNumber | null {
  if (subscript !== null || DYNAMIC.has(name) || name === '_') return null;
  return (state) => {
    if (!isOwn(state, name)) return Number.NaN;
    const text = state.env.get(name);
    if (text === undefined) return state.options['nounset'] === true ? Number.NaN : 0;
    return SMALL.test(text) ? Number(text) : Number.NaN;
  };
}

function assign(state: InterpreterState, name: string, value: number): boolean {
  if (Number.isNaN(value) || DYNAMIC.has(name) || name === '_') return false;
  // An integer variable takes a number as it is.
  if (!isAssignable(state, name) && state.integerVars?.has(name) !== true) return false;
  if (!isOwn(state, name) || state.readonlyVars?.has(name) === true) return false;
  state.env.set(name, String(value));
  return true;
}

function kept(value: number): number {
  // Not -0, which is printed with its sign by some.
  return Number.isSafeInteger(value) ? value + 0 : Number.NaN;
}

function truth(value: number): number {
  return Number.isNaN(value) ? value : Number(value !== 0);
}

function unary(operator: '-' | '+' | '!' | '~', operand: SmallNumber): SmallNumber {
  switch (operator) {
    case '+':
      return operand;
    case '-':
      return (state) => kept(0 - operand(state));
    case '~':
      return (state) => kept(-1 - operand(state));
    case '!':
      return (state) => {
        const value = operand(state);
        return Number.isNaN(value) ? value : Number(value === 0);
      };
  }
}

/** NaN compares with nothing, so each asks for it. */
const OPERATIONS: Partial<Record<BinaryOperator, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => Math.trunc(left / right),
  '%': (left, right) => left % right,
  '<': (left, right) => Number(left < right),
  '<=': (left, right) => Number(left <= right),
  '>': (left, right) => Number(left > right),
  '>=': (left, right) => Number(left >= right),
  '==': (left, right) => Number(left === right),
  '!=': (left, right) => Number(left !== right),
};

function binary(operator: BinaryOperator, left: SmallNumber, right: SmallNumber): SmallNumber {
  const operation = OPERATIONS[operator];
  if (operation === undefined) return OTHERWISE;
  return (state) => {
    const [first, second] = [left(state), right(state)];
    if (Number.isNaN(first) || Number.isNaN(second)) return Number.NaN;
    return kept(operation(first, second));
  };
}
