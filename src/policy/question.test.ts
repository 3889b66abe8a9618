/** Answers as they are typed. */
import { expect, test } from 'vitest';
import { readAnswer } from './question.ts';

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
