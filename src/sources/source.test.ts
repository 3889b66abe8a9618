/** What a schema has against a setting, in a line. */
import { expect, it } from 'vitest';
import { issueText } from './source.ts';

it.each([
  [{ message: 'is wrong' }, '', 'is wrong'],
  [{ message: 'is wrong' }, 'mounts', 'mounts: is wrong'],
  [{ message: 'is wrong', path: [] }, '', 'is wrong'],
  [{ message: 'is wrong', path: ['a', 0, { key: 'b' }] }, '', 'a.0.b: is wrong'],
  [{ message: 'is wrong', path: ['a', ''] }, 'mounts./x', 'mounts./x.a: is wrong'],
  [{ message: 'is wrong', path: [{ key: Symbol.for('s') }] }, '', 'Symbol(s): is wrong'],
])('%o below %j is "%s"', (issue, above, text) => {
  expect(issueText(issue, above)).toBe(text);
});
