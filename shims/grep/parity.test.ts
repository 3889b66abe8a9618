/** grep against the machine's GNU grep; `parity.long.test.ts` runs the full number of cases. */
import { describe, expect, it } from 'vitest';
import { comparable, compareWithGnu } from './testing/gnu-parity.ts';

const CASES = 250;
const SEED = 20240607;

const there = comparable();
if (!there) console.warn('skipped: there is no GNU grep 3.8 on this machine to compare with');

describe.skipIf(!there)('grep does what GNU grep does', () => {
  it(`in ${CASES} generated cases, byte for byte, with its messages and status`, async () => {
    const { compared, refused, mismatches } = await compareWithGnu(SEED, CASES);
    expect(mismatches).toEqual([]);
    expect(compared).toBeGreaterThan(CASES * 0.97);
    for (const reason of refused.keys()) expect(reason).not.toMatch(/expensive/);
  });
});
