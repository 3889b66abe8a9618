/** The Slack mount through the whole suite, in every mode. */
import { afterAll, beforeAll } from 'vitest';
import { createSlackMount } from '../../mounts/slack/index.ts';
import { tsOf, workspace } from '../../mounts/slack/testing.ts';
import type { Mode } from '../../src/mount/contract/contract.ts';
import { ServiceBench } from '../services/testing.ts';
import { type SlackStandIn, startSlackStandIn } from '../stand-ins/slack/index.ts';
import { describeMountConformance } from './mount-suite.ts';
import { withoutCost } from './support.ts';

const ts = tsOf(30);
let slack: SlackStandIn;
beforeAll(async () => {
  slack = await startSlackStandIn({ seed: workspace([{ ts, text: 'Hello' }]) });
});
afterAll(() => slack.close());

async function make() {
  const own = { baseUrl: slack.url, token: slack.token };
  const bench = new ServiceBench('slack', createSlackMount, own);
  return { mount: withoutCost(bench.mount()), close: () => bench.end() };
}

for (const mode of ['ro', 'rw', 'append', 'stage'] as const satisfies readonly Mode[]) {
  describeMountConformance(`slack ${mode}`, make, {
    mode,
    writable: false,
    links: false,
    attributes: false,
    samples: {
      file: `/general/messages/${ts}.md`,
      directory: '/general/messages',
      missing: '/general/messages/1.000000.md',
    },
  });
}
