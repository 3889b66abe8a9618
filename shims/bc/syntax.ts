/** bc's language, from text to a tree. */

export type Expr =
  | { type: 'number'; text: string }
  | { type: 'name'; name: string; index: Expr | null }
  /** In parentheses: so even an assignment is printed. */
  | { type: 'group'; value: Expr }
  | { type: 'call'; name: string; args: Argument[] }
  | { type: 'binary'; operator: string; left: Expr; right: Expr }
  | { type: 'unary'; operator: '-' | '!'; operand: Expr }
  | { type: 'assign'; operator: string; target: Target; value: Expr }
  | { type: 'step'; by: 1 | -1; target: Target; prefix: boolean };

/** An array as a whole, as functions take it. */
export type Whole = { type: 'array'; name: string };
export type Argument = Expr | Whole;

/** A function's parameter, or one of its own variables. */
export interface Parameter {
  name: string;
  kind: 'number' | 'array' | 'reference';
}

/** What can be assigned to. */
export type Target = Extract<Expr, { type: 'name' }>;

export type Statement =
  | { type: 'expression'; value: Expr }
  | { type: 'string'; text: string }
  | { type: 'print'; items: (Expr | { type: 'string'; text: string })[] }
  | { type: 'block'; body: Statement[] }
  | { type: 'if'; test: Expr; then: Statement; otherwise: Statement | null }
  | { type: 'while'; test: Expr; body: Statement }
  | { type: 'for'; init: Expr | null; test: Expr | null; step: Expr | null; body: Statement }
  | {
      type: 'define';
      name: string;
      parameters: Parameter[];
      locals: Parameter[];
      body: Statement[];
      isVoid: boolean;
    }
  | { type: 'return'; value: Expr | null }
  | { type: 'break' | 'continue' | 'quit' };

/** What cannot be read, and how far bc has read the source when it says so. */
export class SyntaxProblem extends Error {
  override readonly name = 'SyntaxProblem';
  /** An offset. */
  readonly at: number;

  constructor(at: number) {
    super('syntax error');
    this.at = at;
  }
}

interface Token {
  kind: 'number' | 'name' | 'string' | 'operator' | 'illegal' | 'end';
  text: string;
  /** Its offset in the source. */
  at: number;
}

const TOKEN =
  /[ \t]+|\\\n|\/\*(?:[^*]|\*(?!\/))*\*\/|#[^\n]*|(?<number>(?:[0-9A-Z]|\\\n)*\.(?:[0-9A-Z]|\\\n)*[0-9A-Z]|[0-9A-Z](?:[0-9A-Z]|\\\n)*\.?)|(?<name>[a-z][a-z0-9_]*|\.)|"(?<string>[^"]*)"|(?<operator>\+\+|--|[-+*/%^=!<>]=|&&|\|\||[-+*/%^=<>!(){}[\],;\n])/gy;

function tokens(source: string): Token[] {
  const list: Token[] = [];
  const pattern = new RegExp(TOKEN);
  while (pattern.lastIndex < source.length) {
    const at = pattern.lastIndex;
    const groups = pattern.exec(source)?.groups;
    if (groups === undefined) {
      list.push({ kind: 'illegal', text: source.charAt(at), at });
      pattern.lastIndex = at + 1;
      continue;
    }
    for (const kind of ['number', 'name', 'string', 'operator'] as const) {
      const text = groups[kind];
      if (text !== undefined) list.push({ kind, text: text.replaceAll('\\\n', ''), at });
    }
  }
  list.push({ kind: 'end', text: '', at: source.length });
  return list;
}

/** Binary operators, loosest first. */
const LEVELS: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['<', '<=', '>', '>=', '==', '!='],
  ['+', '-'],
  ['*', '/', '%'],
];
const ASSIGNS = new Set(['=', '+=', '-=', '*=', '/=', '%=', '^=']);

/** Reads statements one at a time, so that those before a mistake have been carried out. */
export class Parser {
  /** Characters that begin no token, with their offsets: bc tells them, and reads on. */
  readonly illegal: readonly { text: string; at: number }[];
  readonly #tokens: Token[];
  #at = 0;

  constructor(source: string) {
    const all = tokens(source);
    this.#tokens = all.filter(({ kind }) => kind !== 'illegal');
    this.illegal = all.filter(({ kind }) => kind === 'illegal');
  }

  /** The next statement, or null at the end. */
  next(): Statement | null {
    while (this.#is('\n') || this.#is(';')) this.#at += 1;
    if (this.#peek().kind === 'end') return null;
    const statement = this.#statement();
    const { kind, text } = this.#peek();
    if (kind !== 'end' && text !== '\n' && text !== ';') throw this.#problem();
    return statement;
  }

  #peek(ahead = 0): Token {
    return this.#tokens[this.#at + ahead] ?? { kind: 'end', text: '', at: 0 };
  }

  #problem(): SyntaxProblem {
    const { at, text } = this.#peek();
    // Of the end of a line bc says the next one.
    return new SyntaxProblem(text === '\n' ? at + 1 : at);
  }

  #is(text: string): boolean {
    const token = this.#peek();
    return token.text === text && token.kind !== 'string' && token.kind !== 'end';
  }

  #accept(text: string): boolean {
    const is = this.#is(text);
    if (is) this.#at += 1;
    return is;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw this.#problem();
  }

  #name(): string {
    const token = this.#peek();
    if (token.kind !== 'name') throw this.#problem();
    this.#at += 1;
    return token.text;
  }

  #lines(): void {
    while (this.#accept('\n'));
  }

  #statement(): Statement {
    const { kind, text } = this.#peek();
    if (kind === 'string') {
      this.#at += 1;
      return { type: 'string', text };
    }
    if (this.#accept('{')) return { type: 'block', body: this.#block() };
    if (kind !== 'name') return { type: 'expression', value: this.#expression() };
    switch (text) {
      case 'if':
        return this.#if();
      case 'while': {
        this.#at += 1;
        this.#expect('(');
        const test = this.#expression();
        this.#expect(')');
        this.#lines();
        return { type: 'while', test, body: this.#statement() };
      }
      case 'for':
        return this.#for();
      case 'define':
        return this.#define();
      case 'print':
        return this.#print();
      case 'return': {
        this.#at += 1;
        const ends = ['\n', ';', '}'].includes(this.#peek().text);
        return { type: 'return', value: ends ? null : this.#expression() };
      }
      case 'break':
      case 'continue':
      case 'quit':
      case 'halt':
        this.#at += 1;
        return { type: text === 'halt' ? 'quit' : text };
      default:
        return { type: 'expression', value: this.#expression() };
    }
  }

  #block(): Statement[] {
    const body: Statement[] = [];
    for (;;) {
      while (this.#accept('\n') || this.#accept(';'));
      if (this.#accept('}')) return body;
      body.push(this.#statement());
      if (!this.#is('}') && !this.#is('\n') && !this.#is(';')) throw this.#problem();
    }
  }

  #if(): Statement {
    this.#at += 1;
    this.#expect('(');
    const test = this.#expression();
    this.#expect(')');
    this.#lines();
    const then = this.#statement();
    // `else` may follow on the same line alone, or a block.
    const before = this.#at;
    if (then.type === 'block') this.#lines();
    if (this.#accept(';') && !this.#is('else')) this.#at = before;
    if (!this.#accept('else')) {
      this.#at = before;
      return { type: 'if', test, then, otherwise: null };
    }
    this.#lines();
    return { type: 'if', test, then, otherwise: this.#statement() };
  }

  #for(): Statement {
    this.#at += 1;
    this.#expect('(');
    const part = (end: string): Expr | null => {
      const value = this.#is(end) ? null : this.#expression();
      this.#expect(end);
      return value;
    };
    const [init, test, step] = [part(';'), part(';'), part(')')];
    this.#lines();
    return { type: 'for', init, test, step, body: this.#statement() };
  }

  #parameters(end: string): Parameter[] {
    const list: Parameter[] = [];
    while (!this.#is(end)) {
      const isReference = this.#accept('*');
      const name = this.#name();
      const isArray = this.#accept('[');
      if (isArray) this.#expect(']');
      if (isReference && !isArray) throw this.#problem();
      list.push({ name, kind: isReference ? 'reference' : isArray ? 'array' : 'number' });
      if (!this.#accept(',')) break;
    }
    return list;
  }

  #define(): Statement {
    this.#at += 1;
    const isVoid = this.#peek().text === 'void' && this.#peek(1).kind === 'name';
    if (isVoid) this.#at += 1;
    if (this.#peek().text === 'void') throw this.#problem();
    const name = this.#name();
    this.#expect('(');
    const parameters = this.#parameters(')');
    this.#expect(')');
    this.#lines();
    this.#expect('{');
    this.#lines();
    const locals = this.#accept('auto') ? this.#parameters('\n') : [];
    return { type: 'define', name, parameters, locals, body: this.#block(), isVoid };
  }

  #print(): Statement {
    const items: Extract<Statement, { type: 'print' }>['items'] = [];
    do {
      this.#at += 1;
      const { kind, text } = this.#peek();
      if (kind === 'string') this.#at += 1;
      items.push(kind === 'string' ? { type: 'string', text } : this.#expression());
    } while (this.#is(','));
    return { type: 'print', items };
  }

  #expression(): Expr {
    return this.#level(0);
  }

  #level(depth: number): Expr {
    const operators = LEVELS[depth];
    if (operators === undefined) return this.#unary();
    let left = this.#level(depth + 1);
    for (;;) {
      const { kind, text: operator } = this.#peek();
      if (kind === 'operator' && left.type === 'name' && ASSIGNS.has(operator)) {
        this.#at += 1;
        return { type: 'assign', operator, target: left, value: this.#expression() };
      }
      if (kind !== 'operator' || !operators.includes(operator)) return left;
      this.#at += 1;
      left = { type: 'binary', operator, left, right: this.#level(depth + 1) };
    }
  }

  /** A sign binds tighter than `^`. */
  #unary(): Expr {
    if (this.#accept('!')) return { type: 'unary', operator: '!', operand: this.#level(2) };
    const base = this.#signed();
    if (!this.#accept('^')) return base;
    return { type: 'binary', operator: '^', left: base, right: this.#unary() };
  }

  #signed(): Expr {
    if (this.#accept('-')) return { type: 'unary', operator: '-', operand: this.#signed() };
    if (this.#is('++') || this.#is('--')) {
      const by = this.#is('++') ? 1 : -1;
      this.#at += 1;
      return { type: 'step', by, target: this.#target(this.#primary()), prefix: true };
    }
    const value = this.#primary();
    if (!this.#is('++') && !this.#is('--')) return value;
    const by = this.#is('++') ? 1 : -1;
    this.#at += 1;
    return { type: 'step', by, target: this.#target(value), prefix: false };
  }

  #target(value: Expr): Target {
    if (value.type !== 'name') throw this.#problem();
    return value;
  }

  /** `a[]` is the whole array. */
  #argument(): Argument {
    const { kind, text: name } = this.#peek();
    if (kind !== 'name' || this.#peek(1).text !== '[' || this.#peek(2).text !== ']') {
      return this.#expression();
    }
    this.#at += 3;
    return { type: 'array', name };
  }

  #primary(): Expr {
    const { kind, text } = this.#peek();
    if (kind === 'number') {
      this.#at += 1;
      return { type: 'number', text };
    }
    if (this.#accept('(')) {
      const value = this.#expression();
      this.#expect(')');
      return { type: 'group', value };
    }
    const written = this.#name();
    // A point alone is the last value that was printed.
    const name = written === '.' ? 'last' : written;
    if (this.#accept('[')) {
      const index = this.#expression();
      this.#expect(']');
      return { type: 'name', name, index };
    }
    if (!this.#accept('(')) return { type: 'name', name, index: null };
    const args: Argument[] = [];
    while (!this.#is(')')) {
      args.push(this.#argument());
      if (!this.#accept(',')) break;
    }
    this.#expect(')');
    return { type: 'call', name, args };
  }
}
