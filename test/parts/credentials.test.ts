/** Credentials that another one keeps: asked for, renewed, asked for once more, and found nowhere. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createWorld, type World, type WorldConfig } from '../../entry/index.ts';
import { askCredential, type HeldCredential, Renewable } from '../../src/credentials/credential.ts';
import { renewingFetch } from '../../src/credentials/fetch.ts';
import { startGithubStandIn } from '../stand-ins/github/index.ts';
import { startLinearStandIn } from '../stand-ins/linear/index.ts';
import { says } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { agentWith, EXAMPLES, service } from './support.ts';

const STALE = 'stale-credential-of-the-test-1234567890';

/** All that is in the files of a directory. */
const contentsOf = (directory: string): string =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n');

const HELPER = join(import.meta.dirname, '../stand-ins/credential-helper.mjs');

/** A deployment whose helper gives a stale credential until it hears that it was rejected. */
async function withHelper(good: string) {
  const deployment = temporaryDirectory();
  const behind = await service(({ body }, response) => {
    const { rejected, variable } = body as { rejected: boolean; variable: string };
    if (variable === 'FAILS') response.statusCode = 500;
    return { status: { token: rejected ? good : STALE } };
  });
  const parts: WorldConfig['parts'] = {
    credentials: {
      module: join(EXAMPLES, 'credentials-command.ts'),
      options: { command: [process.execPath, HELPER, behind.url] },
    },
  };
  return { deployment, parts, asked: () => behind.received.map(({ body }) => body) };
}

async function expectNowhere(world: World, secrets: readonly string[]): Promise<void> {
  const { stdout, stderr } = await world.exec(
    'env; cat /session/log.jsonl; cat /proc/self/environ',
  );
  await world.close();
  const all = stdout + stderr + contentsOf(world.state);
  for (const secret of secrets) expect(all).not.toContain(secret);
}

test('a program gives a mount its credential, and once more where the service refuses it', async () => {
  const github = await startGithubStandIn();
  const { deployment, parts, asked } = await withHelper(github.token);
  const world = testWorld(
    {
      mounts: {
        '/mnt/github': { source: 'github', mode: 'rw', baseUrl: github.url, tokenEnv: 'T' },
      },
      parts,
    },
    { deployment, env: { T: 'the-one-of-the-environment-0000' } },
  );
  const found = await world.exec(
    'head -3 /mnt/github/harbor/quay/issues/1.md; echo "new body" | cat',
  );
  expect([found.stderr, found.exitCode]).toEqual(['', 0]);
  expect(found.stdout).toContain('title:');
  const written = await world.exec(
    'sed -i "s/^title: .*/title: Renewed/" /mnt/github/harbor/quay/issues/1.md',
  );
  expect([written.stderr, written.exitCode]).toEqual(['', 0]);
  expect(asked()).toEqual([
    {
      for: 'mount',
      name: '/mnt/github',
      service: 'github',
      variable: 'T',
      baseUrl: github.url,
      rejected: false,
    },
    {
      for: 'mount',
      name: '/mnt/github',
      service: 'github',
      variable: 'T',
      baseUrl: github.url,
      rejected: true,
    },
  ]);
  await expectNowhere(world, [github.token, STALE]);
});

test('a client that makes its requests itself is given the one that is good, too', async () => {
  const linear = await startLinearStandIn();
  const { deployment, parts, asked } = await withHelper(linear.token);
  const world = testWorld(
    {
      mounts: {
        '/mnt/linear': { source: 'linear', mode: 'ro', baseUrl: linear.url, tokenEnv: 'T' },
      },
      parts,
    },
    { deployment, env: {} },
  );
  const found = await world.exec('ls /mnt/linear/teams');
  expect([found.stderr, found.exitCode]).toEqual(['', 0]);
  expect(asked()).toMatchObject([{ rejected: false }, { rejected: true }]);
  await expectNowhere(world, [linear.token, STALE]);
});

test('a program that fails is told of without a word of what it printed', async () => {
  const github = await startGithubStandIn();
  const { deployment, parts } = await withHelper(github.token);
  const mount = { source: 'github', baseUrl: github.url, tokenEnv: 'FAILS' };
  const world = testWorld({ mounts: { '/mnt/github': mount }, parts }, { deployment, env: {} });
  const failure = await world.exec('ls /mnt/github').then(
    ({ stderr }) => stderr,
    (error: Error) => error.message,
  );
  expect(failure).toContain('the credential of /mnt/github (FAILS) could not be had');
  expect(failure).toContain('ended with status 3');
  expect(failure).not.toContain(github.token);
});

test('a file of secrets gives a key to a model, is read anew, and is refused where others may read it', async () => {
  const deployment = temporaryDirectory();
  const file = join(deployment, 'secrets.env');
  writeFileSync(file, '# keys\nOPENAI_API_KEY=key-of-the-file-0123456789\n', { mode: 0o600 });
  const parts: WorldConfig['parts'] = {
    credentials: {
      module: join(EXAMPLES, 'credentials-file.ts'),
      options: { file: './secrets.env' },
    },
  };
  const seen: (string | undefined)[] = [];
  const api = await service(({ headers }, response) => {
    seen.push(headers.authorization);
    if (headers.authorization !== 'Bearer key-of-the-file-renewed-9876') {
      // An administrator puts a new one there meanwhile.
      writeFileSync(file, 'OPENAI_API_KEY=key-of-the-file-renewed-9876\n');
      response.statusCode = 401;
      return { error: { message: `no such key: ${headers.authorization}` } };
    }
    response.setHeader('content-type', 'text/event-stream');
    const delta = {
      choices: [
        { index: 0, delta: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' },
      ],
    };
    response.end(
      `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', ...delta })}\n\ndata: [DONE]\n\n`,
    );
    return undefined;
  });
  const { agent, world } = await agentWith(
    () => says('unused'),
    { parts },
    { deployment, env: { OPENAI_BASE_URL: api.url } },
  );
  expect(await agent.run({ prompt: 'x' })).toMatchObject({ status: 'done', text: 'hello' });
  expect(seen).toEqual([
    'Bearer key-of-the-file-0123456789',
    'Bearer key-of-the-file-renewed-9876',
  ]);
  await agent.close();
  await expectNowhere(world, ['key-of-the-file']);
  chmodSync(file, 0o644);
  const again = await agentWith(
    () => says('unused'),
    { parts },
    { deployment, env: { OPENAI_BASE_URL: api.url } },
  );
  await expect(again.agent.run({ prompt: 'x' })).rejects.toThrow(
    /others may read .*secrets\.env: chmod 600/,
  );
});

test('a manager of secrets is asked by HTTP, and what it does not keep comes from the environment', async () => {
  const github = await startGithubStandIn();
  const vault = await service(({ path, headers }, response) => {
    if (headers['x-vault-token'] !== 'token-of-the-vault' || path !== '/v1/secret/data/dirigent') {
      response.statusCode = 403;
      return { errors: ['permission denied'] };
    }
    return { data: { data: { GITHUB_TOKEN: github.token }, metadata: { version: 1 } } };
  });
  const config = (tokenEnv: string): WorldConfig => ({
    mounts: { '/mnt/github': { source: 'github', baseUrl: github.url, tokenEnv } },
    parts: {
      credentials: {
        module: join(EXAMPLES, 'credentials-vault.ts'),
        options: { url: vault.url, path: 'secret/data/dirigent' },
        env: ['VAULT_TOKEN'],
      },
    },
  });
  for (const [variable, env] of [
    ['GITHUB_TOKEN', {}],
    ['OTHER', { OTHER: github.token }],
  ] as const) {
    const all = { VAULT_TOKEN: 'token-of-the-vault', ...env };
    const world = testWorld(config(variable), { deployment: temporaryDirectory(), env: all });
    const { stdout, stderr } = await world.exec('head -1 /mnt/github/harbor/quay/issues/1.md');
    expect([stdout, stderr]).toEqual(['---\n', '']);
    await expectNowhere(world, [github.token, 'token-of-the-vault']);
  }
  expect(vault.received).toHaveLength(2);
});

const held = (value: string, expiresAt: number | null = null): HeldCredential => ({
  value,
  expiresAt,
});

test('it is renewed before it ends, by one question for all who need it, and kept where that fails', async () => {
  let now = 0;
  let asked = 0;
  let fails = false;
  const ask = async () => {
    asked += 1;
    await Promise.resolve();
    if (fails) throw new Error('down');
    return held(`v${asked}`, now + 1_000_000);
  };
  const credential = new Renewable(held('v0', 1_000_000), ask, () => now);
  expect([await credential.current(), asked]).toEqual(['v0', 0]);
  now = 940_000;
  expect(await Promise.all([1, 2, 3, 4].map(() => credential.current()))).toEqual([
    'v1',
    'v1',
    'v1',
    'v1',
  ]);
  expect(asked).toBe(1);
  fails = true;
  now = 1_930_000;
  expect(await credential.current()).toBe('v1');
  now = 1_940_000;
  await expect(credential.current()).rejects.toThrow('down');
});

test('what was refused to several is asked for once, and one that stays the same is not sent again', async () => {
  let asked = 0;
  const credential = new Renewable(
    held('old'),
    async () => held(`new-${++asked}`),
    () => 0,
  );
  expect(await Promise.all([credential.other('old'), credential.other('old')])).toEqual([
    'new-1',
    'new-1',
  ]);
  expect([await credential.other('old'), asked]).toEqual(['new-1', 1]);
  const same = new Renewable(held('same'), async () => held('same'));
  expect(await same.other('same')).toBeNull();
});

test('the credential that is good stands where the first one did: in headers, in Basic, in an address', async () => {
  const seen: unknown[] = [];
  const echo = await service(({ path, headers, body }, response) => {
    seen.push([path, headers.authorization, headers['x-key'], body]);
    response.statusCode = seen.length % 2 === 1 ? 401 : 200;
    return { told: headers.authorization };
  });
  const ask = async () => held('second-credential');
  const send = renewingFetch('first-credential', new Renewable(held('first-credential'), ask));
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
  const answer = await send(`${echo.url}/a?key=first-credential&q=first`, {
    method: 'POST',
    headers: { authorization: basic('me:first-credential'), 'x-key': 'first-credential' },
    body: '{"text":"first-credential stays"}',
  });
  const body = { text: 'first-credential stays' };
  expect(seen).toEqual([
    ['/a?key=first-credential&q=first', basic('me:first-credential'), 'first-credential', body],
    ['/a?key=second-credential&q=first', basic('me:second-credential'), 'second-credential', body],
  ]);
  expect(answer.status).toBe(200);
});

test.each([
  [{ value: 'with a blank' }, /must be of visible ASCII characters/],
  [{ value: 'x', until: 7 }, /Unrecognized key/],
  [{ token: 'secret-in-the-wrong-field' }, /cannot be used/],
])('%j is refused without being repeated', async (given, message) => {
  const source = { credential: () => given as never };
  const request = {
    for: 'mount',
    name: '/mnt/x',
    service: 's',
    variable: 'V',
    baseUrl: null,
  } as const;
  const failure = await askCredential(source, request, false).catch(
    (error: Error) => error.message,
  );
  expect(failure).toMatch(message);
  expect(failure).not.toMatch(/blank'|secret-in-the-wrong-field/);
});

test('a world does not start in which an agent could write what gives credentials', () => {
  const deployment = temporaryDirectory();
  mkdirSync(join(deployment, 'bin'));
  writeFileSync(join(deployment, 'bin/helper'), '');
  writeFileSync(join(deployment, 'source.mjs'), 'export default { credential() {} };');
  const start = (mounts: Record<string, string>) => () =>
    createWorld(
      {
        state: temporaryDirectory(),
        mounts,
        parts: { credentials: { module: './source.mjs', options: { command: ['./bin/helper'] } } },
      },
      { deployment },
    );
  expect(start({ '/mnt/bin': './bin:rw' })).toThrow(/a file that parts\.credentials names/);
  expect(start({ '/mnt/all': '.:rw' })).toThrow(/an agent could change/);
});
