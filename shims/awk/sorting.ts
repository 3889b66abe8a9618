/** The order of arrays: PROCINFO["sorted_in"], asort and asorti. */
import { listedKeys } from './array-order.ts';
import { compareValues } from './compare.ts';
import { FatalError } from './errors.ts';
import type { Runtime } from './runtime.ts';
import { compareText } from './text.ts';
import { AwkArray, leadingNumber, toNumber, type Value } from './values.ts';

type Entry = [key: string, value: Value | AwkArray];
type Order = (a: Entry, b: Entry) => number;

/** Numbers before text, text before arrays. */
function rank(value: Value | AwkArray): number {
  if (value instanceof AwkArray) return 2;
  return typeof value === 'string' || (typeof value === 'object' && value.number === null) ? 1 : 0;
}

/** Numbers by their value, before text by its bytes. */
export function byType(runtime: Runtime, a: Value | AwkArray, b: Value | AwkArray): number {
  const difference = rank(a) - rank(b);
  if (difference !== 0 || a instanceof AwkArray || b instanceof AwkArray) return difference;
  return compareValues(runtime, a, b);
}

function textOf(runtime: Runtime, value: Value | AwkArray): string {
  return value instanceof AwkArray ? '' : runtime.text(value);
}

function numberOf(value: Value | AwkArray): number {
  return value instanceof AwkArray ? 0 : toNumber(value);
}

function orders(runtime: Runtime): Readonly<Record<string, Order>> {
  const text: Order = ([a], [b]) => compareText(a, b);
  const tied =
    (first: Order): Order =>
    (a, b) =>
      first(a, b) || text(a, b);
  return {
    '@ind_str': text,
    '@ind_num': tied(([a], [b]) => leadingNumber(a) - leadingNumber(b)),
    '@val_str': tied(([, a], [, b]) => compareText(textOf(runtime, a), textOf(runtime, b))),
    '@val_num': tied(([, a], [, b]) => numberOf(a) - numberOf(b)),
    '@val_type': tied(([, a], [, b]) => byType(runtime, a, b)),
  };
}

/** Sorts by the name of an order; undefined where it is none of gawk's own. */
export function sortEntries(runtime: Runtime, entries: Entry[], name: string): Entry[] | undefined {
  if (name === '@unsorted' || name === '') return entries;
  const [, base = '', direction] = /^(@(?:ind|val)_(?:str|num|type))_(asc|desc)$/.exec(name) ?? [];
  const order = orders(runtime)[base];
  if (order === undefined) return undefined;
  return entries.sort(direction === 'desc' ? (a, b) => order(b, a) : order);
}

/** The keys of an array as `for (k in a)` takes them: in gawk's order, or as PROCINFO says. */
export function keysInOrder(runtime: Runtime, array: AwkArray): string[] {
  const wish = runtime.array('PROCINFO').elements.get('sorted_in');
  if (wish === undefined || wish instanceof AwkArray) {
    return listedKeys([...array.elements.keys()]);
  }
  const name = runtime.text(wish);
  const sorted = sortEntries(runtime, [...array.elements], name);
  if (sorted === undefined) {
    throw new FatalError(
      `PROCINFO["sorted_in"] is \`${name}': only orders such as "@ind_str_asc" and "@val_num_desc" are known here`,
    );
  }
  return sorted.map(([key]) => key);
}
