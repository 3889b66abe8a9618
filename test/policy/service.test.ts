/** A person approves what is sent to a service, and that is sent: records, files and removals. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Bench, REPO, TOKEN } from '../../mounts/github/testing.ts';
import { testWorld } from '../world/harness.ts';

const AT = `/mnt/github${REPO}`;

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.start({ issues: 4, commentsEach: 1 });
});
afterAll(() => bench[Symbol.asyncDispose]());

/** What an agent does to the service, what it would do instead, and what a person sees. */
const ROWS: readonly [name: string, command: string, other: string | null, shown: string][] = [
  [
    'a new issue',
    `printf -- '---\\ntitle: Harmless\\n---\\n' > ${AT}/issues/new.md`,
    `printf -- '---\\ntitle: Evil\\n---\\n' > ${AT}/issues/new.md`,
    '+title: Harmless',
  ],
  [
    'an edit',
    `sed -i 's/^title: .*/title: Harmless/' ${AT}/issues/2.md`,
    `sed -i 's/^title: .*/title: Evil/' ${AT}/issues/2.md`,
    '+title: Harmless',
  ],
  [
    'a move into a record',
    `mv /workspace/mine ${AT}/issues/new.md`,
    null,
    'move /workspace/mine to',
  ],
  ['the removal of a comment', `rm ${AT}/issues/2/comments/10200.md`, null, 'remove file'],
];

test('what an agent sends is asked about, and is sent as it was shown', async () => {
  const world = testWorld(
    {
      mounts: {
        '/mnt/github': { source: 'github', mode: 'rw', baseUrl: bench.github.url, tokenEnv: 'T' },
      },
    },
    { env: { T: TOKEN } },
  );
  const sent = async () => (await bench.asked()).filter((row) => !row.startsWith('GET '));
  const run = (command: string, actor: string) => world.exec(command, { context: { actor } });
  await world.fs.writeFile('/workspace/mine', '---\ntitle: Moved\n---\n');
  for (const [name, command, other, shown] of ROWS) {
    await sent();
    const { exitCode, stderr } = await run(command, name);
    expect(exitCode, name).not.toBe(0);
    const ids = [...stderr.matchAll(/approvals allow (\w+)/g)].map(([, id = '']) => id);
    expect([name, ids.length]).toEqual([name, 1]);
    const approval = await world.approvals.answer(ids[0] ?? '', { decision: 'allow' });
    expect(approval?.change, name).toContain(shown);
    if (other !== null) expect((await run(other, name)).stderr, name).toContain('changed since');
    expect(await sent(), name).toEqual([]);
    expect((await run(command, name)).stderr, name).toBe('');
    expect((await sent()).length, name).toBe(1);
  }
});
