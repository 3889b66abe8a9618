/** Places that a value can be assigned to, while the program runs. */
import { FatalError } from './errors.ts';
import type { Cell, Runtime } from './runtime.ts';
import { AwkArray, type Value } from './values.ts';

export interface Ref {
  get(): Value;
  set(value: Value): void;
}

/** An array where a value is wanted. */
export function notScalar(name: string): FatalError {
  return new FatalError(`attempt to use array \`${name}' in a scalar context`);
}

export function notArray(name: string): FatalError {
  return new FatalError(`attempt to use scalar \`${name}' as an array`);
}

export class GlobalRef implements Ref {
  readonly #cell: Cell;

  constructor(cell: Cell) {
    this.#cell = cell;
  }

  get(): Value {
    return this.#cell.value;
  }

  set(value: Value): void {
    this.#cell.value = value;
  }
}

/** A variable whose assignment does something beside. */
export class SpecialRef implements Ref {
  readonly get: () => Value;
  readonly set: (value: Value) => void;

  constructor(get: () => Value, set: (value: Value) => void) {
    this.get = get;
    this.set = set;
  }
}

export class LocalRef implements Ref {
  readonly #runtime: Runtime;
  readonly #slot: number;
  readonly #name: string;

  constructor(runtime: Runtime, slot: number, name: string) {
    this.#runtime = runtime;
    this.#slot = slot;
    this.#name = name;
  }

  get(): Value {
    const value = this.#runtime.frame[this.#slot];
    if (value instanceof AwkArray) throw notScalar(this.#name);
    return value;
  }

  set(value: Value): void {
    if (this.#runtime.frame[this.#slot] instanceof AwkArray) throw notScalar(this.#name);
    this.#runtime.frame[this.#slot] = value;
  }
}

export class FieldRef implements Ref {
  readonly #runtime: Runtime;
  readonly #index: number;

  constructor(runtime: Runtime, index: number) {
    this.#runtime = runtime;
    this.#index = index;
  }

  get(): Value {
    return this.#runtime.record.get(this.#index);
  }

  set(value: Value): void {
    this.#runtime.record.assign(this.#index, value);
  }
}

export class ElementRef implements Ref {
  readonly #array: AwkArray;
  readonly #key: string;

  constructor(array: AwkArray, key: string) {
    this.#array = array;
    this.#key = key;
  }

  get(): Value {
    const value = this.#array.elements.get(this.#key);
    if (value instanceof AwkArray) throw notScalar(`[${this.#key}]`);
    // Asking for an element makes it.
    if (value === undefined) this.#array.elements.set(this.#key, undefined);
    return value;
  }

  set(value: Value): void {
    if (this.#array.elements.get(this.#key) instanceof AwkArray) throw notScalar(`[${this.#key}]`);
    this.#array.elements.set(this.#key, value);
  }
}
