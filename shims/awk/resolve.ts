/**
 * What each name of a program is: which are arrays, and which functions wait
 * for something outside the program (a file, a command).
 */
import { ProgramError } from './errors.ts';
import type { ArrayNode, Expr, FunctionNode, Program, Statement } from './syntax.ts';
import { walk } from './syntax.ts';

/** Arguments of built-in functions that are arrays, by position. */
const ARRAY_ARGUMENTS: Readonly<Record<string, readonly number[]>> = {
  split: [1, 3],
  match: [2],
  patsplit: [1, 3],
  asort: [0, 1],
  asorti: [0, 1],
};

/** Arrays that awk itself fills. */
const SPECIAL_ARRAYS = ['ARGV', 'ENVIRON', 'PROCINFO'] as const;

/** What gawk alone has, and what would be empty here in silence. */
const MISSING = new Set(['SYMTAB', 'FUNCTAB']);

export interface Resolution {
  /** Global names that are arrays. */
  arrays: ReadonlySet<string>;
  /** By function: which parameters are arrays. */
  parameters: ReadonlyMap<string, readonly boolean[]>;
  waiting: ReadonlySet<string>;
}

class Resolver {
  readonly #program: Program;
  readonly arrays = new Set<string>(SPECIAL_ARRAYS);
  readonly parameters = new Map<string, boolean[]>();
  /** Set once a pass finds something new. */
  #changed = true;

  constructor(program: Program) {
    this.#program = program;
    for (const [name, { parameters }] of program.functions) {
      this.parameters.set(
        name,
        parameters.map(() => false),
      );
    }
  }

  /** Passes until nothing is new: being an array is handed on from parameter to argument. */
  run(): void {
    while (this.#changed) {
      this.#changed = false;
      for (const rule of this.#program.rules) this.#visit(rule, null);
      for (const one of this.#program.functions.values()) this.#visit(one.body, one);
    }
  }

  #visit(part: unknown, owner: FunctionNode | null): void {
    walk(part, (node) => {
      if (node.kind === 'index' || node.kind === 'in' || node.kind === 'forIn') {
        this.#mark(node.array, owner);
      } else if (node.kind === 'delete') this.#mark(node.array, owner);
      else if (node.kind === 'builtin') {
        for (const at of ARRAY_ARGUMENTS[node.name] ?? []) this.#markArgument(node.args[at], owner);
      } else if (node.kind === 'call') {
        const wanted = this.parameters.get(node.name) ?? [];
        for (const [at, isArray] of wanted.entries()) {
          if (isArray) this.#markArgument(node.args[at], owner);
        }
      }
    });
  }

  #markArgument(node: Expr | undefined, owner: FunctionNode | null): void {
    if (node?.kind === 'name' || node?.kind === 'index') this.#mark(node, owner);
  }

  #mark(array: ArrayNode, owner: FunctionNode | null): void {
    let node = array;
    while (node.kind === 'index') node = node.array;
    const at = owner?.parameters.indexOf(node.name) ?? -1;
    const own = owner === null ? undefined : this.parameters.get(owner.name);
    if (at >= 0 && own !== undefined) {
      if (own[at] === true) return;
      own[at] = true;
    } else {
      if (this.arrays.has(node.name)) return;
      if (this.#program.functions.has(node.name)) {
        throw new ProgramError(`function \`${node.name}' called like an array`, node.line);
      }
      this.arrays.add(node.name);
    }
    this.#changed = true;
  }
}

function waitsItself(node: Expr | Statement): boolean {
  if (node.kind === 'getline') return true;
  if (node.kind === 'print' || node.kind === 'printf') return node.redirect !== null;
  if (node.kind !== 'builtin') return false;
  return node.name === 'system' || node.name === 'close' || node.name === 'fflush';
}

function waitingFunctions(program: Program): Set<string> {
  const waiting = new Set<string>();
  for (let before = -1; before !== waiting.size; ) {
    before = waiting.size;
    for (const { name, body } of program.functions.values()) {
      walk(body, (node) => {
        if (waitsItself(node) || (node.kind === 'call' && waiting.has(node.name))) {
          waiting.add(name);
        }
      });
    }
  }
  return waiting;
}

/**
 * Looks at a whole program.
 * @param warn told of calls with arguments that no parameter takes
 * @throws ProgramError for what cannot be run here
 */
export function resolve(
  program: Program,
  warn: (message: string, line: number) => void,
): Resolution {
  const check = (node: Expr | Statement): void => {
    if (node.kind === 'call') {
      const wanted = program.functions.get(node.name)?.parameters.length ?? Infinity;
      if (node.args.length > wanted) {
        warn(`function \`${node.name}' called with more arguments than declared`, node.line);
      }
    }
    if (node.kind === 'name' && MISSING.has(node.name)) {
      throw new ProgramError(`there is no ${node.name} here: name the variable itself`, node.line);
    }
  };
  for (const rule of program.rules) walk(rule, check);
  for (const one of program.functions.values()) walk(one.body, check);
  const resolver = new Resolver(program);
  resolver.run();
  return {
    arrays: resolver.arrays,
    parameters: resolver.parameters,
    waiting: waitingFunctions(program),
  };
}
