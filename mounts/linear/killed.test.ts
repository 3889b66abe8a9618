/** A process that is killed while it writes: what its request came to is found out, and nothing is sent again. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ISSUES, Server } from './testing.ts';

let server: Server;
beforeAll(async () => {
  server = await Server.start();
}, 30_000);
afterAll(() => server.close());

/** What was under way when it died, the request that was held up then, and whether it takes effect. */
const STEPS: { what: string; path: string; held: string; skip?: number; made: number }[] = [
  { what: 'an issue that is being made', path: `${ISSUES}/new.md`, held: 'issueCreate', made: 1 },
  { what: 'names that are looked up', path: `${ISSUES}/new.md`, held: 'workflowStates', made: 0 },
  { what: 'an edit that is being sent', path: `${ISSUES}/ENG-2.md`, held: 'issueUpdate', made: 1 },
  {
    what: 'a base that is read again',
    path: `${ISSUES}/ENG-2.md`,
    held: 'issue',
    skip: 1,
    made: 0,
  },
];

it.each(STEPS)(
  '$what',
  async ({ path, held, skip = 0, made }) => {
    using bench = await server.bench({ issues: 3, commentsEach: 0 });
    const { linear } = bench;
    await linear.fault({ kind: 'slow', ms: 3_000, field: held, skip, times: 1 });
    const text = '---\ntitle: Before the end\nlabels: [docs]\n---\n';
    const file = fileURLToPath(new URL('./killed-writer.ts', import.meta.url));
    const child = spawn(process.execPath, [file, linear.url, bench.directory, path, text]);
    const closed = once(child, 'close');
    const reached = async () =>
      (await linear.requests()).filter(({ fields }) => fields.includes(held)).length > skip;
    while (!(await reached())) await sleep(20);
    child.kill('SIGKILL');
    await closed;

    const mount = bench.mount();
    await mount.journal.recover();
    const states = mount.journal.list().map(({ state }) => state);
    expect(states).toEqual([
      made === 1 ? 'applied' : expect.stringMatching(/^(failed|draft|dropped)$/),
    ]);
    const titles = async () =>
      (await linear.dump()).issues.filter(({ title }) => title === 'Before the end').length;
    expect(await titles()).toBe(made);
  },
  60_000,
);
