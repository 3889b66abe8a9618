/** Sessions in a store of the deployment's own: the world, the command line, a server and its doors work over it. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { dirigentSandbox } from '../../entry/ai-sdk.ts';
import { dirigentBackend } from '../../entry/deepagents.ts';
import { dirigentProvider } from '../../entry/eve.ts';
import { createWorld, type WorldConfig } from '../../entry/index.ts';
import { planParts } from '../../src/parts/config.ts';
import type { SessionSummary } from '../../src/serve/sessions.ts';
import { sessionPlace } from '../../src/session/place.ts';
import { verifySession } from '../../src/session/verify.ts';
import { cli, ROOT, startCli } from '../cli/run-cli.ts';
import { begun, deployed, said, scripted, serve, settled } from '../serve/support.ts';
import { inProcess } from '../session/in-process.ts';
import { calls, says } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { agentWith, EXAMPLES } from './support.ts';

/** What a deployment says whose sessions are in one file of SQLite. */
const PARTS = { sessions: { module: './store.mjs', options: { file: './kept/logs.sqlite' } } };

/** A deployment with the example's store, as JavaScript of its own. */
function withStore(deployment = temporaryDirectory()): string {
  const example = readFileSync(join(EXAMPLES, 'sessions.ts'), 'utf8');
  writeFileSync(join(deployment, 'store.mjs'), stripTypeScriptTypes(example));
  symlinkSync(join(ROOT, 'node_modules'), join(deployment, 'node_modules'));
  mkdirSync(join(deployment, 'workspace'));
  const config = { mounts: { '/workspace': './workspace' }, parts: PARTS };
  writeFileSync(
    join(deployment, 'dirigent.config.mjs'),
    `export default ${JSON.stringify(config)};\n`,
  );
  return deployment;
}

const worldIn = (deployment: string, session?: string, more: WorldConfig = {}) =>
  testWorld(
    {
      mounts: { '/workspace': './workspace' },
      parts: PARTS,
      ...more,
      state: join(deployment, '.dirigent'),
    },
    { deployment, ...(session === undefined ? {} : { session }) },
  );

const placeIn = (deployment: string) =>
  sessionPlace(join(deployment, '.dirigent'), planParts(PARTS, deployment, {}).sessions);

test('a world writes to the store, shows its log at /session, goes on with it, and leaves no log in a file', async () => {
  const deployment = withStore();
  mkdirSync(join(deployment, 'docs'));
  writeFileSync(join(deployment, 'docs/harbour.md'), 'Ships moor at the quay.\n');
  const mounts = { '/workspace': './workspace', '/docs': { source: './docs', search: true } };
  const world = worldIn(deployment, undefined, { mounts });
  const { id } = world.session;
  expect((await world.exec('grep "where ships moor" /docs')).stdout).toMatch(
    /^\/docs\/harbour.md:1:/,
  );
  expect((await world.exec('echo hello > f; seq 1 20000')).exitCode).toBe(0);
  const entry = world.session.entries()[3]?.id;
  const looks = [
    'head -n 1 /session/log.jsonl | jq -r .id',
    'grep -c bash_start /session/log.jsonl',
    `jq -r .stdout /session/entries/${entry}.json | tail -n 2 | head -n 1`,
    'jq .commands /session/usage.json',
    'grep -c "seq 1" /session/tree.txt',
  ];
  expect((await world.exec(looks.join('; '))).stdout).toBe(`${id}\n3\n20000\n3\n1\n`);
  await world.exec('sleep 600 &');
  expect((await world.exec('cat /session/jobs/1/command')).stdout).toContain('sleep 600');
  await world.close();

  // Another process's world: it goes on, and sees the one before as past.
  const again = worldIn(deployment, id);
  expect((await again.exec('cat f')).stdout).toBe('hello\n');
  await again.close();
  const next = worldIn(deployment);
  const past = await next.exec(`cat /session/past/${id}/tree.txt; ls /session/past`);
  expect(past.stdout).toContain('$ cat f');
  expect(past.stdout.endsWith(`\n${id}\n`)).toBe(true);
  await next.close();
  expect(existsSync(join(deployment, '.dirigent/sessions', id, 'log.jsonl'))).toBe(false);
  const place = placeIn(deployment);
  for (const each of place.store.list())
    expect(verifySession(place, each)).toMatchObject({
      faults: [],
      tornBytes: 0,
      signed: { unsigned: 0 },
    });
  place.store.close?.();
});

test('ls, show, tree, label, fork, going back, diff, verify, a proof, gc and rm work over it', async () => {
  const deployment = withStore();
  const where = ['--deployment', deployment];
  const session = (...args: string[]): Promise<string> => inProcess(['session', ...args, ...where]);
  const sh = async (command: string, id?: string): Promise<string> => {
    const world = worldIn(deployment, id);
    const { stdout } = await world.exec(command);
    await world.close();
    return stdout;
  };
  await sh('echo one > f');
  const [{ id }] = JSON.parse(await session('ls', '--json')) as [{ id: string }];
  const first = /^(\S+) {2}\$ echo one/m.exec(await session('tree'))?.[1] ?? '';
  await session('label', first, 'begin');
  await sh('echo two > f', id);
  const last = /^(\S+) {2}\$ echo two.* ←$/m.exec(await session('tree'))?.[1] ?? '';
  expect(await session('diff', 'begin', last)).toContain('-one\n+two\n');
  const fork = (await session('fork', '--at', 'begin')).trim();
  expect(await sh('cat f', fork)).toBe('one\n');
  expect(await session('fork', '--session', id, '--at', 'begin', '--in-place')).toBe(
    '/workspace/f\n',
  );
  expect(readFileSync(join(deployment, 'workspace/f'), 'utf8')).toBe('one\n');
  expect(await session('show', id, '--at', 'begin')).toContain('$ echo one > f');
  expect(await session('verify', '--all')).toMatch(
    /^(\S+ whole: .*\n {2}signed to its end.*\n){2}$/,
  );
  const proof = join(deployment, 'proof');
  const key = (await session('key')).trim();
  const exported = startCli(['session', 'export', '--proof', '-o', proof, fork, ...where]);
  await new Promise((resolve) => exported.on('close', resolve));
  expect(await inProcess(['session', 'verify', proof, '--key', key])).toMatch(/whole/);
  expect(await session('gc', '--dry-run')).toMatch(/^would remove 0 of/);

  // What is changed in the database is told as what is changed in a file.
  const database = new DatabaseSync(join(deployment, 'kept/logs.sqlite'));
  database
    .prepare(
      "UPDATE pieces SET bytes = CAST(replace(CAST(bytes AS TEXT), 'echo two', 'echo 2wo') AS BLOB) WHERE session = ?",
    )
    .run(id);
  database.close();
  const place = placeIn(deployment);
  expect(
    verifySession(place, id)
      .faults.map(({ reason }) => reason)
      .join(),
  ).toMatch(/its bytes/);
  place.store.close?.();
  expect(await session('rm', fork, id)).toBe(`${fork} removed\n${id} removed\n`);
  expect(await session('ls')).toBe('no sessions\n');
});

test('a server lists, follows, forks and goes on with sessions of the store, also after it was started anew', async () => {
  const deployment = withStore(deployed());
  const model = await scripted((_, index) =>
    index === 0 ? calls(['bash', { command: 'echo written > f' }]) : says('it is done'),
  );
  const first = serve(deployment, model, {}, { parts: PARTS });
  const ana = first.client('ana', 'user');
  const { id } = await begun(ana);
  const follow = new AbortController();
  const seen: string[] = [];
  const following = (async () => {
    for await (const event of first.service.feeds.follow(id, '', follow.signal)) {
      if (event.kind !== 'entry') continue;
      seen.push(event.entry.id);
      if (event.entry['name'] === 'turn/end') return;
    }
  })();
  expect((await settled(ana, await said(ana, id, 'hello'))).state).toBe('done');
  await following;
  follow.abort();
  expect(seen.length).toBeGreaterThan(3);
  expect(first.faults).toEqual([]);
  await first.close();

  const second = serve(deployment, model, {}, { parts: PARTS });
  const again = second.client('ana2', 'owner');
  const listed = await again.get<SessionSummary[]>('/v1/sessions');
  expect(listed.map((each) => [each.id, each.title])).toEqual([[id, 'hello']]);
  const forked = await again.post<SessionSummary>(`/v1/sessions/${id}/entries/${seen.at(-1)}/fork`);
  expect(forked.parentSession).toBe(id);
  expect((await settled(again, await said(again, id, 'and again'))).state).toBe('done');
  const strange = second.client('mallory', 'user');
  expect((await strange.send('POST', `/v1/sessions/${id}/messages`, { text: 'x' })).status).toBe(
    404,
  );
  expect(second.faults).toEqual([]);
  await second.close();
  const place = placeIn(deployment);
  expect(verifySession(place, id).faults).toEqual([]);
  place.store.close?.();
});

test('a sub-agent has its session in the store, too', async () => {
  const deployment = withStore();
  const { agent, world } = await agentWith(
    (_, index) =>
      index === 0 ? calls(['delegate', { agent: 'researcher', task: 'look' }]) : says('done'),
    { mounts: { '/workspace': 'mem' }, parts: PARTS, state: join(deployment, '.dirigent') },
    { deployment },
  );
  const { id } = world.session;
  expect((await agent.run({ prompt: 'go' })).status).toBe('done');
  await agent.close();
  await world.close();
  const place = placeIn(deployment);
  const ids = place.store.list().sort();
  expect(ids).toHaveLength(2);
  expect(ids).toContain(id);
  for (const each of ids) expect(verifySession(place, each).faults).toEqual([]);
  place.store.close?.();
  expect(existsSync(join(deployment, '.dirigent/sessions'))).toBe(false);
});

/** A deployment whose store fails as it is told to. */
function failing() {
  const deployment = temporaryDirectory();
  copyFileSync(join(import.meta.dirname, 'stores/failing.mjs'), join(deployment, 'store.mjs'));
  const parts: WorldConfig['parts'] = {
    sessions: { module: './store.mjs', options: { folder: 'logs' }, env: ['VAULT_KEY'] },
  };
  const fault = join(deployment, 'fault');
  const world = testWorld(
    { parts, mounts: { '/workspace': 'mem' } },
    { deployment, env: { VAULT_KEY: 'key-of-the-vault-1234' } },
  );
  return {
    world,
    fail: (text: string | null) => (text === null ? rmSync(fault) : writeFileSync(fault, text)),
    log: () => readFileSync(join(deployment, 'logs', world.session.id), 'utf8'),
  };
}

test('a store that is full refuses the command with its sentence, nothing is run, and it goes on when there is room', async () => {
  const { world, fail, log } = failing();
  await world.exec('echo before > /workspace/f');
  const before = log();
  fail('append ENOSPC the vault is full');
  const refused = await world.exec('echo lost > /workspace/f').catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 'ENOSPC',
    reason: expect.stringMatching(/the vault is full \[redacted\].*make room/),
  });
  expect(log()).toBe(before);
  fail(null);
  expect((await world.exec('cat /workspace/f')).stdout).toBe('before\n');
  expect(log().startsWith(before)).toBe(true);
  expect(log()).not.toContain('lost');
});

test.each([
  ['sync EIO the vault is shut', 'EIO', /the vault is shut/],
  ['append ESTALE another one has it', 'ESTALE', /another one has it.*open the session again/],
  ['append promise', 'EIO', /answers with a promise/],
])('after "%s" nothing more is said to be written', async (text, code, sentence) => {
  const { world, fail } = failing();
  await world.exec('true');
  fail(text);
  for (const command of ['echo one', 'echo two']) {
    const refused = await world.exec(command).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code, reason: expect.stringMatching(sentence) });
    // It stays so: nobody knows what the store holds.
    if (command === 'echo one') fail(null);
  }
});

test('a store that an agent could write, or its file, is refused before any of it runs', () => {
  const deployment = temporaryDirectory();
  const workspace = join(deployment, 'workspace');
  mkdirSync(workspace);
  const ran = join(deployment, 'ran');
  writeFileSync(
    join(workspace, 'store.mjs'),
    `import fs from 'node:fs'; fs.writeFileSync(${JSON.stringify(ran)}, ''); export default {};`,
  );
  copyFileSync(join(EXAMPLES, 'sessions.ts'), join(deployment, 'sessions.ts'));
  const open = (sessions: NonNullable<WorldConfig['parts']>['sessions']) => () =>
    createWorld({ mounts: { '/workspace': './workspace' }, parts: { sessions } }, { deployment });
  expect(open('./workspace/store.mjs')).toThrow(/parts.sessions, which runs outside the sandbox/);
  expect(existsSync(ran)).toBe(false);
  const inside = { module: './sessions.ts', options: { file: './workspace/logs.sqlite' } };
  expect(open(inside)).toThrow(/a file that parts.sessions names/);
  expect(existsSync(join(workspace, 'logs.sqlite'))).toBe(false);
});

test('no command, server or sandbox runs a store that an agent could write', async () => {
  const deployment = temporaryDirectory();
  mkdirSync(join(deployment, 'workspace'));
  const ran = join(deployment, 'ran');
  writeFileSync(
    join(deployment, 'workspace/store.mjs'),
    `import fs from 'node:fs'; fs.writeFileSync(${JSON.stringify(ran)}, ''); export default {};`,
  );
  const config = {
    mounts: { '/workspace': './workspace' },
    parts: { sessions: './workspace/store.mjs' },
  };
  writeFileSync(
    join(deployment, 'dirigent.config.mjs'),
    `export default ${JSON.stringify(config)};\n`,
  );
  const refusal = /which runs outside the sandbox, would be loaded through it.*store\.mjs/;
  const id = '01JZZZZZZZZZZZZZZZZZZZZZZZ';
  for (const args of [
    ['session', 'ls'],
    ['session', 'show', id],
    ['serve', '--stdio'],
    ['mcp'],
    ['sh', '--session', id, '-c', 'true'],
    ['run', '--continue', 'hello'],
  ]) {
    const { status, stderr } = await cli([...args, '--deployment', deployment]);
    expect([args, status, stderr]).toEqual([args, 2, expect.stringMatching(refusal)]);
  }
  await expect(async () => {
    await using provider = dirigentSandbox({ deployment, config });
    await provider.resumeSession({ sessionId: id });
  }).rejects.toThrow(refusal);
  await expect(dirigentBackend({ deployment, config })).rejects.toThrow(refusal);
  const eve = dirigentProvider({ deployment, config }).environment();
  await expect(eve.resume(undefined, { seeds: {} }, { session: id })).rejects.toThrow(refusal);
  expect(existsSync(ran)).toBe(false);
});

test.each([
  ['export default async () => ({});', /it gives a promise, and this part has to be there at once/],
  ['await 1; export default {};', /waits \(await\) outside of a function/],
  ['export default { list: () => [] };', /should export a store of sessions.*where\(\) \{…\}/],
  [
    'export default { list() {}, stat() {}, read() {}, write() {}, head() {}, where() {}, close() {} };',
    /the first that ends would close it for the others/,
  ],
])('a module that cannot be a store is refused with its place: %s', (text, told) => {
  const deployment = temporaryDirectory();
  writeFileSync(join(deployment, 'store.mjs'), text);
  const open = () => createWorld({ parts: { sessions: './store.mjs' } }, { deployment });
  expect(open).toThrow(/^parts\.sessions: /);
  expect(open).toThrow(told);
});
