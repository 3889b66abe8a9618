/** GitHub through a whole world and the command line: what is staged, what it costs, what is refused. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createWorld, type World, type WorldConfig } from '../../entry/index.ts';
import { Bench, REPO, TOKEN } from '../../mounts/github/testing.ts';
import { cli } from '../cli/run-cli.ts';
import { temporaryDirectory, testWorld } from './harness.ts';

const AT = `/mnt/github${REPO}`;

let bench: Bench;
beforeAll(async () => {
  bench = await Bench.start({ issues: 200, commentsEach: 3, pullEvery: 5 });
});
afterAll(() => bench[Symbol.asyncDispose]());

/** A world that a whole group of tests looks at: nothing they do changes what another sees. */
function sharedWorld(mode: Mode, more: More = {}): () => World {
  const state = mkdtempSync(join(tmpdir(), 'dirigent-test-'));
  let world: World | undefined;
  afterAll(async () => {
    await world?.close();
    rmSync(state, { recursive: true, force: true });
  });
  return () => {
    world ??= createWorld(githubConfig(mode, { ...more, state }), { env: { T: TOKEN } });
    return world;
  };
}

type Mode = 'ro' | 'rw' | 'stage';

interface More {
  dryRun?: boolean;
  freshMs?: number;
  state?: string;
}

function githubConfig(mode: Mode, { freshMs = 60_000, ...more }: More): WorldConfig {
  const source = { source: 'github', mode, baseUrl: bench.github.url, tokenEnv: 'T', freshMs };
  return { mounts: { '/mnt/github': source }, ...more };
}

function githubWorld(mode: Mode, more: More = {}): World {
  return testWorld(githubConfig(mode, more), { env: { T: TOKEN } });
}

/** Requests that change something, since the last call. */
async function mutating(): Promise<string[]> {
  return (await bench.asked()).filter((row) => !row.startsWith('GET '));
}

describe('what it costs', () => {
  const looking = sharedWorld('ro');

  test('what walks over all pull requests asks for none of them, and says what it passed over', async () => {
    const world = looking();
    await world.exec(`ls ${AT}/pulls`);
    await bench.asked();
    const at = `${AT}/pulls`;
    for (const line of [
      `grep -r squeaks ${at}`,
      `rg squeaks ${at}`,
      `rg --files ${at}`,
      `find ${at}`,
      `find ${at} -name '*.md'`,
      `du ${at}`,
      `ls -R ${at}`,
    ]) {
      const { exitCode, stderr } = await world.exec(`${line} > /dev/null`);
      expect([line, exitCode]).toEqual([line, 2]);
      expect(stderr, line).toMatch(/: skipped \d+ \w+ such as .*: each costs a request; /);
    }
    const asked = (await bench.asked()).filter((row) => row.includes('/pulls/'));
    expect(asked).toEqual([]);
    const one = await world.exec(`grep -rc squeaks ${at}/5`);
    expect(one.stdout).toContain(`${at}/5/reviews/index.tsv:0`);
  });

  test('ls -l, then grep -rn, over 200 issues with 600 comments: 12 requests at most, then 3, all 304', async () => {
    const state = temporaryDirectory();
    const freshMs = 600_000;
    const world = githubWorld('ro', { state, freshMs });
    await bench.asked();
    const listed = await world.exec(`ls -l ${AT}/issues`);
    expect(listed.exitCode).toBe(0);
    const found = await world.exec(`grep -rn "Comment 2 on 12:" ${AT}/issues`);
    expect(found.stdout).toMatch(/issues\/12\/comments\/11202\.md:\d+:Comment 2 on 12:/);
    // What a command costs; behind the reads one question may look for changes, on a busy machine.
    const cost = listed.requests + found.requests;
    expect(cost).toBeLessThanOrEqual(12);
    expect((await bench.asked()).length).toBeGreaterThanOrEqual(cost);
    await world.close();
    // By a clock that was put forward: a walk on a busy machine may take minutes, and is of one moment.
    const database = new DatabaseSync(join(state, 'replica.sqlite'));
    database.exec(
      `UPDATE records SET checked_at = checked_at - ${freshMs}; UPDATE listings SET synced_at = synced_at - ${freshMs}`,
    );
    database.close();
    const again = githubWorld('ro', { state, freshMs });
    const { requests } = await again.exec(
      `ls -l ${AT}/issues; grep -rn "Comment 2 on 12:" ${AT}/issues`,
    );
    expect(requests).toBeGreaterThan(0);
    expect(requests).toBeLessThanOrEqual(3);
    const looksForChanges = (row: string): boolean => row.includes('&per_page=1 ');
    const warm = (await bench.asked()).filter((row) => !looksForChanges(row));
    expect(warm.filter((row) => !row.endsWith(' 304'))).toEqual([]);
  });

  test('a walk passes over what costs a request each, in one line and with status 2', async () => {
    const world = looking();
    await world.exec(`ls ${AT}/pulls`);
    await bench.asked();
    for (const command of ['grep -rn src/a.ts', 'rg src/a.ts', 'find', 'du -s']) {
      const { exitCode, stderr } = await world.exec(`${command} ${AT}/pulls`);
      expect(exitCode, command).toBe(2);
      expect(stderr, command).toMatch(
        /^\w+: skipped \d+ files such as .*: each costs a request; .*\n$/,
      );
    }
    expect((await bench.asked()).filter((row) => /\/files/.test(row))).toEqual([]);
    const named = await world.exec(`grep -c src/a.ts ${AT}/pulls/5/files.tsv`);
    expect([named.exitCode, named.stdout]).toEqual([0, '1\n']);
    const held = await world.exec(`grep -rn src/a.ts ${AT}/pulls/5`);
    expect(held.stdout).toContain('files.tsv:2:src/a.ts');
  });

  test('a ranked grep of all of GitHub fetches owners and repositories, and says how fresh it is', async () => {
    const { exitCode, stdout, stderr } = await looking().exec('grep squeaks /mnt/github');
    // What costs a request each was not searched.
    expect(exitCode).toBe(2);
    expect(stdout).toContain(`${AT}/`);
    const [, ranked, literal = '0'] =
      /^searched (\d+) documents by meaning, index \d+ s old(?:; (\d+) not yet indexed were searched literally)?\ngrep: skipped \d+ files such as .*: each costs a request; .*\n$/.exec(
        stderr,
      ) ?? [];
    // A busy machine may not have indexed all of them by then, and says so.
    expect(Number(ranked) + Number(literal), stderr).toBeGreaterThan(800);
  });

  test('a service that cannot be asked is no empty answer', async () => {
    const world = testWorld(
      {
        mounts: {
          '/mnt/github': { source: 'github', baseUrl: 'http://127.0.0.1:65001', tokenEnv: 'T' },
        },
      },
      { env: { T: TOKEN } },
    );
    for (const command of ['grep squeaks', 'grep -r squeaks', 'ls', 'find']) {
      const { exitCode, stderr } = await world.exec(`${command} /mnt/github`);
      expect(exitCode, command).not.toBe(0);
      expect(stderr, command).toContain('GitHub could not be reached');
      expect(stderr).not.toContain(TOKEN);
    }
  });
});

/** One edit of a title by each way to a file that agents have. `F`: the issue's file. */
const WRITES: readonly [name: string, script: string][] = [
  ['redirect', 'sed "s/^title: .*/title: Staged title/" $F > /tmp/new; cat /tmp/new > $F'],
  ['append', 'echo "one more line" >> $F'],
  ['tee', 'sed "s/^title: .*/title: Staged title/" $F > /tmp/new; tee $F < /tmp/new > /dev/null'],
  ['cp onto', 'sed "s/^title: .*/title: Staged title/" $F > /tmp/new; cp /tmp/new $F'],
  ['mv onto', 'sed "s/^title: .*/title: Staged title/" $F > /tmp/new; mv /tmp/new $F'],
  ['sed -i', 'sed -i "s/^title: .*/title: Staged title/" $F'],
  ['eval', `eval 'sed -i "s/^title: .*/title: Staged title/" $F'`],
  ['bash -c', `bash -c 'sed -i "s/^title: .*/title: Staged title/" $F'`],
  ['xargs', `echo $F | xargs sed -i 's/^title: .*/title: Staged title/'`],
  ['find -exec', `find $F -exec sed -i 's/^title: .*/title: Staged title/' {} ';'`],
];

describe.each([
  ['stage', false, WRITES],
  // That a dry run stages whatever the mode is decided before any of these ways parts.
  ['rw', true, WRITES.slice(0, 2)],
] as const)('a mount in mode %s, dryRun %s', (mode, dryRun, writes) => {
  const staging = sharedWorld(mode, { dryRun });

  test.each(writes.map(([name, script], index) => ({ name, script, index })))(
    '$name: nothing is sent, the change is in /session/changes, reads show the staged text',
    async ({ script, index }) => {
      const world = staging();
      const number = 11 + index + Math.floor(index / 4);
      const path = `${AT}/issues/${number}.md`;
      const file = number % 5 === 0 ? `${AT}/pulls/${number}.md` : path;
      await bench.asked();
      const result = await world.exec(script, { env: { F: file } });
      expect([result.exitCode, result.stderr]).toEqual([0, '']);
      expect(await mutating()).toEqual([]);
      const { stdout } = await world.exec(`cat ${file}`);
      expect(stdout).toMatch(/^title: Staged title$|one more line/m);
      const change = (await world.changes.list()).at(-1);
      const at = `/session/changes/${change?.id}`;
      const shown = await world.exec(`cat ${at}/diff.patch ${at}/request.json ${at}/status`);
      expect(shown.exitCode).toBe(0);
      expect(shown.stdout).toMatch(/^\+(title: Staged title|one more line)$/m);
      expect(shown.stdout).toContain(`"url": "/repos/octo/hello/issues/${number}"`);
      expect(shown.stdout).toContain('state: pending');
    },
    30_000,
  );

  test('rm of a comment is staged, rm of an issue refused, rm -r of its directory removes nothing', async () => {
    const world = staging();
    await bench.asked();
    const comment = `${AT}/issues/31/comments/13100.md`;
    const gone = await world.exec(`rm ${comment} && ! ls ${comment}`);
    expect(gone.exitCode).toBe(0);
    const issue = await world.exec(`rm ${AT}/issues/31.md`);
    expect([issue.exitCode, issue.stderr]).toEqual([1, expect.stringContaining('state: closed')]);
    const tree = await world.exec(`rm -rf ${AT}/issues/32; ls ${AT}/issues/32/comments`);
    expect(tree.stderr).toContain('Operation not permitted');
    expect(tree.stdout.split('\n')).toHaveLength(4);
    expect(await mutating()).toEqual([]);
  });
});

describe('rm -r of a directory of files', () => {
  test('asks an agent once, and is one commit when that is allowed', async () => {
    const deployment = temporaryDirectory();
    const repository = { owner: 'octo', repo: 'hello' };
    const put = (path: string, content: string | null) =>
      bench.github.edit({ op: 'put-file', ...repository, path, content });
    for (const path of ['gone/a', 'gone/b/c', 'stays']) await put(path, path);
    const world = testWorld(githubConfig('rw', { freshMs: 0 }), {
      deployment,
      env: { T: TOKEN },
    });
    const run = (command: string) => world.exec(command, { context: { actor: 'assistant' } });
    await bench.asked();
    const refused = await run(`rm -r ${AT}/files/gone`);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('approval')]);
    expect(await mutating()).toEqual([]);
    const pending = await world.approvals.list('pending');
    expect(pending).toHaveLength(1);
    await world.approvals.answer(pending[0]?.id ?? '', { decision: 'allow' });
    const allowed = await run(`rm -rv ${AT}/files/gone && ls ${AT}/files`);
    expect(allowed.stdout).toBe(
      `removed '${AT}/files/gone/a'\nremoved '${AT}/files/gone/b/c'\nremoved directory '${AT}/files/gone/b'\nremoved directory '${AT}/files/gone'\nstays\n`,
    );
    expect((await mutating()).map((row) => row.split(' ')[0])).toEqual(['POST', 'POST', 'PATCH']);
    await put('stays', null);
  });
});

describe('what is wrong', () => {
  const writing = sharedWorld('rw');

  test.each([
    ['a field that is not there', 's/^title:.*/titel: x/', 'titel: no such field'],
    ['a state that is none', 's/^state:.*/state: done/', 'state: must be one of open, closed'],
    ['a label that is not there', 's/^labels:.*/labels: [bgu]/', 'there is no label "bgu"'],
  ])(
    '%s is EINVAL with its name, nothing is sent, and .error has the text',
    async (_name, program, text) => {
      const world = writing();
      await world.exec(`cat ${AT}/issues/41.md`);
      await bench.asked();
      const { exitCode, stderr } = await world.exec(`sed -i '${program}' ${AT}/issues/41.md`);
      expect(exitCode).not.toBe(0);
      expect(stderr).toContain('Invalid argument');
      expect(stderr).toContain(text);
      expect(await mutating()).toEqual([]);
      const id = (await world.changes.list()).at(-1)?.id;
      const said = await world.exec(`cat ${AT}/issues/.error /session/changes/${id}/error`);
      expect(said.stdout.split(text)).toHaveLength(3);
    },
    30_000,
  );

  test.each(['> new.md', ': > new.md', 'true > new.md', 'echo x >> new.md', 'cp /dev/null new.md'])(
    '`%s` is EINVAL with a status other than 0',
    async (script) => {
      const world = writing();
      await bench.asked();
      const { exitCode, stderr } = await world.exec(script, { cwd: `${AT}/issues` });
      expect(exitCode).not.toBe(0);
      expect(stderr).toContain('Invalid argument');
      expect(await mutating()).toEqual([]);
    },
    30_000,
  );
});

describe('files', () => {
  const committing = sharedWorld('rw');

  test('are made, edited, copied with every byte and removed as on a disk, a commit each', async () => {
    const world = committing();
    await bench.asked();
    const script = [
      `cd ${AT}/files`,
      'mkdir -p docs/deep',
      'echo one > docs/deep/new.txt',
      'sed -i s/one/two/ docs/deep/new.txt',
      'echo three >> docs/deep/new.txt',
      "printf 'a\\0\\377b' > /tmp/bytes; cp /tmp/bytes bytes; cmp /tmp/bytes bytes",
      'rm bytes; cat docs/deep/new.txt; ls; grep -rn three .',
    ].join(' && ');
    const { stdout, stderr, exitCode } = await world.exec(script);
    expect([stderr, exitCode]).toEqual(['', 0]);
    expect(stdout).toBe('two\nthree\ndocs\n./docs/deep/new.txt:2:three\n');
    expect((await mutating()).map((row) => row.replace(/\/repos.*contents/, ''))).toEqual([
      'PUT /docs/deep/new.txt 201',
      'PUT /docs/deep/new.txt 200',
      'PUT /docs/deep/new.txt 200',
      'PUT /bytes 201',
      'DELETE /bytes 200',
    ]);
  });
});

test('dirigent sync fetches ahead of reading, says as of when and at what cost, and again costs little', async () => {
  const state = temporaryDirectory();
  const source = `{ source: 'github:octo/hello', baseUrl: '${bench.github.url}', tokenEnv: 'T' }`;
  writeFileSync(
    join(state, 'dirigent.config.mjs'),
    `export default { mounts: { '/mnt/github': ${source} } };\n`,
  );
  const at = ['--deployment', state];
  const env = { T: TOKEN };
  await bench.asked();
  const first = await cli(['sync', ...at, `${AT}/issues`], { env });
  expect([first.status, first.stderr]).toEqual([0, '']);
  const asked = await bench.asked();
  expect(asked.length).toBeGreaterThan(5);
  expect(first.stdout.toString()).toMatch(
    new RegExp(
      `^${AT}/issues: GitHub as of [\\d:]{8} UTC, complete; ${asked.length} requests, \\d+ bytes\\n$`,
    ),
  );
  const again = await cli(['sync', ...at, '--json', `${AT}/issues`], { env });
  expect(JSON.parse(again.stdout.toString())).toMatchObject([{ path: `${AT}/issues` }]);
  expect((await bench.asked()).filter((row) => !row.endsWith(' 304'))).toEqual([]);
  const wrong = await cli(['sync', ...at, '/mnt/github/octo/none/issues'], { env });
  expect([wrong.status, wrong.stderr.toString()]).toEqual([1, expect.stringContaining('404')]);
});

test('dirigent changes lists, shows, drops and applies what another process staged', async () => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, 'workspace'));
  const source = `{ source: 'github', mode: 'stage', baseUrl: '${bench.github.url}', tokenEnv: 'T' }`;
  writeFileSync(
    join(directory, 'dirigent.config.mjs'),
    `export default { mounts: { '/mnt/github': ${source} } };\n`,
  );
  const env = { T: TOKEN };
  const at = ['--deployment', directory];
  const script = `cd ${AT}/issues; sed -i 's/^title:.*/title: One/' 51.md; sed -i 's/^title:.*/title: Two/' 52.md`;
  const staged = await cli(['sh', ...at, '-c', script], { env });
  expect([staged.status, staged.stderr]).toEqual([0, '']);
  await bench.asked();
  const list = JSON.parse(
    (await cli(['changes', 'list', '--json', ...at], { env })).stdout.toString(),
  ) as { id: string; path: string }[];
  expect(list.map(({ path }) => path)).toEqual([`${REPO}/issues/52.md`, `${REPO}/issues/51.md`]);
  const [two, one] = list.map(({ id }) => id) as [string, string];
  const shown = await cli(['changes', 'show', one, ...at], { env });
  expect(shown.stdout.toString()).toContain('PATCH /repos/octo/hello/issues/51');
  expect(shown.stdout.toString()).toContain('+title: One');
  // Both begin alike: which ones may be meant is said, and nothing is done.
  const either = await cli(['changes', 'drop', one.slice(0, 4), ...at], { env });
  expect([either.status, either.stdout.toString()]).toEqual([1, '']);
  expect(either.stderr).toContain(`${two}  pending  ${AT}/issues/52.md\n`);
  expect(either.stderr).toContain(`${one}  pending  ${AT}/issues/51.md\n`);
  const dropped = await cli(['changes', 'drop', '--last', ...at], { env });
  expect([dropped.status, dropped.stdout.toString()]).toEqual([
    0,
    `${two} dropped: ${AT}/issues/52.md\n`,
  ]);
  expect(await mutating()).toEqual([]);
  const applied = await cli(['changes', 'apply', one.slice(-8).toUpperCase(), ...at], { env });
  expect([applied.status, applied.stdout.toString()]).toEqual([
    0,
    expect.stringMatching(new RegExp(`^${one} applied: /mnt/github/\\S+  https?://\\S+\\n$`)),
  ]);
  expect(await mutating()).toEqual(['PATCH /repos/octo/hello/issues/51 200']);
  const again = await cli(['changes', 'apply', one, ...at], { env });
  expect(again.status).toBe(1);
  expect(await mutating()).toEqual([]);
  const create = `printf -- '---\\ntitle: Made\\n---\\n' > ${AT}/issues/new.md`;
  const made = await cli(['sh', ...at, '-c', create], { env });
  expect([made.status, made.stderr]).toEqual([0, '']);
  const all = await cli(['changes', 'apply', '--all', ...at], { env });
  expect(all.stdout.toString()).toMatch(
    new RegExp(`^\\w+ applied: ${AT}/issues/\\d+\\.md  https?://\\S+/\\d+\\n$`),
  );
  const none = await cli(['changes', 'apply', '--all', ...at], { env });
  expect([none.status, none.stdout.toString()]).toEqual([0, 'no change is pending\n']);
  // What wrote to a service is kept as its record, though each was a single command.
  const sessions = await cli(['session', 'ls', ...at], { env });
  expect(sessions.stdout.toString()).toMatch(/\$ printf [\s\S]*\$ cd /);
  for (const name of [
    'changes.sqlite',
    'replica.sqlite',
    'changes.sqlite-wal',
    'replica.sqlite-wal',
  ]) {
    const bytes = readIfThere(join(directory, '.dirigent', name));
    expect(bytes.includes(TOKEN), name).toBe(false);
  }
});

function readIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT')
      return Buffer.alloc(0);
    throw error;
  }
}

test('a command tells what became of what it wrote, with paths of the world', async () => {
  const staged = githubWorld('stage');
  const close = `sed -i 's/^state: open/state: closed/' ${AT}/issues/3.md`;
  const first = await staged.exec(close);
  expect(first.writes).toMatchObject([
    { op: 'update', state: 'pending', path: `${AT}/issues/3.md`, summary: 'close #3' },
  ]);
  expect((await staged.exec('true')).writes).toEqual([]);
  const direct = githubWorld('rw');
  const made = await direct.exec(`printf -- '---\\ntitle: One\\n---\\n' > ${AT}/issues/new.md`);
  const path = (await direct.exec(`cat ${AT}/issues/.last`)).stdout.trim();
  expect(made.writes).toMatchObject([{ op: 'create', state: 'applied', path }]);
  expect(made.writes[0]?.url).toMatch(/\/issues\/\d+$/);
  const wrong = await direct.exec(`echo x > ${AT}/issues/new.md`);
  expect(wrong.exitCode).toBe(1);
  expect(wrong.writes).toMatchObject([{ op: 'create', state: 'failed' }]);
});

test('an issue that is a pull request, and the other way round, says so; asking whether it is there is quiet', async () => {
  const world = githubWorld('ro');
  for (const command of [
    `cat ${AT}/issues/5.md`,
    `cat ${AT}/issues/5/thread.md`,
    `ls ${AT}/issues/5`,
  ]) {
    const { stderr, exitCode } = await world.exec(command);
    expect(exitCode).not.toBe(0);
    expect(stderr).toContain('No such file or directory');
    expect(stderr).toContain('#5 is a pull request: see pulls/5.md');
  }
  await world.exec(`ls ${AT}/issues`);
  expect((await world.exec(`cat ${AT}/pulls/6.md`)).stderr).toContain(
    '#6 is an issue: see issues/6.md',
  );
  const quiet = await world.exec(`[ -e ${AT}/issues/5.md ] || echo none; echo ${AT}/issues/5.m*`);
  expect(quiet).toMatchObject({ stderr: '', stdout: `none\n${AT}/issues/5.m*\n` });
  expect((await world.exec(`cat ${AT}/issues/9999.md`)).stderr).not.toContain('see pulls');
});

describe("GitHub's own search", () => {
  const SEARCH = "'/mnt/github/search/Number 41 is:issue'";

  test('leads to records that are read, and written, through its links', async () => {
    const world = githubWorld('rw');
    const file = `${SEARCH}/octo.hello.41.md`;
    const seen = await world.exec(`cd ${SEARCH} && ls && readlink -f *.41.md && head -3 *.41.md`);
    expect(seen.stdout).toContain(
      `octo.hello.41.md\n${AT}/issues/41.md\n---\nnumber: 41\ntitle: Number 41 is broken\n`,
    );
    await bench.asked();
    const written = await world.exec(
      `sed -i 's/is broken/is mended/' ${file}; cat ${AT}/issues/41.md`,
    );
    expect([written.exitCode, written.stderr]).toEqual([0, '']);
    expect(written.stdout).toContain('title: Number 41 is mended\n');
    expect(await mutating()).toEqual(['PATCH /repos/octo/hello/issues/41 200']);
  });

  test('is no way around what a mount allows', async () => {
    const world = githubWorld('ro');
    const refused = await world.exec(`echo x > ${SEARCH}/octo.hello.41.md`);
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toContain('mounted ro');
    expect(await mutating()).toEqual([]);
  });

  test('is named by a ranked search that could not have everything', async () => {
    const world = githubWorld('ro');
    await bench.github.fault({ kind: 'server-error', path: '/issues/comments$' });
    try {
      const { stderr } = await world.exec('grep "the frobnicator squeaks" /mnt/github');
      expect(stderr).toContain("GitHub's own search has the rest: /mnt/github/search/QUERY/");
    } finally {
      await bench.github.clearFaults();
    }
  });
});
