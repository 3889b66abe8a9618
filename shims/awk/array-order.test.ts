import { describe, expect, test } from 'vitest';
import { listedKeys } from './array-order.ts';

/** What gawk 5.2 lists for keys made in this order. */
const LISTED: readonly (readonly [keys: string, listed: string])[] = [
  ['3 1 2 10', '1 2 3 10'],
  ['100 5 -1 0 7', '-1 0 5 7 100'],
  ['x y apple banana cherry 1 2', 'x apple y banana 1 2 cherry'],
  ['3 1.5 01 2', '01 1.5 2 3'],
  [
    'a b c d e f g h i j k l m n o p q r s t u v w x y z aa bb cc dd ee ff gg hh ii jj kk ll',
    'hh u h bb v i ii w j cc x k jj y l dd z m kk n a ee o b ll p c ff q d r e gg s f aa t g',
  ],
];

describe('An array is listed as gawk lists it', () => {
  test.each(LISTED)('%s', (keys, listed) => {
    expect(listedKeys(keys.split(' ')).join(' ')).toBe(listed);
  });
});
