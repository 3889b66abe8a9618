/** Parses a program: rules, functions and statements. */
import { ProgramError } from './errors.ts';
import { ExpressionParser } from './expressions.ts';
import type {
  Case,
  Expr,
  FunctionNode,
  Pattern,
  Program,
  Redirect,
  Rule,
  Statement,
} from './syntax.ts';

const SPECIAL: Readonly<Record<string, 'begin' | 'end' | 'beginfile' | 'endfile'>> = {
  BEGIN: 'begin',
  END: 'end',
  BEGINFILE: 'beginfile',
  ENDFILE: 'endfile',
};

class Parser extends ExpressionParser {
  readonly #functions = new Map<string, FunctionNode>();
  readonly #rules: Rule[] = [];
  /** `break` and `continue` that are in no loop. */
  readonly #outside: ProgramError[] = [];
  #inFunction = false;
  #loops = 0;
  /** BEGIN or END, while its action is parsed. */
  #inSpecial = '';

  program(): Program {
    this.#skipEnds();
    while (this.lexer.token.kind !== 'end') {
      if (this.is('function')) this.#function();
      else this.#rules.push(this.#rule());
      this.#skipEnds();
    }
    const [first, ...others] = this.#outside;
    if (first !== undefined) {
      // gawk looks for them twice.
      first.also = [
        ...others,
        ...this.#outside.map((one) => new ProgramError(one.message, one.line)),
      ];
      throw first;
    }
    return { rules: this.#rules, functions: this.#functions };
  }

  #skipEnds(): void {
    while (this.lexer.token.kind === 'newline' || this.is(';')) this.lexer.advance();
  }

  #rule(): Rule {
    const { line } = this.lexer.token;
    const pattern = this.#pattern();
    if (this.is('{')) {
      this.#inSpecial = /^(?:begin|end)$/.test(pattern.kind) ? pattern.kind.toUpperCase() : '';
      const body = this.#block();
      this.#inSpecial = '';
      return { pattern, body, line };
    }
    if (pattern.kind !== 'when' && pattern.kind !== 'range') {
      this.fail(`${pattern.kind.toUpperCase()} blocks must have an action part`);
    }
    if (this.lexer.token.kind !== 'end' && this.lexer.token.kind !== 'newline' && !this.is(';')) {
      this.unexpected();
    }
    return { pattern, body: null, line };
  }

  #pattern(): Pattern {
    const { kind, text } = this.lexer.token;
    const special = kind === 'keyword' ? SPECIAL[text] : undefined;
    if (special !== undefined) {
      this.lexer.advance();
      return { kind: special };
    }
    if (this.is('{')) return { kind: 'always' };
    const condition = this.expression();
    if (!this.accept(',')) return { kind: 'when', condition };
    this.skipNewlines();
    return { kind: 'range', from: condition, to: this.expression() };
  }

  #function(): void {
    const { line } = this.lexer.token;
    this.lexer.advance();
    const { kind, text: name } = this.lexer.token;
    if (kind !== 'name' && kind !== 'function') this.unexpected();
    if (this.#functions.has(name)) this.fail(`function name \`${name}' previously defined`);
    this.lexer.advance();
    this.expect('(');
    const parameters: string[] = [];
    this.skipNewlines();
    while (!this.is(')')) {
      if (this.lexer.token.kind !== 'name') this.unexpected();
      const parameter = this.lexer.token.text;
      if (parameters.includes(parameter)) {
        this.fail(`function \`${name}': parameter \`${parameter}' is there twice`);
      }
      parameters.push(parameter);
      this.lexer.advance();
      this.skipNewlines();
      if (this.accept(',')) {
        this.skipNewlines();
        if (this.is(')')) this.unexpected();
      } else if (!this.is(')')) this.unexpected();
    }
    this.expect(')');
    this.skipNewlines();
    this.#inFunction = true;
    const body = this.#block();
    this.#inFunction = false;
    this.#functions.set(name, { name, parameters, body, line });
  }

  #block(): Statement {
    const { line } = this.lexer.token;
    this.expect('{');
    const body = this.#statements();
    this.expect('}');
    return { kind: 'block', body, line };
  }

  #statements(): Statement[] {
    const body: Statement[] = [];
    this.#skipEnds();
    while (!this.is('}') && this.lexer.token.kind !== 'end') {
      if (this.is('case') || this.is('default')) break;
      body.push(this.#statement());
      this.#skipEnds();
    }
    return body;
  }

  /** The `;`, newline or `}` after a simple statement; the bracket stays. */
  #terminate(): void {
    const { kind } = this.lexer.token;
    if (kind === 'newline' || this.is(';')) this.lexer.advance();
    else if (!this.is('}') && kind !== 'end') this.unexpected();
  }

  #statement(): Statement {
    const { kind, text, line } = this.lexer.token;
    if (this.is('{')) return this.#block();
    if (this.accept(';')) return { kind: 'block', body: [], line };
    const compound = kind === 'keyword' ? this.#compound(text, line) : null;
    if (compound !== null) return compound;
    const simple = this.#simple();
    this.#terminate();
    return simple;
  }

  #compound(keyword: string, line: number): Statement | null {
    switch (keyword) {
      case 'if':
        return this.#if(line);
      case 'while': {
        this.lexer.advance();
        const condition = this.#condition();
        // `while (c);` has an empty body.
        return { kind: 'while', condition, body: this.#body(true), line };
      }
      case 'do':
        return this.#do(line);
      case 'for':
        return this.#for(line);
      case 'switch':
        return this.#switch(line);
      default:
        return null;
    }
  }

  #condition(): Expr {
    this.expect('(');
    this.skipNewlines();
    const condition = this.expression();
    this.skipNewlines();
    this.expect(')');
    return condition;
  }

  #body(loop = false): Statement {
    const { line } = this.lexer.token;
    if (this.accept(';')) return { kind: 'block', body: [], line };
    this.skipNewlines();
    if (loop) this.#loops++;
    const body = this.#statement();
    if (loop) this.#loops--;
    return body;
  }

  #if(line: number): Statement {
    this.lexer.advance();
    const condition = this.#condition();
    const yes = this.#body();
    // What ends the statement before may stand before `else`.
    const mark = this.lexer.mark();
    this.#skipEnds();
    if (!this.accept('else')) {
      this.lexer.back(mark);
      return { kind: 'if', condition, yes, no: null, line };
    }
    return { kind: 'if', condition, yes, no: this.#body(), line };
  }

  #do(line: number): Statement {
    this.lexer.advance();
    const body = this.#body(true);
    this.#skipEnds();
    this.expect('while');
    const condition = this.#condition();
    this.#terminate();
    return { kind: 'do', condition, body, line };
  }

  #for(line: number): Statement {
    this.lexer.advance();
    this.expect('(');
    const over = this.#forIn(line);
    if (over !== null) return over;
    const init = this.is(';') ? null : this.#simple();
    this.expect(';');
    this.skipNewlines();
    const condition = this.is(';') ? null : this.expression();
    this.expect(';');
    this.skipNewlines();
    const step = this.is(')') ? null : this.#simple();
    this.expect(')');
    return { kind: 'for', init, condition, step, body: this.#body(true), line };
  }

  /** `name in array)`; null, and nothing taken, if it is another kind of loop. */
  #forIn(line: number): Statement | null {
    const mark = this.lexer.mark();
    const { kind, text } = this.lexer.token;
    if (kind === 'name') {
      this.lexer.advance();
      if (this.accept('in') && this.lexer.token.kind === 'name') {
        const array = this.arrayName();
        if (this.accept(')')) {
          const target = { kind: 'name', name: text, line } as const;
          return { kind: 'forIn', target, array, body: this.#body(true), line };
        }
      }
    }
    this.lexer.back(mark);
    return null;
  }

  #switch(line: number): Statement {
    this.lexer.advance();
    const value = this.#condition();
    this.skipNewlines();
    this.expect('{');
    this.#skipEnds();
    const cases: Case[] = [];
    this.#loops++;
    while (!this.is('}')) {
      let label: Expr | null = null;
      if (this.accept('case')) label = this.expression();
      else this.expect('default');
      this.expect(':');
      cases.push({ label, body: this.#statements() });
    }
    this.#loops--;
    this.expect('}');
    return { kind: 'switch', value, cases, line };
  }

  #simple(): Statement {
    const { kind, text, line } = this.lexer.token;
    if (kind !== 'keyword' || text === 'getline') {
      return { kind: 'expression', value: this.expression(), line };
    }
    switch (text) {
      case 'print':
      case 'printf':
        return this.#print(text, line);
      case 'delete':
        return this.#delete(line);
      case 'break':
      case 'continue':
        if (this.#loops === 0) {
          const place = text === 'break' ? 'a loop or switch' : 'a loop';
          this.#outside.push(new ProgramError(`\`${text}' is not allowed outside ${place}`, line));
        }
        break;
      case 'next':
      case 'nextfile':
        if (this.#inSpecial !== '') this.fail(`\`${text}' used in ${this.#inSpecial} action`);
        break;
      case 'return':
        if (!this.#inFunction) this.misplaced("`return' used outside function context");
        this.lexer.advance();
        return { kind: 'return', value: this.#optionalValue(), line };
      case 'exit':
        this.lexer.advance();
        return { kind: 'exit', value: this.#optionalValue(), line };
      default:
        return this.unexpected();
    }
    this.lexer.advance();
    return { kind: text as 'break', line };
  }

  #optionalValue(): Expr | null {
    const { kind } = this.lexer.token;
    return kind === 'newline' || kind === 'end' || this.is(';') || this.is('}')
      ? null
      : this.expression();
  }

  #delete(line: number): Statement {
    this.lexer.advance();
    const bracket = this.accept('(');
    const node = this.arrayName();
    if (bracket) this.expect(')');
    if (node.kind === 'name') return { kind: 'delete', array: node, subscripts: null, line };
    return { kind: 'delete', array: node.array, subscripts: node.subscripts, line };
  }

  #print(kind: 'print' | 'printf', line: number): Statement {
    this.lexer.advance();
    let args = this.withPrinting(true, () => this.#printed());
    const [only] = args;
    if (args.length === 1 && only?.kind === 'group') args = only.items;
    if (kind === 'printf' && args.length === 0) this.fail('printf: no arguments');
    return { kind, args, redirect: this.#redirect(), line };
  }

  #printed(): Expr[] {
    const { kind } = this.lexer.token;
    const ends = [';', '}', '>', '>>', '|'];
    if (kind === 'newline' || kind === 'end' || ends.some((one) => this.is(one))) return [];
    const items: Expr[] = [];
    do {
      this.skipNewlines();
      items.push(this.expression());
    } while (this.accept(','));
    return items;
  }

  #redirect(): Redirect | null {
    const kind = (['>', '>>', '|'] as const).find((one) => this.is(one));
    if (kind === undefined) return null;
    this.lexer.advance();
    return { kind, to: this.withPrinting(true, () => this.concatenation()) };
  }
}

/**
 * Parses a program.
 * @param warn told of what is legal and yet surely a mistake
 * @throws ProgramError where it is no awk program
 */
export function parseProgram(
  source: string,
  warn: (message: string, line: number) => void,
): Program {
  const program = new Parser(source, warn).program();
  for (const [name, { parameters }] of program.functions) {
    const clash = parameters.find((one) => one === name || program.functions.has(one));
    if (clash === undefined) continue;
    throw new ProgramError(
      `function \`${name}': cannot use function \`${clash}' as a parameter name`,
      program.functions.get(name)?.line ?? 1,
    );
  }
  return program;
}
