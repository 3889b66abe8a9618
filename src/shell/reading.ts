/** How a script is read, line by line, and what it knows of its aliases by that. */

import type { FunctionNode } from './interpreter-types.ts';

/**
 * How far a script is read. bash reads a line before it runs any of it, so that an alias is known from
 * the next line on.
 */
export interface Reading {
  /** The last line of the statement that runs, in its own script. */
  last: number;
  /** When that line was read, counted in lines. */
  at: number;
}

/** When an alias was made, and what the name stood for until then. */
export interface Made {
  at: number;
  before: string | undefined;
}

/** The aliases that a script has made, each with the number of lines that had been read then. */
export interface Aliasing {
  reading: Reading;
  lines: number;
  made: Map<string, Made>;
  /** When the definition of a function was read, which holds for the aliases in it. */
  defined: WeakMap<FunctionNode, number>;
}

export const newAliasing = (): Aliasing => ({
  reading: { last: 0, at: 0 },
  lines: 0,
  made: new Map(),
  defined: new WeakMap(),
});

/** Notes that a statement of the script itself begins. */
export function noteReading(aliasing: Aliasing, extent: { first: number; last: number }): void {
  const { reading } = aliasing;
  if (extent.first <= reading.last) reading.last = Math.max(reading.last, extent.last);
  else aliasing.reading = { last: extent.last, at: ++aliasing.lines };
}

/** Runs a function with the aliases that there were when it was read. */
export async function asRead<T>(
  aliasing: Aliasing,
  called: FunctionNode,
  call: () => Promise<T>,
): Promise<T> {
  const { reading } = aliasing;
  const at = aliasing.defined.get(called);
  if (at === undefined) return call();
  aliasing.reading = { ...reading, at };
  try {
    return await call();
  } finally {
    aliasing.reading = reading;
  }
}
