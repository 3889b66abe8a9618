/**
 * Arithmetic in 64 bits, as bash's. just-bash computes in doubles, and bit
 * operations in 32 bits. An expression of plain variables and numbers is worked
 * out here; every other one is left to just-bash as it stands.
 */
import type { CommandNode, WordNode } from 'just-bash';
import type { InterpreterState, WordPart } from './interpreter-types.ts';

type Expression = Extract<CommandNode, { type: 'ArithmeticCommand' }>['expression'];
type Arith = Expression['expression'];

/** What is not worked out here. */
const LEFT = Symbol('left to just-bash');
type Outcome = bigint | typeof LEFT;

/** One evaluation: it reads the variables, and keeps what it would assign. */
interface Sums {
  state: InterpreterState;
  assigned: Map<string, string>;
}

/** The command with its arithmetic widened. `state` gives the variables at the time of evaluation. */
export function widenArithmetic(node: CommandNode, state: () => InterpreterState): CommandNode {
  if (node.type === 'ArithmeticCommand')
    return { ...node, expression: widened(node.expression, state) };
  if (node.type !== 'SimpleCommand') return node;
  const word = (one: WordNode): WordNode => {
    const parts = one.parts.map((part) => widenedPart(part, state));
    return parts.every((part, i) => part === one.parts[i]) ? one : { ...one, parts };
  };
  const assignments = node.assignments.map((one) => ({
    ...one,
    value: one.value === null ? null : word(one.value),
  }));
  return { ...node, args: node.args.map(word), assignments };
}

function widenedPart(part: WordPart, state: () => InterpreterState): WordPart {
  if (part.type === 'ArithmeticExpansion') {
    return { ...part, expression: widened(part.expression, state) };
  }
  if (part.type !== 'DoubleQuoted') return part;
  return { ...part, parts: part.parts.map((inner) => widenedPart(inner, state)) };
}

/**
 * The expression with a node at its root that turns into its value at the moment
 * that just-bash looks at it, or stays what it is where the value is not known here.
 */
function widened(expression: Expression, state: () => InterpreterState): Expression {
  const root = expression.expression;
  let sums: Sums | null = null;
  let value: Outcome = LEFT;
  const known = (): boolean => {
    sums = { state: state(), assigned: new Map() };
    value = evaluate(root, sums);
    return value !== LEFT;
  };
  const node = Object.create(root, {
    type: { get: () => (known() ? 'ArithNumber' : root.type) },
    value: {
      get: () => {
        if (sums === null || value === LEFT) return 'value' in root ? root.value : undefined;
        for (const [name, text] of sums.assigned) sums.state.env.set(name, text);
        const small = value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER;
        return small ? Number(value) : value;
      },
    },
  }) as Arith;
  return Object.create(expression, {
    expression: { value: node },
    // With its text, just-bash would parse it once more.
    originalText: { get: () => (known() ? undefined : expression.originalText) },
  }) as Expression;
}

function evaluate(node: Arith, sums: Sums): Outcome {
  switch (node.type) {
    case 'ArithNumber':
      return Number.isSafeInteger(node.value) ? BigInt(node.value) : LEFT;
    case 'ArithVariable':
      return variable(node.name, sums);
    case 'ArithGroup':
    case 'ArithNested':
      return evaluate(node.expression, sums);
    case 'ArithTernary': {
      const condition = evaluate(node.condition, sums);
      if (condition === LEFT) return LEFT;
      return evaluate(condition === 0n ? node.alternate : node.consequent, sums);
    }
    case 'ArithUnary':
      return unary(node, sums);
    case 'ArithBinary': {
      const left = evaluate(node.left, sums);
      if (left === LEFT) return LEFT;
      if (node.operator === '&&' && left === 0n) return 0n;
      if (node.operator === '||' && left !== 0n) return 1n;
      const right = evaluate(node.right, sums);
      return right === LEFT ? LEFT : binary(node.operator, left, right);
    }
    case 'ArithAssignment': {
      if (node.subscript !== undefined || node.stringKey !== undefined) return LEFT;
      const value = evaluate(node.value, sums);
      if (value === LEFT) return LEFT;
      if (node.operator === '=') return assign(node.variable, value, sums);
      const before = variable(node.variable, sums);
      if (before === LEFT) return LEFT;
      return assign(node.variable, binary(node.operator.slice(0, -1), before, value), sums);
    }
    default:
      return LEFT;
  }
}

function variable(name: string, { state, assigned }: Sums): Outcome {
  if (state.namerefs?.has(name) === true || state.arrays.has(name)) return LEFT;
  const text = assigned.get(name) ?? state.env.get(name);
  // Octal, names of names, unset ones and the like are just-bash's.
  if (text === undefined || !/^-?(?:0|[1-9]\d{0,18})$/.test(text)) return LEFT;
  return BigInt.asIntN(64, BigInt(text));
}

function assign(name: string, value: Outcome, { state, assigned }: Sums): Outcome {
  const special = [state.namerefs, state.readonlyVars, state.integerVars];
  if (value === LEFT || state.arrays.has(name) || special.some((set) => set?.has(name) === true)) {
    return LEFT;
  }
  assigned.set(name, String(value));
  return value;
}

function unary(node: Extract<Arith, { type: 'ArithUnary' }>, sums: Sums): Outcome {
  const value = evaluate(node.operand, sums);
  if (value === LEFT) return LEFT;
  switch (node.operator) {
    case '-':
      return BigInt.asIntN(64, -value);
    case '+':
      return value;
    case '!':
      return value === 0n ? 1n : 0n;
    case '~':
      return ~value;
    default: {
      if (node.operand.type !== 'ArithVariable') return LEFT;
      const next = BigInt.asIntN(64, node.operator === '++' ? value + 1n : value - 1n);
      if (assign(node.operand.name, next, sums) === LEFT) return LEFT;
      return node.prefix ? next : value;
    }
  }
}

function binary(operator: string, left: bigint, right: bigint): Outcome {
  const wrap = (value: bigint): bigint => BigInt.asIntN(64, value);
  const truth = (value: boolean): bigint => (value ? 1n : 0n);
  switch (operator) {
    case '+':
      return wrap(left + right);
    case '-':
      return wrap(left - right);
    case '*':
      return wrap(left * right);
    case '/':
      return right === 0n ? LEFT : wrap(left / right);
    case '%':
      return right === 0n ? LEFT : left % right;
    case '**':
      return right < 0n ? LEFT : power(left, right);
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
    case '&&':
    case '||':
      return truth(right !== 0n);
    case ',':
      return right;
    default:
      return LEFT;
  }
}

/** By squaring, so that no number grows beyond 128 bits. */
function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  let square = base;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = BigInt.asIntN(64, result * square);
    square = BigInt.asIntN(64, square * square);
  }
  return result;
}
