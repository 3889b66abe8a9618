/** A hundred generated edits, half of them invalid. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Server } from './testing.ts';
import { runGeneratedEdits } from './testing-edits.ts';

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.close());

it('invalid edits send no mutation and name the field; valid ones change what they say', async () => {
  using bench = await server.bench({ issues: 12, commentsEach: 1 });
  await runGeneratedEdits(bench, 100, 7);
  expect.hasAssertions();
});
