/** Paths of the namespace are what their text says. */
import { describe, expect, test } from 'vitest';
import { childOf, isWithin, nameOf, parentOf, relativeTo, resolvePath } from './paths.ts';

describe('a path is normalised against a base', () => {
  test.each([
    ['/a', 'b', '/a/b'],
    ['/a', '/b/c', '/b/c'],
    ['/a/b', '..', '/a'],
    ['/a', '../../..', '/'],
    ['/', 'x', '/x'],
    ['/a', '', '/a'],
    ['/a', './b/./c/', '/a/b/c'],
    ['/', '/', '/'],
    ['/', '//a///b//', '/a/b'],
    ['/', '/a/', '/a'],
    ['/', '/a/./b/../c', '/a/c'],
    ['/', '/..', '/'],
    // Names that only begin with a dot are names.
    ['/', '/.git/..x/...', '/.git/..x/...'],
    ['/w', '.git', '/w/.git'],
  ])('%s and %j', (base, path, whole) => {
    expect(resolvePath(base, path)).toBe(whole);
  });
});

test('the parts of a path', () => {
  expect(['/a/b', '/a', '/'].map(parentOf)).toEqual(['/a', '/', '/']);
  expect(['/a/b', '/a', '/'].map(nameOf)).toEqual(['b', 'a', '']);
  expect([childOf('/', 'x'), childOf('/a', 'x')]).toEqual(['/x', '/a/x']);
});

test('a directory has itself and what is below it, not what only begins like it', () => {
  expect(['/a', '/a/b', '/ab', '/', '/b'].map((path) => isWithin('/a', path))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ]);
  expect(['/', '/a'].map((path) => isWithin('/', path))).toEqual([true, true]);
  expect(['/a/b/c', '/a', '/ab', '/b'].map((path) => relativeTo('/a', path))).toEqual([
    'b/c',
    '/a',
    '/ab',
    '/b',
  ]);
  expect(['/a/b', '/'].map((path) => relativeTo('/', path))).toEqual(['a/b', '/']);
});
