/** Linear through a whole world: the shell lines of an agent, what they cost, what is refused. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { World, WorldConfig } from '../../entry/index.ts';
import { sourceTable } from '../../mounts/index.ts';
import { IDS, ISSUES, Server, seed, TOKEN, uuid } from '../../mounts/linear/testing.ts';
import { parseMount } from '../../src/world/mount-string.ts';
import { temporaryDirectory, testWorld } from './harness.ts';

const AT = `/mnt/linear${ISSUES}`;
let server: Server;
beforeAll(async () => {
  server = await Server.start();
});
afterAll(() => server.close());

interface More {
  mode?: 'ro' | 'rw' | 'stage';
  source?: string;
  state?: string;
  dryRun?: boolean;
}

function linearWorld({ mode = 'rw', source = 'linear', ...more }: More = {}): World {
  const mount: NonNullable<WorldConfig['mounts']>[string] = {
    source,
    mode,
    baseUrl: server.linear.url,
    freshMs: 60_000,
  };
  return testWorld(
    { mounts: { '/mnt/linear': mount }, ...more },
    { env: { LINEAR_API_KEY: TOKEN } },
  );
}

test('linear and linear:KEY are sources, read-only unless they say otherwise', () => {
  expect(parseMount(sourceTable, 'linear', 'x')).toMatchObject({
    source: { name: 'linear' },
    mode: 'ro',
  });
  expect(parseMount(sourceTable, 'linear:ENG:stage', 'x')).toMatchObject({
    settings: { team: 'ENG' },
    mode: 'stage',
  });
  expect(() => parseMount(sourceTable, 'linear:eng', 'x')).toThrow(
    'should be linear or linear:KEY',
  );
});

test('an agent lists, greps, edits, comments and makes an issue with plain commands', async () => {
  await server.linear.reseed(seed({ issues: 40, commentsEach: 2 }));
  const world = linearWorld();
  const run = async (command: string) => {
    const { stdout, stderr, exitCode } = await world.exec(command);
    return `${stdout}${stderr}${exitCode === 0 ? '' : `exit ${exitCode}\n`}`;
  };
  expect(await run(`ls /mnt/linear/teams; grep -rl "Comment 1 on 7:" ${AT}`)).toBe(
    `ENG\nOPS\n${AT}/ENG-7/comments/${uuid(100_701)}.md\n`,
  );
  expect((await world.exec(`cat ${AT}/ENG-7.md ${AT}/ENG-9/thread.md`)).requests).toBe(0);
  expect(
    await run(
      `cd ${AT}; sed -i 's/^state: .*/state: Done/; s/^assignee: .*/assignee: mara/' ENG-7.md
       echo 'Done.' > ENG-7/comments/new.md; tail -1 $(cat ENG-7/comments/.last)
       printf -- '---\\ntitle: From a shell\\nlabels: [bug]\\n---\\n\\nText\\n' > new.md; cat .last
       grep -c . index.tsv; sed -n 3,6p ENG-7.md`,
    ),
  ).toBe(
    `Done.\n${AT}/ENG-41.md\n42\ntitle: Number 7 is broken\nstate: Done\npriority: none\nlabels: []\n`,
  );
  expect(await run(`sed -i 's/^state: .*/state: Finished/' ${AT}/ENG-8.md`)).toMatch(
    /Invalid argument\ndirigent: state: there is no state "Finished" here .*; nothing was sent\nexit/,
  );
  expect(await run(`rm ${AT}/ENG-8.md`)).toMatch(
    /Operation not permitted\ndirigent: .*archived: true/,
  );
});

test('200 issues with 600 comments cost 4 requests to list, or to search, and an edit 2, whatever else there is', async () => {
  const [born, team] = [
    { createdAt: '2025-01-01T00:00:00Z', updatedAt: '2025-01-01T00:00:00Z' },
    1,
  ];
  const issue = (n: number) => uuid(IDS.issue + n);
  await server.linear.reseed({
    ...seed({ issues: 200, commentsEach: 3 }),
    relations: [
      { ...born, id: uuid(600), issueId: issue(1), relatedIssueId: issue(2), type: 'blocks' },
    ],
    attachments: [
      { ...born, id: uuid(610), issueId: issue(1), title: 'Fix', url: 'https://x.example/pull/1' },
    ],
    updates: [
      {
        ...born,
        id: uuid(620),
        projectId: uuid(IDS.project),
        userId: uuid(IDS.user),
        body: 'Well',
      },
    ],
    documents: [{ ...born, id: uuid(630), slugId: 'aaaa0001', title: 'A', teamId: uuid(team) }],
  });
  const [list, search] = [linearWorld(), linearWorld()];
  const at = '/mnt/linear/teams/ENG';
  // Whose key it is was asked for once before.
  for (const world of [list, search]) await world.exec('ls /mnt/linear');
  const listed = await list.exec(`ls -R ${at}`);
  expect([listed.requests, listed.exitCode, listed.stderr]).toEqual([4, 0, '']);
  const found = await search.exec(`grep -rc squeaks ${at} | grep -c ':[1-9]'`);
  expect([found.requests, found.stdout]).toEqual([4, '600\n']);
  const edit = await list.exec(`sed -i 's/^blocks: .*/blocks: [ENG-3]/' ${at}/issues/ENG-1.md`);
  expect([edit.requests, edit.stderr]).toEqual([2, '']);
  // Nothing at the root has to be passed over, cold or warm.
  for (const [requests, pattern] of [
    [7, 'squeaks'],
    [0, 'Number 7 is'],
  ] as const) {
    const all = await list.exec(`grep -rl '${pattern}' /mnt/linear | wc -l`);
    expect([all.stderr, all.exitCode]).toEqual(['', 0]);
    expect(all.requests, pattern).toBeLessThanOrEqual(requests);
  }
});

test('a notification is marked read, and what is assigned is followed, with plain commands', async () => {
  await server.linear.reseed({
    ...seed({ issues: 3, commentsEach: 0 }),
    notifications: [1, 2].map((n) => ({
      id: uuid(700 + n),
      createdAt: '2025-01-01T00:00:00Z',
      updatedAt: '2025-01-01T00:00:00Z',
      userId: uuid(IDS.user),
      type: 'issueMention',
      title: `Notice ${n}`,
      issueId: uuid(IDS.issue + n),
    })),
  });
  const world = linearWorld();
  const { stdout, stderr } = await world.exec(
    `cd /mnt/linear; sed -i 's/^read: false/read: true/' inbox/*.md; cut -f2 inbox/index.tsv
     sed -i 's/^assignee: .*/assignee: mara/' teams/ENG/issues/ENG-2.md
     ls me/assigned; grep ^title: me/assigned/ENG-2.md; readlink me/assigned/ENG-2.md
     sed -i 's/^priority: .*/priority: high/' me/assigned/ENG-2.md
     grep ^priority teams/ENG/issues/ENG-2.md; ls 'search/3 is broken'`,
  );
  expect(stderr).toBe('');
  expect(stdout).toBe(
    `read
read
read
ENG-2.md
index.tsv
title: Number 2 is broken
../../teams/ENG/issues/ENG-2.md
priority: high
ENG-3.md
index.tsv
`,
  );
});

test('with --dry-run nothing is sent, and the change waits to be reviewed', async () => {
  await server.linear.reseed(seed({ issues: 4, commentsEach: 0 }));
  const world = linearWorld({ dryRun: true, source: 'linear:ENG' });
  const { stdout } = await world.exec(
    `sed -i 's/^priority: .*/priority: high/' ${AT}/ENG-2.md; grep -h ^priority ${AT}/ENG-2.md
     cat /session/changes/*/diff.patch | grep '^[-+]priority'`,
  );
  expect(stdout).toBe('priority: high\n-priority: none\n+priority: high\n');
  const sent = (await server.linear.requests()).filter(({ operation }) => operation === 'mutation');
  expect(sent).toEqual([]);
});

test('the key is in no file of the namespace, no variable and nothing that is kept', async () => {
  await server.linear.reseed(seed({ issues: 4, commentsEach: 1 }));
  const state = temporaryDirectory();
  const world = linearWorld({ state });
  const { stdout, stderr } = await world.exec(
    `env; cat /mnt/linear/README.md /session/log.jsonl; cd ${AT}; echo bad > ENG-1.md; cat .error
     echo 'a comment' > ENG-1/comments/new.md; grep -rh . /mnt/linear /session`,
  );
  expect(stdout.length).toBeGreaterThan(2_000);
  expect(stdout + stderr).not.toContain(TOKEN);
  await world.close();
  const files = readdirSync(state, { recursive: true, withFileTypes: true }).filter((one) =>
    one.isFile(),
  );
  expect(files.length).toBeGreaterThan(1);
  for (const { parentPath, name } of files) {
    expect(readFileSync(join(parentPath, name)).includes(TOKEN), name).toBe(false);
  }
});
