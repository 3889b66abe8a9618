/** A search over a service says the same with what it knows from before as without. */
import { expect, it } from 'vitest';
import { SERVICES, startService } from './each-service.ts';
import { checkIndexedSearch } from './indexed-search.ts';

const RUNS = 1;

it.each(SERVICES)(
  '%s: what is known of texts changes no answer, whoever changes them',
  async (name) => {
    await using service = await startService(name);
    expect(await checkIndexedSearch(service, RUNS)).toBeGreaterThan(RUNS);
  },
  120_000,
);
