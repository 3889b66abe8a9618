/** What a wrong name may have meant, and how names are told in a message. */
import { expect, test } from 'vitest';
import { meant, nearest, someOf, unknownName } from './nearest.ts';

test('the names most like a wrong one come first: fewest slips, then the same first letter, then by the alphabet', () => {
  // One letter too many, too few, another one, two that changed places: each is one slip.
  for (const slip of ['labels', 'labl', 'lapel', 'albel'])
    expect(nearest(slip, ['milestone', 'label', 'state'])).toEqual(['label']);
  expect(nearest('state', ['slate', 'skate', 'stage', 'plate'])).toEqual([
    'skate',
    'slate',
    'stage',
  ]);
  expect(nearest('care', ['bare', 'cart', 'core', 'cure', 'mare'], 4)).toEqual([
    'cart',
    'core',
    'cure',
    'bare',
  ]);
  expect(nearest('STATE', ['State'])).toEqual(['State']);
});

test('a name is like another up to half of its letters, and two at least; what has it within itself always', () => {
  expect(nearest('ab', ['cd', 'ca', 'bcd', 'xyz', 'wxyz'])).toEqual(['ca', 'cd']);
  expect(nearest('abcdef', ['abcxyz', 'abwxyz'])).toEqual(['abcxyz']);
  expect(nearest('log', ['application-log-of-the-day', 'nothing'])).toEqual([
    'application-log-of-the-day',
  ]);
  expect(nearest('x', [])).toEqual([]);
});

test('one is meant where a third of the letters are slips at most, or it begins so; a letter alone means nothing', () => {
  expect(meant('staet', ['state', 'label'])).toBe('state');
  expect(meant('sta', ['state-of-all'])).toBe('state-of-all');
  // Of three letters one may be a slip, of six two.
  expect(meant('abx', ['abc'])).toBe('abc');
  expect(meant('axx', ['abc'])).toBeNull();
  expect(meant('abcdxx', ['abcdef'])).toBe('abcdef');
  expect(meant('abcxxx', ['abcdef'])).toBeNull();
  // Of two, one.
  expect(meant('ax', ['ab'])).toBe('ab');
  expect(meant('a', ['ab'])).toBeNull();
  expect(meant('log', ['the-log'])).toBeNull();
  expect(meant('nothing', [])).toBeNull();
});

test('few names are all told, of many the first and how many more', () => {
  expect(someOf([])).toBe('nothing');
  expect(someOf(['a'])).toBe('a');
  expect(someOf(['a', 'b', 'c'], 3)).toBe('a, b, c');
  expect(someOf(['a', 'b', 'c'], 2)).toBe('a, b and 1 more');
  const letters = [...'abcdefghijklm'];
  expect(someOf(letters.slice(0, 12))).toBe('a, b, c, d, e, f, g, h, i, j, k, l');
  expect(someOf([...letters, 'n'])).toBe('a, b, c, d, e, f, g, h, i, j, k, l and 2 more');
  expect(unknownName('label', 'bgu', ['bug', 'docs'])).toBe(
    'there is no label "bgu" here (nearest: bug; allowed: bug, docs)',
  );
  expect(unknownName('label', 'zebra', ['bug'])).toBe(
    'there is no label "zebra" here (allowed: bug)',
  );
});
