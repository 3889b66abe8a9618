/** Elements of arrays, put where they belong without a look at all the others. */
import type { InterpreterState, ShellArray } from '../interpreter-types.ts';
import type { Text } from './compiled.ts';
import type { Key } from './words.ts';

export interface ArrayLimits {
  maxArrayElements: number;
}

/** The elements of an indexed array, which know where it ends. */
class CountedElements extends Map<string, string> {
  /** The greatest index; -1 where there is none; null where it must be looked for. */
  #last: number | null = null;

  get last(): number {
    if (this.#last === null) {
      this.#last = -1;
      for (const key of this.keys()) this.#last = Math.max(this.#last, Number(key));
    }
    return this.#last;
  }

  override set(key: string, value: string): this {
    // The constructor of a map sets before this is one of these.
    if (#last in this && this.#last !== null) this.#last = Math.max(this.#last, Number(key));
    return super.set(key, value);
  }

  override delete(key: string): boolean {
    this.#last = null;
    return super.delete(key);
  }

  override clear(): void {
    this.#last = null;
    super.clear();
  }
}

/** `a+=(x y)`. False where the interpreter must do it, and nothing has changed. */
export function appendElements(
  state: InterpreterState,
  name: string,
  values: readonly string[],
  limits: ArrayLimits,
): boolean {
  const array = changeable(state, name);
  if (array === null || array.kind !== 'indexed') return false;
  if (array.elements.size + values.length > limits.maxArrayElements) return false;
  const elements =
    array.elements instanceof CountedElements
      ? array.elements
      : new CountedElements(array.elements);
  array.elements = elements;
  const from = elements.last + 1;
  if (!Number.isSafeInteger(from + values.length)) return false;
  for (const [index, value] of values.entries()) elements.set(String(from + index), value);
  state.lastArg = '';
  return true;
}

/** `a[KEY]=…`. False where the interpreter must do it, and nothing has changed. */
export function assignElement(
  state: InterpreterState,
  name: string,
  key: Key,
  text: Text,
  limits: ArrayLimits,
): boolean {
  const array = changeable(state, name);
  const value = text(state);
  if (array === null || value === null) return false;
  const at = key(state, array.kind === 'associative');
  if (at === null || array.elements.size >= limits.maxArrayElements) return false;
  array.elements.set(at, value);
  return true;
}

/** An array to which a text may be given as it is. */
function changeable(state: InterpreterState, name: string): ShellArray | null {
  const attributes = [
    state.readonlyVars,
    state.namerefs,
    state.integerVars,
    state.lowercaseVars,
    state.uppercaseVars,
  ];
  if (attributes.some((names) => names?.has(name) === true)) return null;
  const array = state.arrays.get(name);
  const named = state.associativeArrays?.has(name) === true;
  return array === undefined || named !== (array.kind === 'associative') ? null : array;
}
