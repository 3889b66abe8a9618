/** Each service repeats its token with each status: nobody behind the client ever sees it. */
import { expect, test } from 'vitest';
import { expectHidden, SERVICES } from './echoing.ts';

test.each(Object.keys(SERVICES) as (keyof typeof SERVICES)[])(
  '%s',
  async (source) => {
    expect.hasAssertions();
    await expectHidden(source, [400, 401, 403, 422, 500, 200]);
  },
  60_000,
);
