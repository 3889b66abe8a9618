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
import { arctangent, bessel, cosine, digitsOf, exponential, logarithm, sine } from './functions.ts';
import type { Argument, Expr, Parameter, Statement, Target } from './syntax.ts';

/** A mistake at run time: bc tells it, drops the statement and goes on. */
export class RunProblem extends Error {
  override readonly name = 'RunProblem';
}

/** What ends a statement early. */
type Ended = { by: 'break' | 'continue' | 'quit' } | { by: 'return'; value: Decimal } | null;

/** An array's elements by their index. */
type Cells = Map<string, Decimal>;

type Define = Extract<Statement, { type: 'define' }>;

/** Characters of a line before the backslash that breaks it. */
const LINE = 68;
const ESCAPES: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  q: '"',
  r: '\r',
  t: '\t',
  '\\': '\\',
};
const DEEPEST = 500;
/** Digits. A larger power would hold the shell for minutes. */
const MOST_DIGITS = 200_000;
/** Of numbers that are read: 0 to 9, and A to Z. */
const HIGHEST_BASE = 36;

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
  #column = 0;
  readonly #variables = new Map<string, Decimal>();
  readonly #arrays = new Map<string, Cells>();
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
        this.#put(one.text);
        return null;
      case 'print':
        for (const item of one.items) {
          this.#put(
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

  /** An expression alone is printed, an assignment is not, nor what returns nothing. */
  #show(expression: Expr): void {
    const value = this.#evaluate(expression);
    if (expression.type === 'assign') return;
    if (expression.type === 'call' && this.#functions.get(expression.name)?.isVoid === true) return;
    this.#variables.set('last', value);
    this.#put(`${format(value, this.#obase)}\n`);
  }

  /** Prints; lines that are too long are broken, texts and numbers alike. */
  #put(text: string): void {
    let out = '';
    for (const char of text) {
      if (char === '\n') this.#column = 0;
      else if (this.#column === LINE) {
        out += '\\\n';
        this.#column = 1;
      } else this.#column += 1;
      out += char;
    }
    this.#print(out);
  }

  #evaluate(one: Expr): Decimal {
    switch (one.type) {
      case 'number':
        // Zeros in front are none of its digits: `0F` is the digit F.
        return parse(one.text.replace(/^0+(?=[0-9A-Z])/, ''), this.#ibase);
      case 'name':
        return this.#get(one);
      case 'group':
        return this.#evaluate(one.value);
      case 'call':
        return this.#call(one.name, one.args);
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

  #call(name: string, given: readonly Argument[]): Decimal {
    const own = this.#functions.get(name);
    if (own !== undefined) return this.#callOwn(own, given);
    const args = given.map((arg) => {
      if (arg.type === 'array') throw new RunProblem(`Parameter type mismatch, parameter ${name}.`);
      return this.#evaluate(arg);
    });
    const [x = ZERO, y = ZERO] = args;
    if (name === 'sqrt') {
      if (x.digits < 0n) throw new RunProblem('Square root of a negative number');
      return squareRoot(x, this.#scale);
    }
    if (name === 'length') return integer(digitsOf(x));
    if (name === 'scale') return integer(x.scale);
    if (this.#library && name === 'j') return bessel(x, y, this.#scale);
    const series = this.#library && Object.hasOwn(SERIES, name) ? SERIES[name] : undefined;
    if (series === undefined) throw new RunProblem(`Function ${name} not defined.`);
    return series(x, this.#scale);
  }

  #callOwn({ parameters, locals, body }: Define, given: readonly Argument[]): Decimal {
    if (given.length !== parameters.length) throw new RunProblem('Parameter number mismatch');
    if (this.#depth >= DEEPEST) throw new RunProblem('Function call too deep');
    // All of what is given is looked at before any name has its new value.
    const handed = parameters.map((parameter, index) => this.#handed(parameter, given[index]));
    const own = [...parameters, ...locals];
    const numbers = own.filter(({ kind }) => kind === 'number').map(({ name }) => name);
    const arrays = own.filter(({ kind }) => kind !== 'number').map(({ name }) => name);
    const before = numbers.map((name) => [name, this.#variables.get(name)] as const);
    const cellsBefore = arrays.map((name) => [name, this.#arrays.get(name)] as const);
    for (const name of numbers) this.#variables.delete(name);
    for (const name of arrays) this.#arrays.delete(name);
    for (const [index, { name }] of parameters.entries()) {
      const value = handed[index];
      if (value instanceof Map) this.#arrays.set(name, value);
      else if (value !== undefined) this.#variables.set(name, value);
    }
    this.#depth += 1;
    try {
      const ended = this.#all(body);
      return ended?.by === 'return' ? ended.value : ZERO;
    } finally {
      this.#depth -= 1;
      restore(this.#variables, before);
      restore(this.#arrays, cellsBefore);
    }
  }

  /** What a parameter becomes: a number, a copy of an array, or the array itself. */
  #handed({ kind, name }: Parameter, given: Argument | undefined): Decimal | Cells {
    if (given === undefined || (given.type === 'array') !== (kind !== 'number')) {
      throw new RunProblem(`Parameter type mismatch, parameter ${name}.`);
    }
    if (given.type !== 'array') return this.#evaluate(given);
    const cells = this.#cells(given.name);
    return kind === 'reference' ? cells : new Map(cells);
  }

  #cells(name: string): Cells {
    const cells = this.#arrays.get(name) ?? new Map<string, Decimal>();
    this.#arrays.set(name, cells);
    return cells;
  }

  #indexOf(index: Expr): string {
    return String(rescaled(this.#evaluate(index), 0).digits);
  }

  #get(target: Target): Decimal {
    if (target.index === null) {
      if (target.name === 'scale') return integer(this.#scale);
      if (target.name === 'ibase') return integer(this.#ibase);
      if (target.name === 'obase') return integer(this.#obase);
    }
    if (target.index !== null) {
      return this.#arrays.get(target.name)?.get(this.#indexOf(target.index)) ?? ZERO;
    }
    return this.#variables.get(target.name) ?? ZERO;
  }

  #set(target: Target, value: Decimal): void {
    const number = Number(rescaled(value, 0).digits);
    const special = target.index === null ? target.name : '';
    if (special === 'scale') this.#scale = Math.min(Math.max(number, 0), MOST_DIGITS);
    else if (special === 'ibase') this.#ibase = Math.min(Math.max(number, 2), HIGHEST_BASE);
    else if (special === 'obase') this.#obase = Math.max(number, 2);
    else if (target.index === null) this.#variables.set(target.name, value);
    else this.#cells(target.name).set(this.#indexOf(target.index), value);
  }
}

/** As `print` has it: an escape that it does not know stands for nothing. */
function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, (_whole, char: string) => ESCAPES[char] ?? '');
}

function restore<T>(names: Map<string, T>, before: readonly (readonly [string, T | undefined])[]) {
  for (const [name, value] of before) {
    if (value === undefined) names.delete(name);
    else names.set(name, value);
  }
}
