/** The API, for longer: thousands of requests in any order, with what turns, decisions and services make of them. */
import { expect, test } from 'vitest';
import { society } from './society.ts';

/** Requests; a minute has some two thousand, with the turns that come of them. */
const COUNT = Number(process.env['REQUESTS'] ?? 1_200);

test(`${COUNT} requests of everybody, in any order: nothing fails, and nobody is told or let what is not theirs`, async () => {
  const { ask, served, operations, done } = await society({ staged: true });
  expect(await ask(COUNT)).toEqual([]);
  // What is refused to everybody proves nothing; some of them are rare.
  const never = operations.filter(({ method, path }) => !done.has(`${method} ${path}`));
  expect(never.length, never.map(({ path }) => path).join(' ')).toBeLessThan(operations.length / 4);
  await expect.poll(() => served.service.feeds.size, { timeout: 50_000 }).toBe(0);
});
