/** Answers as they are typed. */
import { describe, expect, test } from 'vitest';
import {
  allowedAnswer,
  answerText,
  checkAnswer,
  type QuestionForm,
  readAnswer,
} from './question.ts';

test('a plan is judged by a whole word, or by the beginning of one that stands alone: no sentence approves it by its first letter', () => {
  const read = (typed: string) => readAnswer({ kind: 'plan' }, typed);
  expect(read('approve')).toEqual({ value: { decision: 'approve' } });
  expect(read(' a\n')).toEqual({ value: { decision: 'approve' } });
  expect(read('approve but be quick')).toEqual({
    value: { decision: 'approve', comment: 'but be quick' },
  });
  expect(read('change no tests')).toEqual({ value: { decision: 'change', comment: 'no tests' } });
  for (const sentence of ['a better plan would leave the tests alone', 'app no', 'r u sure?', 'c'])
    expect(read(sentence), sentence).toHaveProperty('fault');
});

const FORMS: Readonly<Record<string, QuestionForm>> = {
  text: { kind: 'text', min: 2, max: 4 },
  anyText: { kind: 'text' },
  confirm: { kind: 'confirm' },
  choice: { kind: 'choice', options: ['red', 'Green', 'green', 'blue'] },
  choices: { kind: 'choices', options: ['a', 'b, c', 'd'], min: 1, max: 2 },
  whole: { kind: 'number', whole: true, min: 1, max: 3 },
  number: { kind: 'number' },
  date: { kind: 'date', from: '2024-02-28', to: '2024-03-01' },
};

describe('what is typed is an answer where it has the form, up to its limits', () => {
  test.each<[form: string, typed: string, value: unknown]>([
    ['text', ' ab ', 'ab'],
    ['text', 'abcd', 'abcd'],
    ['anyText', 'x', 'x'],
    ['anyText', 'x'.repeat(10_000), 'x'.repeat(10_000)],
    ['confirm', 'Y', true],
    ['confirm', 'yes', true],
    ['confirm', 'n', false],
    ['confirm', 'NO', false],
    ['choice', 'blue', 'blue'],
    ['choice', 'green', 'green'],
    ['choice', 'GREEN', 'Green'],
    ['choice', '1', 'red'],
    ['choice', '4', 'blue'],
    ['choices', 'b, c', ['b, c']],
    ['choices', '3, A,', ['a', 'd']],
    ['choices', '2', ['b, c']],
    ['whole', '1', 1],
    ['whole', '3', 3],
    ['number', '-2.5', -2.5],
    ['date', '2024-02-28', '2024-02-28'],
    ['date', '2024-02-29', '2024-02-29'],
    ['date', '2024-03-01', '2024-03-01'],
  ])('%s: %.20s', (form, typed, value) => {
    expect(readAnswer(FORMS[form] as QuestionForm, typed)).toEqual({ value });
  });

  test.each<[form: string, typed: string]>([
    ['text', 'a'],
    ['text', 'abcde'],
    ['anyText', ' '],
    ['anyText', 'x'.repeat(10_001)],
    ['confirm', 'maybe'],
    ['choice', '0'],
    ['choice', '5'],
    ['choice', 'violet'],
    ['choices', ''],
    ['choices', '1, 2, 3'],
    ['choices', 'a, violet'],
    ['whole', '0'],
    ['whole', '4'],
    ['whole', '1.5'],
    ['number', ''],
    ['number', 'Infinity'],
    ['date', '2024-02-27'],
    ['date', '2024-03-02'],
    ['date', '2024-02-30'],
    ['date', '28.2.2024'],
  ])('%s, and not: %.20s', (form, typed) => {
    expect(readAnswer(FORMS[form] as QuestionForm, typed)).toEqual({
      fault: `it should be ${allowedAnswer(FORMS[form] as QuestionForm)}`,
    });
  });
});

test('what may be answered is said with its limits, and an answer in words', () => {
  expect(Object.values(FORMS).map(allowedAnswer)).toEqual([
    'text of 2 to 4 characters',
    'text of 1 to 10000 characters',
    'yes or no',
    'one of: red, Green, green, blue',
    '1 to 2 of: a, b, c, d',
    'a whole number, from 1 to 3',
    'a number',
    'a date such as 2026-11-28, from 2024-02-28 to 2024-03-01',
  ]);
  expect(allowedAnswer({ kind: 'number', min: 2 })).toBe('a number, at least 2');
  expect(allowedAnswer({ kind: 'number', max: 2 })).toBe('a number, at most 2');
  expect(allowedAnswer({ kind: 'choices', options: ['a', 'b'] })).toBe('0 to 2 of: a, b');
  expect([true, false, [], ['a', 'b'], 3, 'x'].map(answerText)).toEqual([
    'yes',
    'no',
    '(none)',
    'a, b',
    '3',
    'x',
  ]);
  expect(answerText({ decision: 'approve' })).toBe('approve');
  expect(answerText({ decision: 'change', comment: 'less' })).toBe('change: less');
});

test('a comment to a plan is as long as a text may be', () => {
  const change = (length: number) =>
    checkAnswer({ kind: 'plan' }, { decision: 'change', comment: 'x'.repeat(length) });
  expect(change(10_000)).toHaveProperty('value');
  for (const length of [0, 10_001]) expect(change(length)).toHaveProperty('fault');
});
