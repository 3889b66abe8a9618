/** Every sixth of the recorded cases; the long test has all. */
import { expect, it } from 'vitest';
import { expectAgreement, recorded } from './recorded.ts';

it.skipIf(!recorded())(
  'the shell agrees with recorded GNU answers in all but a few cases, and is never wrong in silence',
  async () => {
    expect.hasAssertions();
    await expectAgreement(6);
  },
);
