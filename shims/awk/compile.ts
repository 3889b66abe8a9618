/** Expressions compiled to closures. */
import { builtin } from './builtins.ts';
import { all, type Code, later, map, map2, now } from './code.ts';
import { relation } from './compare.ts';
import type { CompiledFunction, Compiler } from './compiler.ts';
import { FatalError, ProgramError } from './errors.ts';
import { compileCall } from './function-calls.ts';
import { compileGetline } from './getline.ts';
import {
  ElementRef,
  FieldRef,
  GlobalRef,
  LocalRef,
  notArray,
  notScalar,
  type Ref,
  SpecialRef,
} from './refs.ts';
import type { Regex, RegexCache } from './regex.ts';
import type { Resolution } from './resolve.ts';
import type { Local, Runtime } from './runtime.ts';
import type { ArrayNode, BinaryOperator, Expr, Target } from './syntax.ts';
import { AwkArray, isTrue, toNumber, type Value } from './values.ts';

const ARITHMETIC: Readonly<Record<BinaryOperator, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => {
    if (b === 0) throw new FatalError('division by zero attempted');
    return a / b;
  },
  '%': (a, b) => {
    if (b === 0) throw new FatalError("division by zero attempted in `%'");
    return a % b;
  },
  '^': (a, b) => a ** b,
};

const fromBoolean = (truth: boolean): Value => (truth ? 1 : 0);

export class ExpressionCompiler implements Compiler {
  readonly runtime: Runtime;
  readonly functions: ReadonlyMap<string, CompiledFunction>;
  readonly #arrays: ReadonlySet<string>;
  /** Parameters of the function that is compiled. */
  readonly #locals: readonly string[];

  constructor(
    runtime: Runtime,
    resolution: Resolution,
    functions: ReadonlyMap<string, CompiledFunction>,
    locals: readonly string[],
  ) {
    this.runtime = runtime;
    this.functions = functions;
    this.#arrays = resolution.arrays;
    this.#locals = locals;
  }

  /** What an expression gives. */
  value(node: Expr): Code<Value> {
    switch (node.kind) {
      case 'number':
      case 'string': {
        const { value } = node;
        return now(() => value);
      }
      case 'name':
      case 'index':
      case 'field':
        return this.#read(node);
      case 'assign':
      case 'step':
        return this.#assignment(node);
      case 'conditional':
        return this.#choice(node.condition, node.yes, node.no);
      case 'concat':
        return this.text(node);
      case 'binary':
      case 'minus':
      case 'plus':
        return this.number(node);
      case 'getline':
        return compileGetline(this, node);
      case 'group':
        return this.value(single(node.items, node.line));
      case 'call':
        return compileCall(this, node.name, node.args, node.line);
      case 'builtin':
        return builtin(this, node.name, node.args, node.line);
      default:
        return map(this.condition(node), fromBoolean);
    }
  }

  /** Whether it is true. */
  condition(node: Expr): Code<boolean> {
    switch (node.kind) {
      case 'compare':
        return map2(
          this.value(node.left),
          this.value(node.right),
          relation(this.runtime, node.operator),
        );
      case 'match': {
        const { negated } = node;
        return map2(
          this.text(node.left),
          this.regex(node.right),
          (text, regex) => regex.test(text) !== negated,
        );
      }
      case 'regex': {
        const regex = this.regex(node);
        const { record } = this.runtime;
        return map(regex, (one) => one.test(record.text));
      }
      case 'and':
      case 'or':
        return this.#both(node.kind === 'and', node.left, node.right);
      case 'not':
        return map(this.condition(node.operand), (truth) => !truth);
      case 'in':
        return map2(this.array(node.array), this.key(node.subscripts), ({ elements }, key) =>
          elements.has(key),
        );
      default:
        return map(this.value(node), isTrue);
    }
  }

  number(node: Expr): Code<number> {
    switch (node.kind) {
      case 'binary':
        return map2(this.number(node.left), this.number(node.right), ARITHMETIC[node.operator]);
      case 'minus':
        return map(this.number(node.operand), (value) => -value);
      case 'plus':
        return this.number(node.operand);
      case 'number': {
        const { value } = node;
        return now(() => value);
      }
      default:
        return map(this.value(node), toNumber);
    }
  }

  text(node: Expr): Code<string> {
    if (node.kind === 'concat') {
      return map2(this.text(node.left), this.text(node.right), (a, b) => a + b);
    }
    if (node.kind === 'string') {
      const { value } = node;
      return now(() => value);
    }
    const { runtime } = this;
    return map(this.value(node), (value) => runtime.text(value));
  }

  /** An operand as a pattern: one written between slashes, or one in a string. */
  regex(node: Expr): Code<Regex> {
    const { regexes } = this.runtime;
    if (node.kind === 'regex') {
      const { source } = node;
      // A pattern that is none is told of before anything runs.
      let known = literalRegex(regexes, source, node.line);
      let folds = regexes.ignoreCase;
      return now(() => {
        if (folds !== regexes.ignoreCase) {
          folds = regexes.ignoreCase;
          known = regexes.get(source);
        }
        return known;
      });
    }
    return map(this.text(node), (source) => regexes.get(source));
  }

  /** An array, made where there is none yet. */
  array(node: ArrayNode): Code<AwkArray> {
    if (node.kind === 'index') {
      return map2(this.array(node.array), this.key(node.subscripts), ({ elements }, key) => {
        const inner = elements.get(key);
        if (inner instanceof AwkArray) return inner;
        if (inner !== undefined) throw notArray(`${nameOf(node)}["${key}"]`);
        const made = new AwkArray();
        elements.set(key, made);
        return made;
      });
    }
    const { name } = node;
    const slot = this.#locals.indexOf(name);
    const { runtime } = this;
    if (slot < 0) {
      const array = runtime.array(name);
      return now(() => array);
    }
    return now(() => {
      const local = runtime.frame[slot];
      if (local instanceof AwkArray) return local;
      if (local !== undefined)
        throw new FatalError(`attempt to use scalar parameter \`${name}' as an array`);
      const made = new AwkArray();
      runtime.frame[slot] = made;
      return made;
    });
  }

  /** The subscript that some values make. */
  key(subscripts: readonly Expr[]): Code<string> {
    const [first] = subscripts;
    if (subscripts.length === 1 && first !== undefined) return this.text(first);
    const { runtime } = this;
    return map(all(subscripts.map((one) => this.value(one))), (values) => runtime.key(values));
  }

  /** Where a value is to go. */
  ref(node: Target): Code<Ref> {
    const { runtime } = this;
    if (node.kind === 'index') {
      return map2(
        this.array(node.array),
        this.key(node.subscripts),
        (array, key): Ref => new ElementRef(array, key),
      );
    }
    if (node.kind === 'field') {
      return map(this.number(node.index), (index): Ref => new FieldRef(runtime, Math.trunc(index)));
    }
    const ref = this.#nameRef(node.name, node.line);
    return now(() => ref);
  }

  #nameRef(name: string, line: number): Ref {
    const { runtime } = this;
    const slot = this.#locals.indexOf(name);
    if (slot >= 0) return new LocalRef(runtime, slot, name);
    if (this.functions.has(name)) {
      throw new ProgramError(
        `function \`${name}' used as a variable: put its arguments in brackets right after the name`,
        line,
      );
    }
    if (this.#arrays.has(name)) throw notScalar(name);
    const set = runtime.assigner(name);
    const cell = runtime.cell(name);
    if (set === undefined) return new GlobalRef(cell);
    return new SpecialRef(name === 'NF' ? () => runtime.record.count : () => cell.value, set);
  }

  #read(node: Target): Code<Value> {
    const { runtime } = this;
    if (node.kind === 'field') {
      const { record } = runtime;
      if (node.index.kind === 'number') {
        const index = Math.trunc(node.index.value);
        return now(() => record.get(index));
      }
      return map(this.number(node.index), (index) => record.get(Math.trunc(index)));
    }
    if (node.kind === 'index') {
      return map2(this.array(node.array), this.key(node.subscripts), ({ elements }, key) => {
        const value = elements.get(key);
        if (value instanceof AwkArray) throw notScalar(`${nameOf(node)}["${key}"]`);
        if (value === undefined) elements.set(key, undefined);
        return value;
      });
    }
    const ref = this.#nameRef(node.name, node.line);
    if (ref instanceof GlobalRef) {
      const cell = runtime.cell(node.name);
      return now(() => cell.value);
    }
    return now(() => ref.get());
  }

  #assignment(node: Extract<Expr, { kind: 'assign' | 'step' }>): Code<Value> {
    const ref = this.ref(node.target);
    if (node.kind === 'step') {
      const { by, prefix } = node;
      return map(ref, (place) => {
        const before = toNumber(place.get());
        place.set(before + by);
        return prefix ? before + by : before;
      });
    }
    // As in gawk, the right side comes first.
    if (node.operator === null) {
      return map2(this.value(node.value), ref, (value, place) => {
        place.set(value);
        return value;
      });
    }
    const compute = ARITHMETIC[node.operator];
    return map2(this.number(node.value), ref, (value, place) => {
      const result = compute(toNumber(place.get()), value);
      place.set(result);
      return result;
    });
  }

  #choice(condition: Expr, yes: Expr, no: Expr): Code<Value> {
    const [c, y, n] = [this.condition(condition), this.value(yes), this.value(no)];
    if (c.waits || y.waits || n.waits) {
      return later(async () => ((await c.run()) ? y.run() : n.run()));
    }
    const [test, runYes, runNo] = [c.run, y.run, n.run];
    return now(() => (test() ? runYes() : runNo()));
  }

  #both(and: boolean, left: Expr, right: Expr): Code<boolean> {
    const [a, b] = [this.condition(left), this.condition(right)];
    if (a.waits || b.waits) {
      return later(async () => ((await a.run()) === and ? b.run() : !and));
    }
    const [runA, runB] = [a.run, b.run];
    return now(() => (runA() === and ? runB() : !and));
  }

  /** An argument for a function: an array where the function wants one, or where it is one. */
  argument(node: Expr, wantsArray: boolean): Code<Local> {
    if (node.kind === 'name') {
      const { name } = node;
      const slot = this.#locals.indexOf(name);
      if (wantsArray || (slot < 0 && this.#arrays.has(name))) return this.array(node);
      if (slot >= 0) return now(() => this.runtime.frame[slot]);
    }
    if (node.kind === 'index') {
      if (wantsArray) return this.array(node);
      return map2(this.array(node.array), this.key(node.subscripts), ({ elements }, key) => {
        const value = elements.get(key);
        if (value === undefined) elements.set(key, undefined);
        return value;
      });
    }
    return this.value(node);
  }

  /** What a name or an element holds, an array or not. */
  raw(node: Expr): Code<Local> {
    return this.argument(node, false);
  }
}

function literalRegex(regexes: RegexCache, source: string, line: number): Regex {
  try {
    return regexes.get(source);
  } catch (error) {
    if (!(error instanceof FatalError)) throw error;
    throw new ProgramError(error.message, line);
  }
}

function nameOf(node: ArrayNode): string {
  let inner = node;
  while (inner.kind === 'index') inner = inner.array;
  return inner.name;
}

function single(items: readonly Expr[], line: number): Expr {
  const [only] = items;
  if (items.length === 1 && only !== undefined) return only;
  throw new ProgramError('syntax error: a list in brackets stands only before `in`', line);
}
