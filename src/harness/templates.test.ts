/** Templates, and the arguments that are put into them. */
import { expect, test } from 'vitest';
import { expandTemplate, splitArguments, templateParts } from './templates.ts';

test.each([
  ['', []],
  ['  one  two ', ['one', 'two']],
  ['"a b" c', ['a b', 'c']],
  ["'a b'c", ['a bc']],
  [`a"b 'c'"d`, ["ab 'c'd"]],
  ['""', ['']],
  ["x '' y", ['x', '', 'y']],
  ['a\\ b \\"c', ['a b', '"c']],
  ["'a\\b'", ['a\\b']],
  ['"a\\"b"', ['a"b']],
  ['end\\', ['end\\']],
  ['"open and on', ['open and on']],
  ['a\n\tb', ['a', 'b']],
])('the arguments in %j are %j', (text, expected) => {
  expect(splitArguments(text)).toEqual(expected);
});

test.each([
  ['$1-$2-$3', 'a "b c"', 'a-b c-'],
  ['$0|$10', 'a b c d e f g h i j', '|j'],
  ['$@', ' a  "b c" ', 'a b c'],
  ['$ARGUMENTS', ' a  "b c" ', 'a  "b c"'],
  ['$ARGUMENTSX $@X', 'a', '$ARGUMENTSX aX'],
  ['${@:2}', 'a b c', 'b c'],
  ['${@:0}', 'a b c', 'a b c'],
  ['${@:1}', 'a b c', 'a b c'],
  ['${@:2:1}|${@:2:0}|${@:3:5}', 'a b c', 'b||c'],
  ['$1', "'$2 $& $@' x", '$2 $& $@'],
  ['costs $ 5, $x', 'a', 'costs $ 5, $x'],
])('%j with %j is %j', (template, text, expected) => {
  expect(expandTemplate(template, text)).toBe(expected);
});

test('a command’s template is text and lines of the shell, in their order, and nothing else', () => {
  expect(templateParts('Look:\n!`git diff $1`!` ls `end')).toEqual([
    { text: 'Look:\n' },
    { line: 'git diff $1' },
    { line: 'ls' },
    { text: 'end' },
  ]);
  expect(templateParts('only text, a `mark` and wow!`x` too')).toEqual([
    { text: 'only text, a `mark` and wow' },
    { line: 'x' },
    { text: ' too' },
  ]);
  expect(templateParts('')).toEqual([]);
});

test.each(['!``', 'a !`  ` b'])('the line in %j is empty, and that is said', (template) => {
  expect(() => templateParts(template)).toThrow('is empty');
});

test.each(['!`open', 'a !`open\n`', '!`ls` and !`open'])(
  'the line in %j has no end, and that is said',
  (template) => {
    expect(() => templateParts(template)).toThrow('has no `');
  },
);

test('a mark behind a word begins no line', () => {
  expect(templateParts('wow!`')).toEqual([{ text: 'wow!`' }]);
});
