/** What a large team costs. */
import { afterAll, beforeAll } from 'vitest';
import { Server } from './testing.ts';
import { describeCosts } from './testing-requests.ts';

let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.close());

describeCosts({ issues: 1_000, requests: [12, 20] }, () => server);
