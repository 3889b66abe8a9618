/** Parses awk's expressions, each level of precedence a method, the loosest first. */
import { ProgramError } from './errors.ts';
import { Lexer } from './lexer.ts';
import type { ArrayNode, BinaryOperator, Expr, NameNode, Relation, Target } from './syntax.ts';

const RELATIONS = new Set(['<', '<=', '==', '!=', '>', '>=']);
const ASSIGNMENTS = new Set(['=', '+=', '-=', '*=', '/=', '%=', '^=', '**=']);

function isTarget(node: Expr): node is Target {
  return node.kind === 'name' || node.kind === 'index' || node.kind === 'field';
}

export class ExpressionParser {
  protected readonly lexer: Lexer;
  /** In what print prints, `>` redirects. */
  #printing = false;

  constructor(source: string, warn: (message: string, line: number) => void) {
    this.lexer = new Lexer(source, warn);
  }

  protected fail(message: string): never {
    throw new ProgramError(message, this.lexer.token.line);
  }

  /** A mistake in the grammar, which is shown where it stands: at the token ahead. */
  protected misplaced(message: string): never {
    const { kind, line, at } = this.lexer.token;
    // Behind a newline the next line has begun, as gawk counts.
    throw new ProgramError(message, kind === 'newline' ? line + 1 : line, 1, at);
  }

  /** The token ahead cannot stand there. */
  protected unexpected(): never {
    const { kind, text } = this.lexer.token;
    if (kind === 'end' || kind === 'newline') this.misplaced('unexpected newline or end of string');
    if (text === '|&') {
      this.misplaced(
        'syntax error: there are no two-way pipes (|&) here; write the input to a file first',
      );
    }
    if (text === '@') {
      this.misplaced('syntax error: there is no @include, @load or indirect call here');
    }
    this.misplaced('syntax error');
  }

  protected is(text: string): boolean {
    const { token } = this.lexer;
    return (token.kind === 'op' || token.kind === 'keyword') && token.text === text;
  }

  protected accept(text: string): boolean {
    if (!this.is(text)) return false;
    this.lexer.advance();
    return true;
  }

  protected expect(text: string): void {
    if (!this.accept(text)) this.unexpected();
  }

  protected skipNewlines(): void {
    while (this.lexer.token.kind === 'newline') this.lexer.advance();
  }

  protected expression(): Expr {
    return this.#conditional();
  }

  /** Parses with `>` as a redirection, or not. */
  protected withPrinting<T>(printing: boolean, parse: () => T): T {
    const before = this.#printing;
    this.#printing = printing;
    try {
      return parse();
    } finally {
      this.#printing = before;
    }
  }

  /** One or more, with commas between. */
  protected list(end: string): Expr[] {
    const items: Expr[] = [];
    if (this.is(end)) return items;
    do {
      this.skipNewlines();
      items.push(this.expression());
      this.skipNewlines();
    } while (this.accept(','));
    return items;
  }

  #conditional(): Expr {
    const condition = this.#or();
    if (!this.accept('?')) return condition;
    this.skipNewlines();
    const yes = this.#conditional();
    this.skipNewlines();
    this.expect(':');
    this.skipNewlines();
    return { kind: 'conditional', condition, yes, no: this.#conditional() };
  }

  #or(): Expr {
    let left = this.#and();
    while (this.accept('||')) {
      this.skipNewlines();
      left = { kind: 'or', left, right: this.#and() };
    }
    return left;
  }

  #and(): Expr {
    let left = this.#membership();
    while (this.accept('&&')) {
      this.skipNewlines();
      left = { kind: 'and', left, right: this.#membership() };
    }
    return left;
  }

  #membership(): Expr {
    let left = this.#match();
    while (this.accept('in')) {
      const subscripts = left.kind === 'group' ? left.items : [left];
      left = { kind: 'in', subscripts, array: this.arrayName() };
    }
    return left;
  }

  #match(): Expr {
    let left = this.#relation();
    while (this.is('~') || this.is('!~')) {
      const { line } = this.lexer.token;
      const negated = this.is('!~');
      this.lexer.advance();
      left = { kind: 'match', negated, left, right: this.#relation(), line };
    }
    return left;
  }

  #relation(): Expr {
    const left = this.#piped();
    const { token } = this.lexer;
    if (token.kind !== 'op' || !RELATIONS.has(token.text)) return left;
    if (token.text === '>' && this.#printing) return left;
    this.lexer.advance();
    return { kind: 'compare', operator: token.text as Relation, left, right: this.#piped() };
  }

  /** `command | getline`. */
  #piped(): Expr {
    let left = this.concatenation();
    while (this.is('|')) {
      const mark = this.lexer.mark();
      this.lexer.advance();
      if (!this.is('getline')) {
        this.lexer.back(mark);
        break;
      }
      const { line } = this.lexer.token;
      this.lexer.advance();
      left = { kind: 'getline', source: 'command', target: this.#optional(), from: left, line };
    }
    return left;
  }

  protected concatenation(): Expr {
    let left = this.#sum();
    while (this.#beginsOperand()) left = { kind: 'concat', left, right: this.#sum() };
    return left;
  }

  #beginsOperand(): boolean {
    const { kind, text } = this.lexer.token;
    if (kind === 'op') {
      return text === '$' || text === '(' || text === '!' || text === '++' || text === '--';
    }
    return kind === 'number' || kind === 'string' || kind === 'name' || kind === 'function'
      ? true
      : kind === 'builtin';
  }

  #sum(): Expr {
    let left = this.#product();
    while (this.is('+') || this.is('-')) left = this.#binary(left, () => this.#product());
    return left;
  }

  #product(): Expr {
    let left = this.#unary();
    while (this.is('*') || this.is('/') || this.is('%')) {
      left = this.#binary(left, () => this.#unary());
    }
    return left;
  }

  #binary(left: Expr, operand: () => Expr): Expr {
    const { text, line } = this.lexer.token;
    this.lexer.advance();
    return {
      kind: 'binary',
      operator: text as BinaryOperator,
      left,
      right: operand(),
      line,
    };
  }

  #unary(): Expr {
    if (this.accept('!')) return { kind: 'not', operand: this.#unary() };
    if (this.accept('-')) return { kind: 'minus', operand: this.#unary() };
    if (this.accept('+')) return { kind: 'plus', operand: this.#unary() };
    return this.#power();
  }

  #power(): Expr {
    const base = this.#postfix();
    if (!this.is('^') && !this.is('**')) return base;
    const { line } = this.lexer.token;
    this.lexer.advance();
    // The exponent may have a sign of its own, and powers bind to the right.
    return { kind: 'binary', operator: '^', left: base, right: this.#unary(), line };
  }

  #postfix(): Expr {
    const node = this.#primary();
    if (!isTarget(node)) return node;
    const { token } = this.lexer;
    if (token.kind !== 'op') return node;
    if (token.text === '++' || token.text === '--') {
      this.lexer.advance();
      return { kind: 'step', target: node, by: token.text === '++' ? 1 : -1, prefix: false };
    }
    if (!ASSIGNMENTS.has(token.text)) return node;
    this.lexer.advance();
    this.skipNewlines();
    const operator = token.text === '=' ? null : (token.text.slice(0, -1).charAt(0) as '^' | '*');
    const power = token.text === '**=' ? '^' : operator;
    const value = this.#conditional();
    return { kind: 'assign', operator: power, target: node, value, line: token.line };
  }

  #primary(): Expr {
    const { kind, text, line } = this.lexer.token;
    switch (kind) {
      case 'number':
        this.lexer.advance();
        return { kind: 'number', value: numberOf(text) };
      case 'string':
        this.lexer.advance();
        return { kind: 'string', value: text };
      case 'name':
        return this.target();
      case 'function': {
        this.lexer.advance();
        return { kind: 'call', name: text, args: this.#arguments(), line };
      }
      case 'builtin':
        return this.#builtin(text, line);
      case 'keyword':
        if (text === 'getline') return this.#getline();
        return this.unexpected();
      case 'op':
        return this.#operator(text, line);
      default:
        return this.unexpected();
    }
  }

  #operator(text: string, line: number): Expr {
    if (text === '(') return this.#bracketed();
    if (text === '/' || text === '/=') return { kind: 'regex', source: this.lexer.regex(), line };
    if (text === '$') return this.target();
    if (text === '-' || text === '+' || text === '!') return this.#unary();
    if (text === '++' || text === '--') {
      this.lexer.advance();
      return { kind: 'step', target: this.target(), by: text === '++' ? 1 : -1, prefix: true };
    }
    return this.unexpected();
  }

  #bracketed(): Expr {
    const { line } = this.lexer.token;
    this.lexer.advance();
    const items = this.withPrinting(false, () => this.list(')'));
    const [only] = items;
    if (only === undefined) return this.unexpected();
    this.expect(')');
    // An expression in brackets is no target: `(x)++` is none in awk either, but `$(1)` has its own way.
    if (items.length === 1 && !this.#printing) return only;
    return { kind: 'group', items, line };
  }

  #arguments(): Expr[] {
    this.expect('(');
    const args = this.withPrinting(false, () => this.list(')'));
    this.expect(')');
    return args;
  }

  #builtin(name: string, line: number): Expr {
    this.lexer.advance();
    const args = name !== 'length' || this.is('(') ? this.#arguments() : [];
    return { kind: 'builtin', name, args, line };
  }

  #getline(): Expr {
    const { line } = this.lexer.token;
    this.lexer.advance();
    const target = this.#optional();
    if (!this.accept('<')) return { kind: 'getline', source: 'main', target, from: null, line };
    return { kind: 'getline', source: 'file', target, from: this.#primaryOfFile(), line };
  }

  /** The file of `getline < file`: no operators without brackets. */
  #primaryOfFile(): Expr {
    const node = this.#primary();
    return node.kind === 'group' && node.items.length === 1 ? (node.items[0] ?? node) : node;
  }

  #optional(): Target | null {
    const { kind } = this.lexer.token;
    return kind === 'name' || this.is('$') ? this.target() : null;
  }

  /** A variable, an element or a field. */
  protected target(): Target {
    const { kind, text, line } = this.lexer.token;
    if (kind === 'op' && text === '$') {
      this.lexer.advance();
      return { kind: 'field', index: this.#fieldIndex(), line };
    }
    if (kind !== 'name') return this.unexpected();
    this.lexer.advance();
    return this.#elements({ kind: 'name', name: text, line });
  }

  #elements(name: NameNode): ArrayNode {
    let node: ArrayNode = name;
    while (this.accept('[')) {
      const subscripts: Expr[] = this.withPrinting(false, () => this.list(']'));
      if (subscripts.length === 0) this.unexpected();
      this.expect(']');
      node = { kind: 'index', array: node, subscripts, line: name.line };
    }
    return node;
  }

  /** What stands after `$`: it binds tighter than any operator but `++` and `--` before it. */
  #fieldIndex(): Expr {
    if (this.accept('-')) return { kind: 'minus', operand: this.#fieldIndex() };
    if (this.accept('+')) return { kind: 'plus', operand: this.#fieldIndex() };
    if (this.accept('!')) return { kind: 'not', operand: this.#fieldIndex() };
    return this.#primaryOfFile();
  }

  /** An array's name, or an element that is an array. */
  protected arrayName(): ArrayNode {
    const { kind, text, line } = this.lexer.token;
    if (kind !== 'name') return this.unexpected();
    this.lexer.advance();
    return this.#elements({ kind: 'name', name: text, line });
  }
}

/** In a program, unlike in data, numbers may be hexadecimal or octal. */
function numberOf(text: string): number {
  if (/^0[0-7]+$/.test(text)) return Number.parseInt(text, 8);
  return Number(text);
}
