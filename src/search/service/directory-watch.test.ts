/** Which directories have to be looked at, by what the host told of them. */
import { beforeEach, describe, expect, it } from 'vitest';
import { DirectoryWatch } from './directory-watch.ts';

type Tell = (name: string | null) => void;

let told: Map<string, Tell>;
let closed: string[];
/** How many watches the host gives; then no more. */
let given: number;
let watch: DirectoryWatch;

beforeEach(() => {
  told = new Map();
  closed = [];
  given = Number.POSITIVE_INFINITY;
  watch = new DirectoryWatch((directory, changed) => {
    if (given-- <= 0) return null;
    told.set(directory, changed);
    return () => void closed.push(directory);
  });
});

/** The host tells of a change in a directory. */
const tell = (directory: string, name: string | null): void => told.get(directory)?.(name);
const due = (path: string) =>
  watch.due(path).map(([directory, names]) => [directory, names === null ? null : [...names]]);

describe('what the host told of', () => {
  beforeEach(() => {
    for (const path of ['/m', '/m/a', '/m/ab']) watch.add(path);
  });

  it('is due, name by name, at and below a path; until it is taken', () => {
    tell('/m/a', 'x');
    tell('/m/a', 'y');
    tell('/m/a', 'x');
    tell('/m/ab', 'z');
    expect(due('/m')).toEqual([
      ['/m/a', ['x', 'y']],
      ['/m/ab', ['z']],
    ]);
    expect(due('/m/a')).toEqual([['/m/a', ['x', 'y']]]);
    expect([...(watch.take('/m/a') ?? [])]).toEqual(['x', 'y']);
    expect(watch.take('/m/a')).toBeUndefined();
    expect(due('/m')).toEqual([['/m/ab', ['z']]]);
  });

  it('without a name is all of the directory, whatever is told besides', () => {
    tell('/m/a', 'x');
    tell('/m/a', null);
    tell('/m/a', 'y');
    expect(due('/m')).toEqual([['/m/a', null]]);
    expect(watch.take('/m/a')).toBeNull();
  });

  it('by a name that is a directory has it watched anew, and what is below it: it may be another', () => {
    watch.add('/m/a/b');
    tell('/m/a/b', 'x');
    tell('/m', 'a');
    expect(closed.toSorted()).toEqual(['/m/a', '/m/a/b']);
    expect([watch.has('/m/a'), watch.has('/m/a/b'), watch.has('/m/ab'), watch.has('/m')]).toEqual([
      false,
      false,
      true,
      true,
    ]);
    expect(due('/m')).toEqual([['/m', ['a']]]);
    // Of the directory as a whole nothing of that is said.
    tell('/m', null);
    expect(watch.has('/m')).toBe(true);
  });

  it('is all, where it is so much that some of it may be lost', async () => {
    for (let event = 0; event < 3_999; event++) tell('/m/a', 'x');
    await watch.settled();
    expect(due('/m')).toEqual([['/m/a', ['x']]]);
    // They are counted from one question to the next.
    tell('/m/a', 'x');
    await watch.settled();
    expect(due('/m')).toEqual([['/m/a', ['x']]]);
    for (let event = 0; event < 4_000; event++) tell('/m/a', 'x');
    await watch.settled();
    expect(due('/m').toSorted()).toEqual([
      ['/m', null],
      ['/m/a', null],
      ['/m/ab', null],
    ]);
  });
});

describe('watches', () => {
  it('are one a directory', () => {
    watch.add('/m');
    const first = told.get('/m');
    watch.add('/m');
    expect([watch.size, told.get('/m')]).toEqual([1, first]);
  });

  it('are asked for no more once the host has refused one', () => {
    given = 1;
    watch.add('/m');
    watch.add('/m/a');
    given = 5;
    watch.add('/m/b');
    expect([watch.size, watch.has('/m'), watch.has('/m/a'), watch.has('/m/b')]).toEqual([
      1,
      true,
      false,
      false,
    ]);
  });

  it('end with what was due there, one by one or all', () => {
    for (const path of ['/m', '/m/a', '/n']) watch.add(path);
    tell('/m/a', 'x');
    watch.remove('/m/a');
    expect([closed, due('/'), watch.size]).toEqual([['/m/a'], [], 2]);
    watch.close();
    expect([closed, watch.size]).toEqual([['/m/a', '/m', '/n'], 0]);
  });
});
