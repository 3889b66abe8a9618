import { Bash } from 'just-bash';
import { expect, test } from 'vitest';
import { pristineState } from './interpreter-class.ts';

test('A just-bash with other internals is refused at start, saying what to do', () => {
  const other = new Bash();
  Object.assign(other, { state: { env: {} } });
  expect(() => pristineState(other)).toThrow(/3\.4\.2.*src\/shell\/interpreter-class\.ts/);
});
