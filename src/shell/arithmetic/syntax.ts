/** The syntax of shell arithmetic: text after its expansions, into a tree. */

export type BinaryOperator =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '**'
  | '<<'
  | '>>'
  | '<'
  | '<='
  | '>'
  | '>='
  | '=='
  | '!='
  | '&'
  | '^'
  | '|';

/** A variable, or an element of an array whose subscript is kept as text: what it means depends on the array. */
export interface Variable {
  kind: 'variable';
  name: string;
  subscript: string | null;
}

export type Arithmetic =
  | Variable
  | { kind: 'number'; value: bigint }
  | { kind: 'unary'; operator: '-' | '+' | '!' | '~'; operand: Arithmetic }
  | { kind: 'step'; target: Variable; by: bigint; prefix: boolean }
  | { kind: 'binary'; operator: BinaryOperator; left: Arithmetic; right: Arithmetic }
  | { kind: 'and' | 'or' | 'comma'; left: Arithmetic; right: Arithmetic }
  | { kind: 'choice'; condition: Arithmetic; yes: Arithmetic; no: Arithmetic }
  | { kind: 'assign'; operator: BinaryOperator | null; target: Variable; value: Arithmetic };

const TOO_GREAT = 'value too great for base';

/** Text that is no arithmetic. */
export class ArithmeticSyntaxError extends Error {
  override readonly name = 'ArithmeticSyntaxError';

  /** @param token where it went wrong */
  constructor(token: string, problem = 'syntax error: operand expected') {
    super(`${problem} (error token is "${token}")`);
  }
}

/** The loosest first; operators of one level bind to the left. */
const LEVELS: readonly (readonly BinaryOperator[])[] = [
  ['|'],
  ['^'],
  ['&'],
  ['==', '!='],
  ['<=', '>=', '<', '>'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
];

const TOKEN =
  /\s*(?:(\d[\w@#]*)|([A-Za-z_]\w*)|(<<=|>>=|\*\*|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|[-+*/%&|^]=|[-+*/%&|^<>=!~?:,()])|$)/y;

class Parser {
  readonly #text: string;
  #at = 0;
  /** The token ahead; '' at the end. */
  #token = '';
  #kind: 'number' | 'name' | 'operator' | 'end' = 'end';
  #next = 0;

  constructor(text: string) {
    this.#text = text;
    this.#read();
  }

  parse(): Arithmetic {
    // Nothing at all is 0.
    if (this.#isDone()) return { kind: 'number', value: 0n };
    const tree = this.#comma();
    if (!this.#isDone()) this.#fail();
    return tree;
  }

  #isDone(): boolean {
    return this.#kind === 'end';
  }

  #fail(): never {
    throw new ArithmeticSyntaxError(this.#text.slice(this.#at).trim());
  }

  #read(): void {
    this.#at = this.#next;
    TOKEN.lastIndex = this.#at;
    const found = TOKEN.exec(this.#text);
    if (found === null) this.#fail();
    const [, number, name, operator] = found;
    this.#next = TOKEN.lastIndex;
    const sign = operator === '++' || operator === '--' ? this.#sign(operator) : operator;
    this.#token = number ?? name ?? sign ?? '';
    this.#kind = 'end';
    if (number !== undefined) this.#kind = 'number';
    else if (name !== undefined) this.#kind = 'name';
    else if (operator !== undefined) this.#kind = 'operator';
  }

  /** `++` beside a variable steps it, and is two signs anywhere else: `0++1`, `+++x`. */
  #sign(operator: '++' | '--'): string {
    const behind = this.#kind === 'name' || this.#text.slice(0, this.#at).trimEnd().endsWith(']');
    if (behind || /^\s*[A-Za-z_]/.test(this.#text.slice(this.#next))) return operator;
    this.#next--;
    return operator.charAt(0);
  }

  #accept(operator: string): boolean {
    if (this.#kind !== 'operator' || this.#token !== operator) return false;
    this.#read();
    return true;
  }

  #comma(): Arithmetic {
    let left = this.#assignment();
    while (this.#accept(',')) left = { kind: 'comma', left, right: this.#assignment() };
    return left;
  }

  #assignment(): Arithmetic {
    const left = this.#choice();
    const found = /^(|\*|\/|%|\+|-|<<|>>|&|\^|\|)=$/.exec(
      this.#kind === 'operator' ? this.#token : '',
    );
    if (found === null) return left;
    if (left.kind !== 'variable') this.#fail();
    this.#read();
    const operator = found[1] === '' ? null : (found[1] as BinaryOperator);
    return { kind: 'assign', operator, target: left, value: this.#assignment() };
  }

  #choice(): Arithmetic {
    const condition = this.#or();
    if (!this.#accept('?')) return condition;
    const yes = this.#comma();
    if (!this.#accept(':')) this.#fail();
    return { kind: 'choice', condition, yes, no: this.#assignment() };
  }

  #or(): Arithmetic {
    let left = this.#and();
    while (this.#accept('||')) left = { kind: 'or', left, right: this.#and() };
    return left;
  }

  #and(): Arithmetic {
    let left = this.#level(0);
    while (this.#accept('&&')) left = { kind: 'and', left, right: this.#level(0) };
    return left;
  }

  #level(depth: number): Arithmetic {
    const operators = LEVELS[depth];
    if (operators === undefined) return this.#power();
    let left = this.#level(depth + 1);
    for (;;) {
      const operator = operators.find((one) => this.#accept(one));
      if (operator === undefined) return left;
      left = { kind: 'binary', operator, left, right: this.#level(depth + 1) };
    }
  }

  /** Binds to the right, and looser than a sign: -2**2 is 4. */
  #power(): Arithmetic {
    const base = this.#unary();
    if (!this.#accept('**')) return base;
    return { kind: 'binary', operator: '**', left: base, right: this.#power() };
  }

  #unary(): Arithmetic {
    for (const operator of ['-', '+', '!', '~'] as const) {
      if (this.#accept(operator)) return { kind: 'unary', operator, operand: this.#unary() };
    }
    const step = this.#token;
    if (this.#accept('++') || this.#accept('--')) {
      const target = this.#unary();
      // Without a variable they are two signs.
      if (target.kind === 'variable') {
        return { kind: 'step', target, by: step === '++' ? 1n : -1n, prefix: true };
      }
      if (step === '++') return target;
      const once: Arithmetic = { kind: 'unary', operator: '-', operand: target };
      return { kind: 'unary', operator: '-', operand: once };
    }
    return this.#postfix();
  }

  #postfix(): Arithmetic {
    const operand = this.#primary();
    if (operand.kind !== 'variable') return operand;
    if (this.#accept('++')) return { kind: 'step', target: operand, by: 1n, prefix: false };
    if (this.#accept('--')) return { kind: 'step', target: operand, by: -1n, prefix: false };
    return operand;
  }

  #primary(): Arithmetic {
    const token = this.#token;
    if (this.#kind === 'number') {
      this.#read();
      return { kind: 'number', value: this.#number(token) };
    }
    if (this.#kind === 'name') {
      const subscript = this.#subscript();
      this.#read();
      return { kind: 'variable', name: token, subscript };
    }
    if (!this.#accept('(')) this.#fail();
    const inner = this.#comma();
    if (!this.#accept(')')) this.#fail();
    return inner;
  }

  /** What stands in brackets right after the name that is ahead. */
  #subscript(): string | null {
    if (this.#text[this.#next] !== '[') return null;
    const begin = this.#next + 1;
    let depth = 0;
    for (let at = this.#next; at < this.#text.length; at++) {
      if (this.#text[at] === '[') depth++;
      else if (this.#text[at] === ']' && --depth === 0) {
        this.#next = at + 1;
        return this.#text.slice(begin, at);
      }
    }
    return this.#fail();
  }

  #number(text: string): bigint {
    if (/^(?:0|[1-9]\d*)$/.test(text)) return wrap(BigInt(text));
    if (/^0[xX][0-9a-fA-F]+$/.test(text)) return wrap(BigInt(text));
    if (/^0[0-7]+$/.test(text)) return wrap(BigInt(`0o${text}`));
    if (/^0\d+$/.test(text)) throw new ArithmeticSyntaxError(text, TOO_GREAT);
    const based = /^([1-9]\d?)#([\w@]+)$/.exec(text);
    if (based === null) throw new ArithmeticSyntaxError(text);
    const base = Number(based[1]);
    let value = 0n;
    for (const digit of based[2] ?? '') {
      const worth = digitValue(digit, base);
      if (base < 2 || base > 64 || worth < 0 || worth >= base)
        throw new ArithmeticSyntaxError(text, TOO_GREAT);
      value = wrap(value * BigInt(base) + BigInt(worth));
    }
    return value;
  }
}

/** Digits, lower case, upper case, `@` and `_`; up to base 36 case does not count. */
function digitValue(digit: string, base: number): number {
  const order = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_';
  return order.indexOf(base <= 36 ? digit.toLowerCase() : digit);
}

/** In 64 bits. */
export function wrap(value: bigint): bigint {
  return BigInt.asIntN(64, value);
}

/** Parses an expression whose expansions have been made. @throws ArithmeticSyntaxError */
export function parseArithmetic(text: string): Arithmetic {
  return new Parser(text).parse();
}
