/** Each errno has a page, and what the page shows is what a terminal shows. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { World, WorldConfig } from '../entry/index.ts';
import { STRERROR } from '../src/errors.ts';
import { type GithubStandIn, startGithubStandIn } from './stand-ins/github/index.ts';
import { temporaryDirectory, testWorld } from './world/harness.ts';

const directory = join(import.meta.dirname, '..', 'docs', 'errors');
const pages = Object.keys(STRERROR).map((errno) => ({
  errno,
  text: readFileSync(join(directory, `${errno}.md`), 'utf8'),
}));

test('every errno has a page, named by it and by what strerror says, and no page is of anything else', () => {
  const named = Object.entries(STRERROR).map(([errno, says]) => `# ${errno}: ${says}`);
  expect(pages.map(({ text }) => text.split('\n')[0])).toEqual(named);
  const files = readdirSync(directory).filter((name) => name !== 'README.md');
  expect(files.sort()).toEqual(pages.map(({ errno }) => `${errno}.md`).sort());
});

test('the index has a row for every page', () => {
  const index = readFileSync(join(directory, 'README.md'), 'utf8');
  const rows = [...index.matchAll(/^\| \[(\w+)\]\(\1\.md\) \| ([^|]+) \|/gm)];
  expect(rows.map(([, errno, says]) => [errno, says])).toEqual(Object.entries(STRERROR));
});

const ISSUE = '/mnt/github/harbor/quay/issues/12.md';

let github: GithubStandIn;
beforeAll(async () => {
  github = await startGithubStandIn();
});
afterAll(() => github.close());

/** What must have happened outside before the example is typed, in a world that meets nothing else. */
const BEFORE: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  EAGAIN: () => github.fault({ kind: 'primary-limit' }),
  EIO: () => github.fault({ kind: 'server-error' }),
  ETIMEDOUT: () => github.fault({ kind: 'slow', ms: 60_000 }),
  ESTALE: async (world) => {
    await world.exec(`cat ${ISSUE}`);
    const fields = { title: 'Theirs' };
    await github.edit({ op: 'edit-issue', owner: 'harbor', repo: 'quay', number: 12, fields });
  },
};

function newWorld(more: WorldConfig = {}): World {
  const deployment = temporaryDirectory();
  mkdirSync(join(deployment, 'docs'));
  writeFileSync(join(deployment, 'docs', 'guide.md'), '# Guide\n');
  const mounts = {
    '/data': { source: 'mem', maxBytes: 65_536 },
    '/mnt/docs': './docs:ro',
    '/mnt/github': {
      source: 'github',
      mode: 'rw',
      baseUrl: github.url,
      tokenEnv: 'TOKEN',
      freshMs: 60_000,
    },
  } as const;
  const env = { ...process.env, TOKEN: github.token };
  return testWorld({ mounts, ...more }, { deployment, env });
}

const shown = pages.flatMap(({ errno, text }) => {
  const block = /^```console\n\$ ([^\n]*)\n(.*?)^```$/ms.exec(text);
  return block === null ? [] : [{ errno, command: block[1] ?? '', output: block[2] ?? '' }];
});
type Example = (typeof shown)[number];

/** Types the example, and compares what is printed with what the page shows. */
async function expectShown(world: World, { errno, command, output }: Example): Promise<void> {
  const { stderr, exitCode } = await world.exec(command);
  const lines = stderr.split('\n');
  expect(exitCode, errno).not.toBe(0);
  expect(output).toContain(STRERROR[errno as keyof typeof STRERROR]);
  for (const [at, line] of output.trimEnd().split('\n').entries()) {
    // What differs from run to run, or is long, is left out on the page, as "…".
    const [start = '', end = ''] = line.split('…');
    const printed = lines[at] ?? '';
    expect([errno, printed]).toEqual([errno, expect.stringContaining(start)]);
    expect(printed.startsWith(start) && printed.endsWith(end), `${errno}: ${printed}`).toBe(true);
  }
}

test('every example is what the command prints, one after another in one world', async () => {
  const rest = shown.filter(({ errno }) => BEFORE[errno] === undefined);
  expect(rest.length).toBeGreaterThan(10);
  const world = newWorld();
  for (const example of rest) {
    await world.exec('cd /; rm -rf /data/* /workspace/*', { fresh: true });
    await world.exec('cd /workspace');
    await expectShown(world, example);
  }
});

test.for(shown.filter(({ errno }) => BEFORE[errno] !== undefined))(
  'the example on the page of $errno is what the command prints',
  async (example) => {
    const { errno } = example;
    const world = newWorld(errno === 'ETIMEDOUT' ? { operationTimeoutMs: 300 } : {});
    await BEFORE[errno]?.(world);
    try {
      await expectShown(world, example);
    } finally {
      await github.clearFaults();
    }
  },
);
