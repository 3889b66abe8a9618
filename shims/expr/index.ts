/** expr: arithmetic, comparison, and matching of strings. */
import type { ShimFactory } from '../../src/shell/command.ts';
import { UsageError } from '../support/getopt.ts';
import { PosixPattern } from '../support/posix-pattern.ts';
import { defineTool, type Tool } from '../support/tool.ts';

const INTEGER = /^-?\d+$/;

/** Binary operators by precedence, loosest first. */
const LEVELS: readonly (readonly string[])[] = [
  ['|'],
  ['&'],
  ['<', '<=', '=', '==', '!=', '>=', '>'],
  ['+', '-'],
  ['*', '/', '%'],
  [':'],
];

const fail = (message: string, status = 2): never => {
  throw new UsageError(message, { status, hint: false });
};

/** Empty, or zero however it is written. */
const isNull = (text: string): boolean => text === '' || /^-?0+$/.test(text);

class Expression {
  readonly #words: readonly string[];
  #at = 0;
  /** How many operators around have their answer already. */
  #skipped = 0;

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  value(): string {
    const value = this.#level(0);
    const next = this.#words[this.#at];
    if (next !== undefined) fail(`syntax error: unexpected argument '${next}'`);
    return value;
  }

  #level(depth: number): string {
    const operators = LEVELS[depth];
    if (operators === undefined) return this.#primary();
    let left = this.#level(depth + 1);
    for (;;) {
      const operator = this.#words[this.#at];
      if (operator === undefined || !operators.includes(operator)) return left;
      this.#at += 1;
      // The other side is read either way, and worked out only where it counts.
      const decided = operator === '|' ? !isNull(left) : operator === '&' && isNull(left);
      if (decided) this.#skipped += 1;
      const right = this.#level(depth + 1);
      if (decided) this.#skipped -= 1;
      left = this.#skipped > 0 ? left : binary(operator, left, right);
    }
  }

  #take(): string {
    const word = this.#words[this.#at];
    if (word === undefined) {
      const before = this.#words[this.#at - 1] ?? '';
      return fail(`syntax error: missing argument after '${before}'`);
    }
    this.#at += 1;
    return word;
  }

  #primary(): string {
    const word = this.#take();
    if (word === '(') {
      const value = this.#level(0);
      const close = this.#words[this.#at];
      if (close === undefined)
        fail(`syntax error: expecting ')' after '${this.#words[this.#at - 1]}'`);
      if (close !== ')') fail(`syntax error: expecting ')' instead of '${close}'`);
      this.#at += 1;
      return value;
    }
    if (word === ')') fail("syntax error: unexpected ')'");
    if (word === '+') return this.#take();
    switch (word) {
      case 'length':
        return String([...this.#level(LEVELS.length)].length);
      case 'index':
        return this.#index();
      case 'substr':
        return this.#substr();
      case 'match':
        return match(this.#level(LEVELS.length), this.#level(LEVELS.length));
      default:
        return word;
    }
  }

  #index(): string {
    const text = [...this.#level(LEVELS.length)];
    const any = this.#level(LEVELS.length);
    return String(text.findIndex((char) => any.includes(char)) + 1);
  }

  #substr(): string {
    const text = [...this.#level(LEVELS.length)];
    const [from, count] = [this.#level(LEVELS.length), this.#level(LEVELS.length)];
    if (!INTEGER.test(from) || !INTEGER.test(count) || Number(from) < 1 || Number(count) < 1)
      return '';
    return text.slice(Number(from) - 1, Number(from) - 1 + Number(count)).join('');
  }
}

function binary(operator: string, left: string, right: string): string {
  switch (operator) {
    case '|':
      if (!isNull(left)) return left;
      return isNull(right) ? '0' : right;
    case '&':
      return isNull(left) || isNull(right) ? '0' : left;
    case ':':
      return match(left, right);
    case '+':
    case '-':
    case '*':
    case '/':
    case '%':
      return arithmetic(operator, left, right);
    default:
      return compare(operator, left, right) ? '1' : '0';
  }
}

function arithmetic(operator: string, left: string, right: string): string {
  if (!INTEGER.test(left) || !INTEGER.test(right)) fail('non-integer argument');
  const [a, b] = [BigInt(left), BigInt(right)];
  if (operator === '+') return String(a + b);
  if (operator === '-') return String(a - b);
  if (operator === '*') return String(a * b);
  if (b === 0n) fail('division by zero');
  return String(operator === '/' ? a / b : a % b);
}

function compare(operator: string, left: string, right: string): boolean {
  const numbers = INTEGER.test(left) && INTEGER.test(right);
  const [a, b] = numbers ? [BigInt(left), BigInt(right)] : [left, right];
  switch (operator) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    case '!=':
      return a !== b;
    default:
      return a === b;
  }
}

/** Anchored at the start: the first group, or the number of characters that fit. */
function match(text: string, pattern: string): string {
  const posix = new PosixPattern(pattern, { extended: false });
  const found = posix.find(text, 0);
  if (found === null || found.index > 0) return posix.groups > 0 ? '' : '0';
  return posix.groups > 0 ? (found.groups[0] ?? '') : String([...found.text].length);
}

async function expr(tool: Tool): Promise<undefined> {
  const words = tool.args[0] === '--' ? tool.args.slice(1) : tool.args;
  if (words.length === 0) throw new UsageError('missing operand', { status: 2 });
  const value = new Expression(words).value();
  tool.print(`${value}\n`);
  tool.status = isNull(value) ? 1 : 0;
}

/** expr. */
export const exprShims: ShimFactory = (host) => [
  defineTool(host, { name: 'expr', usage: 'Usage: expr EXPRESSION', usageStatus: 2 }, expr),
];
