/** How values compare: as numbers where both look like one, else as text. */
import type { Runtime } from './runtime.ts';
import type { Relation } from './syntax.ts';
import { compareText } from './text.ts';
import { comparable, type Value } from './values.ts';

/** Below, at or above 0; NaN where a number is none. */
export function compareValues(runtime: Runtime, a: Value, b: Value): number {
  const left = comparable(a);
  if (left !== null) {
    const right = comparable(b);
    if (right !== null) return left === right ? 0 : left - right;
  }
  const [x, y] = [runtime.text(a), runtime.text(b)];
  return runtime.regexes.ignoreCase
    ? compareText(x.toLowerCase(), y.toLowerCase())
    : compareText(x, y);
}

const HOLDS: Readonly<Record<Relation, (order: number) => boolean>> = {
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '==': (order) => order === 0,
  '!=': (order) => order !== 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

export function relation(runtime: Runtime, operator: Relation): (a: Value, b: Value) => boolean {
  const holds = HOLDS[operator];
  return (a, b) => holds(compareValues(runtime, a, b));
}
