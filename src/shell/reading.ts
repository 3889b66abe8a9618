/** How a script is read, line by line, and what it knows of its aliases by that. */

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

/** The aliases that a script has made, each with the number of lines that had been read then. */
export interface Aliasing {
  reading: Reading;
  lines: number;
  made: Map<string, number>;
}

export const newAliasing = (): Aliasing => ({
  reading: { last: 0, at: 0 },
  lines: 0,
  made: new Map(),
});

/** Notes that a statement of the script itself begins. */
export function noteReading(aliasing: Aliasing, extent: { first: number; last: number }): void {
  const { reading } = aliasing;
  if (extent.first <= reading.last) reading.last = Math.max(reading.last, extent.last);
  else aliasing.reading = { last: extent.last, at: ++aliasing.lines };
}
