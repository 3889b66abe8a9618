/** The Linear mount through the suite that every mount runs through, on the stand-in. */
import { afterAll, beforeAll } from 'vitest';
import { type Bench, Server } from '../../mounts/linear/testing.ts';
import { describeMountConformance } from './mount-suite.ts';

let server: Server;
let bench: Bench;
beforeAll(async () => {
  server = await Server.start();
  bench = await server.bench({ issues: 6, commentsEach: 2 });
});
afterAll(async () => {
  bench[Symbol.dispose]();
  await server.close();
});

const samples = {
  file: '/teams/ENG/issues/ENG-1.md',
  directory: '/teams/ENG/issues',
  missing: '/teams/ENG/issues/ENG-9999.md',
};
const truth = { writable: false, links: false, attributes: false, samples };

for (const mode of ['ro', 'rw', 'append', 'stage'] as const) {
  describeMountConformance(
    `linear ${mode}`,
    () => ({ mount: bench.empty({ stage: mode === 'stage' }) }),
    { ...truth, mode },
  );
}
