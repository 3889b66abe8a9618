/** The shell's variables as an expression sees them: what it assigns is kept apart until it has a value. */
import type { InterpreterState } from '../interpreter-types.ts';
import { ArithmeticFailure, NotHere, type Variables } from './evaluate.ts';

/** Variables that just-bash makes up when it is asked. */
export const DYNAMIC: ReadonlySet<string> = new Set(
  (
    'RANDOM SRANDOM SECONDS LINENO BASHPID PPID UID EUID EPOCHSECONDS EPOCHREALTIME ' +
    'FUNCNAME BASH_LINENO BASH_SOURCE BASH_VERSION BASH_VERSINFO BASH_REMATCH PIPESTATUS PWD OLDPWD SHLVL DIRSTACK'
  ).split(' '),
);

/** The variable that a name reference stands for. */
export function referred(state: InterpreterState, name: string): string {
  let target = name;
  for (let seen = 0; state.namerefs?.has(target) === true && seen < 20; seen++) {
    const next = state.env.get(target) ?? '';
    if (!/^[A-Za-z_]\w*$/.test(next)) throw new NotHere(name);
    target = next;
  }
  return target;
}

export class StagedVariables implements Variables {
  readonly #state: InterpreterState;
  readonly #scalars = new Map<string, string>();
  readonly #elements = new Map<string, Map<string, string>>();

  constructor(state: InterpreterState) {
    this.#state = state;
  }

  get(given: string, key: string | null): string | undefined {
    const state = this.#state;
    const name = referred(state, given);
    if (DYNAMIC.has(name) && !state.env.has(name)) throw new NotHere(name);
    const text = this.#look(name, key);
    if (text === undefined && state.options['nounset'] === true) throw new NotHere(name);
    return text;
  }

  #look(name: string, key: string | null): string | undefined {
    const { env, arrays } = this.#state;
    const array = arrays.get(name);
    // An array's name alone is its first element, and a variable is an array of one.
    if (array === undefined) {
      if (key === null || (key === '0' && !this.isAssociative(name))) {
        return this.#scalars.get(name) ?? this.#elements.get(name)?.get('0') ?? env.get(name);
      }
      return this.#elements.get(name)?.get(key);
    }
    const element = key ?? '0';
    return this.#elements.get(name)?.get(element) ?? array.elements.get(element);
  }

  set(given: string, key: string | null, text: string): void {
    const state = this.#state;
    const name = referred(state, given);
    if (state.readonlyVars?.has(name) === true) {
      throw new ArithmeticFailure(`${name}: readonly variable`);
    }
    if (DYNAMIC.has(name)) throw new NotHere(name);
    const array = state.arrays.get(name);
    if (key === null && array === undefined) {
      this.#scalars.set(name, text);
      return;
    }
    // A variable that becomes an array is just-bash's affair.
    if (array === undefined && state.env.has(name)) throw new NotHere(name);
    const elements = this.#elements.get(name) ?? new Map<string, string>();
    this.#elements.set(name, elements.set(key ?? '0', text));
  }

  isAssociative(given: string): boolean {
    return this.#state.associativeArrays?.has(referred(this.#state, given)) === true;
  }

  fromEnd(given: string, index: bigint): bigint {
    const name = referred(this.#state, given);
    const keys = [
      ...(this.#state.arrays.get(name)?.elements.keys() ?? []),
      ...(this.#elements.get(name)?.keys() ?? []),
    ];
    const last = keys.reduce((most, key) => (BigInt(key) > most ? BigInt(key) : most), -1n);
    if (last + 1n + index < 0n) throw new ArithmeticFailure(`${given}: bad array subscript`);
    return last + 1n + index;
  }

  /** Makes the assignments. Doing it twice does no harm. */
  commit(): void {
    const { env, arrays } = this.#state;
    for (const [name, text] of this.#scalars) env.set(name, text);
    for (const [name, elements] of this.#elements) {
      const array = arrays.get(name) ?? {
        kind: this.isAssociative(name) ? ('associative' as const) : ('indexed' as const),
        elements: new Map<string, string>(),
      };
      arrays.set(name, array);
      for (const [key, text] of elements) array.elements.set(key, text);
    }
  }
}
