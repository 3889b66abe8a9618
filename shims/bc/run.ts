/** Carries out bc's statements. */
import {
  add,
  compare,
  type Decimal,
  divide,
  format,
  integer,
  multiply,
  negate,
  ONE,
  parse,
  raise,
  remainder,
  rescaled,
  squareRoot,
  ZERO,
} from './decimal.ts';
import { arctangent, cosine, exponential, logarithm, sine } from './functions.ts';
import type { Expr, Statement, Target } from './syntax.ts';

/** A mistake at run time: bc tells it, drops the statement and goes on. */
export class RunProblem extends Error {
  override readonly name = 'RunProblem';
}

/** What ends a statement early. */
type Ended = { by: 'break' | 'continue' | 'quit' } | { by: 'return'; value: Decimal } | null;

type Define = Extract<Statement, { type: 'define' }>;

const LINE = 69;
const DEEPEST = 500;
/** Digits. A larger power would hold the shell for minutes. */
const MOST_DIGITS = 200_000;

const SERIES: Readonly<Record<string, (x: Decimal, scale: number) => Decimal>> = {
  s: sine,
  c: cosine,
  a: arctangent,
  l: logarithm,
  e: exponential,
};

export class Machine {
  readonly #print: (text: string) => void;
  readonly #library: boolean;
  readonly #variables = new Map<string, Decimal>();
  readonly #functions = new Map<string, Define>();
  #depth = 0;
  #scale = 0;
  #ibase = 10;
  #obase = 10;

  /** @param library the functions of `-l` */
  constructor(print: (text: string) => void, library: boolean) {
    this.#print = print;
    this.#library = library;
    if (library) this.#scale = 20;
  }

  /** Runs one statement. False when it was told to quit. */
  run(statement: Statement): boolean {
    return this.#do(statement)?.by !== 'quit';
  }

  #do(one: Statement): Ended {
    switch (one.type) {
      case 'expression':
        this.#show(one.value);
        return null;
      case 'string':
        this.#print(one.text);
        return null;
      case 'print':
        for (const item of one.items) {
          this.#print(
            item.type === 'string'
              ? unescaped(item.text)
              : format(this.#evaluate(item), this.#obase),
          );
        }
        return null;
      case 'block':
        return this.#all(one.body);
      case 'if':
        if (this.#holds(one.test)) return this.#do(one.then);
        return one.otherwise === null ? null : this.#do(one.otherwise);
      case 'while':
        return this.#loop(one.test, null, one.body);
      case 'for':
        if (one.init !== null) this.#evaluate(one.init);
        return this.#loop(one.test, one.step, one.body);
      case 'define':
        this.#functions.set(one.name, one);
        return null;
      case 'return':
        return { by: 'return', value: one.value === null ? ZERO : this.#evaluate(one.value) };
      default:
        return { by: one.type };
    }
  }

  #all(body: readonly Statement[]): Ended {
    for (const one of body) {
      const ended = this.#do(one);
      if (ended !== null) return ended;
    }
    return null;
  }

  #loop(test: Expr | null, step: Expr | null, body: Statement): Ended {
    while (test === null || this.#holds(test)) {
      const ended = this.#do(body);
      if (ended?.by === 'break') return null;
      if (ended !== null && ended.by !== 'continue') return ended;
      if (step !== null) this.#evaluate(step);
    }
    return null;
  }

  #holds(test: Expr): boolean {
    return this.#evaluate(test).digits !== 0n;
  }

  /** An expression alone is printed, an assignment is not. */
  #show(expression: Expr): void {
    const value = this.#evaluate(expression);
    if (expression.type === 'assign') return;
    this.#variables.set('last', value);
    const text = format(value, this.#obase);
    const lines = text.match(new RegExp(`.{1,${LINE - 1}}`, 'g')) ?? [];
    const folded = text.length <= LINE ? text : lines.join('\\\n');
    this.#print(`${folded}\n`);
  }

  #evaluate(one: Expr): Decimal {
    switch (one.type) {
      case 'number':
        return parse(one.text, this.#ibase);
      case 'name':
        return this.#get(one);
      case 'group':
        return this.#evaluate(one.value);
      case 'call':
        return this.#call(
          one.name,
          one.args.map((arg) => this.#evaluate(arg)),
        );
      case 'unary': {
        const value = this.#evaluate(one.operand);
        if (one.operator === '-') return negate(value);
        return value.digits === 0n ? ONE : ZERO;
      }
      case 'binary':
        return this.#binary(one.operator, this.#evaluate(one.left), this.#evaluate(one.right));
      case 'assign': {
        const given = this.#evaluate(one.value);
        const operator = one.operator.slice(0, -1);
        const value =
          operator === '' ? given : this.#binary(operator, this.#get(one.target), given);
        this.#set(one.target, value);
        return value;
      }
      case 'step': {
        const before = this.#get(one.target);
        const after = add(before, integer(one.by));
        this.#set(one.target, after);
        return one.prefix ? after : before;
      }
    }
  }

  #binary(operator: string, a: Decimal, b: Decimal): Decimal {
    const truth = (is: boolean): Decimal => (is ? ONE : ZERO);
    switch (operator) {
      case '+':
        return add(a, b);
      case '-':
        return add(a, negate(b));
      case '*':
        return multiply(a, b, this.#scale);
      case '/':
      case '%':
        if (b.digits === 0n) throw new RunProblem('Divide by zero');
        return operator === '/' ? divide(a, b, this.#scale) : remainder(a, b, this.#scale);
      case '^':
        return this.#power(a, b);
      case '&&':
        return truth(a.digits !== 0n && b.digits !== 0n);
      case '||':
        return truth(a.digits !== 0n || b.digits !== 0n);
      case '<':
        return truth(compare(a, b) < 0);
      case '<=':
        return truth(compare(a, b) <= 0);
      case '>':
        return truth(compare(a, b) > 0);
      case '>=':
        return truth(compare(a, b) >= 0);
      case '==':
        return truth(compare(a, b) === 0);
      default:
        return truth(compare(a, b) !== 0);
    }
  }

  #power(a: Decimal, b: Decimal): Decimal {
    const exponent = Number(rescaled(b, 0).digits);
    if (String(a.digits).length * Math.abs(exponent) > MOST_DIGITS) {
      throw new RunProblem('exponent too large in raise');
    }
    if (exponent < 0 && a.digits === 0n) throw new RunProblem('Divide by zero');
    return raise(a, exponent, this.#scale);
  }

  #call(name: string, args: readonly Decimal[]): Decimal {
    const own = this.#functions.get(name);
    if (own !== undefined) return this.#callOwn(own, args);
    const [x = ZERO] = args;
    if (name === 'sqrt') {
      if (x.digits < 0n) throw new RunProblem('Square root of a negative number');
      return squareRoot(x, this.#scale);
    }
    if (name === 'length') {
      return integer(Math.max(String(x.digits).replace('-', '').length, x.scale));
    }
    if (name === 'scale') return integer(x.scale);
    const series = this.#library && Object.hasOwn(SERIES, name) ? SERIES[name] : undefined;
    if (series === undefined) throw new RunProblem(`Function ${name} not defined.`);
    if (name === 'l' && x.digits <= 0n) {
      // What bc has for minus infinity.
      return rescaled(
        add(ONE, negate({ digits: 10n ** BigInt(this.#scale), scale: 0 })),
        this.#scale,
      );
    }
    return series(x, this.#scale);
  }

  #callOwn({ parameters, locals, body }: Define, args: readonly Decimal[]): Decimal {
    if (args.length !== parameters.length) throw new RunProblem('Parameter number mismatch');
    if (this.#depth >= DEEPEST) throw new RunProblem('Function call too deep');
    const names = [...parameters, ...locals];
    const saved = names.map((name) => [name, this.#variables.get(name)] as const);
    for (const [index, name] of names.entries()) this.#variables.set(name, args[index] ?? ZERO);
    this.#depth += 1;
    try {
      const ended = this.#all(body);
      return ended?.by === 'return' ? ended.value : ZERO;
    } finally {
      this.#depth -= 1;
      for (const [name, value] of saved) {
        if (value === undefined) this.#variables.delete(name);
        else this.#variables.set(name, value);
      }
    }
  }

  #keyOf({ name, index }: Target): string {
    return index === null ? name : `${name}[${rescaled(this.#evaluate(index), 0).digits}]`;
  }

  #get(target: Target): Decimal {
    if (target.index === null) {
      if (target.name === 'scale') return integer(this.#scale);
      if (target.name === 'ibase') return integer(this.#ibase);
      if (target.name === 'obase') return integer(this.#obase);
    }
    return this.#variables.get(this.#keyOf(target)) ?? ZERO;
  }

  #set(target: Target, value: Decimal): void {
    const number = Number(rescaled(value, 0).digits);
    const special = target.index === null ? target.name : '';
    if (special === 'scale') this.#scale = Math.min(Math.max(number, 0), MOST_DIGITS);
    else if (special === 'ibase') this.#ibase = Math.min(Math.max(number, 2), 16);
    else if (special === 'obase') this.#obase = Math.max(number, 2);
    else this.#variables.set(this.#keyOf(target), value);
  }
}

function unescaped(text: string): string {
  const known: Readonly<Record<string, string>> = { n: '\n', t: '\t', q: '"', '\\': '\\', e: '\\' };
  return text.replace(/\\(.)/gs, (whole, char: string) => known[char] ?? whole);
}
