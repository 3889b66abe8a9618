/** The same as indexed-search.test.ts, many times. */
import { expect, it } from 'vitest';
import { SERVICES, startService } from './each-service.ts';
import { checkIndexedSearch } from './indexed-search.ts';

const RUNS = 25;

it.each(SERVICES)(
  '%s: what is known of texts changes no answer, whoever changes them, many times',
  async (name) => {
    await using service = await startService(name);
    expect(await checkIndexedSearch(service, RUNS)).toBeGreaterThan(RUNS);
  },
  600_000,
);
