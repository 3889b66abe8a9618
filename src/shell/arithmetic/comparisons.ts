/** The comparisons of integers that `test`, `[` and `[[` share. */

/** By their operator. A map: an operator may be any word that a script has there. */
export const COMPARISONS: ReadonlyMap<string, (left: bigint, right: bigint) => boolean> = new Map([
  ['-eq', (left, right) => left === right],
  ['-ne', (left, right) => left !== right],
  ['-lt', (left, right) => left < right],
  ['-le', (left, right) => left <= right],
  ['-gt', (left, right) => left > right],
  ['-ge', (left, right) => left >= right],
]);

/** What `test` takes for an integer. */
export const INTEGER = /^\s*[-+]?\d+\s*$/;
