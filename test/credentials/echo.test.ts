/**
 * A server that repeats the credential it was asked with, in an error, a header
 * or a record: the credential comes no further than the client.
 */

import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { World } from '../../entry/index.ts';
import { openAgent } from '../../src/agent/open-agent.ts';
import { HttpClient } from '../../src/mount/client/http.ts';
import { openTelemetry } from '../../src/telemetry/open.ts';
import { echoed, formsOfCredential } from '../stand-ins/echo.ts';
import { startGithubStandIn } from '../stand-ins/github/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { expectHidden, hides } from './echoing.ts';
import { findIn, searchTree } from './search.ts';
import { credential } from './tokens.ts';

/** A server that refuses everything in words that repeat the credential. */
async function startEcho(status: number): Promise<string> {
  const server = createServer((request, response) => echoed(request, response, status));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a service that repeats its token in a refusal: nobody behind the client ever sees it', async () => {
  await expectHidden('notion', [400]);
});

test('a record that holds the token shows that it did, and is kept without it', async () => {
  const github = await startGithubStandIn();
  onTestFinished(() => github.close());
  const issue = await github.edit({
    op: 'create-issue',
    owner: 'harbor',
    repo: 'quay',
    title: 'leak',
    body: `here: ${github.token}`,
  } as never);
  const state = temporaryDirectory();
  const world = testWorld(
    {
      state,
      mounts: { '/mnt/s': { source: 'github', mode: 'rw', baseUrl: github.url, tokenEnv: 'T' } },
    },
    { env: { T: github.token } },
  );
  const { stdout } = await world.exec(`cat /mnt/s/harbor/quay/issues/${issue.number}.md`);
  expect(stdout).toContain('here: [redacted]');
  expect(searchTree(state).found).toEqual([]);
});

test('the line of a mount of the deployment’s own, and whatever such a mount throws', async () => {
  const token = credential('', 'echo');
  const client = new HttpClient({
    service: 'the registry',
    baseUrl: await startEcho(200),
    headers: { Authorization: `Bearer ${token}`, accept: 'application/json' },
    now: () => new Date(),
  });
  const answer = await client.get('/x');
  // A body in Base64 may be anybody's data; what says `errors` here is data, too.
  for (const form of [token, `Bearer ${token}`]) expect(JSON.stringify(answer)).not.toContain(form);
  hides(String(answer.etag), 'the ETag');

  const deployment = temporaryDirectory();
  writeFileSync(
    join(deployment, 'own.mjs'),
    `export default ({ token }) => {
      const fail = async () => { throw new Error('refused: ' + token + ' ' + Buffer.from(':' + token).toString('base64')); };
      return { kind: 'own', searchable: false, hasLinks: () => false, lstat: fail, readdir: fail, read: fail };
    };`,
  );
  const world = testWorld(
    { mounts: { '/mnt/own': { source: 'module:./own.mjs', tokenEnv: 'T' } } } as never,
    { deployment, env: { T: token } },
  );
  const { stderr } = await world.exec('ls /mnt/own; cat /mnt/own/a');
  expect(stderr).toContain('refused: [redacted]');
  hides(stderr, 'what the mount threw');
  await expect(world.fs.readdir('/mnt/own')).rejects.toThrow();
  hides(await logOf(world), 'the log');
});

const logOf = async (world: World): Promise<string> =>
  (await world.exec('cat /session/log.jsonl')).stdout;

describe('a model', () => {
  const key = credential('sk-', 'model');

  async function turn(env: Record<string, string>, config: object, base: string) {
    const world = testWorld({});
    const agent = await openAgent(world, { base, env }, config);
    const result = await agent.run({ prompt: 'x' });
    await agent.close();
    return { result, log: await logOf(world) };
  }

  test.each([400, 401, 500])(
    'whose server repeats the key with %i',
    async (status) => {
      const url = await startEcho(status);
      const { result, log } = await turn(
        { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key, DIRIGENT_MODEL: 'openai/m' },
        {},
        '/',
      );
      expect(result.status).toBe('error');
      expect(result.error).toContain('[redacted]');
      hides(JSON.stringify(result), 'the result');
      hides(log, 'the log');
    },
    30_000,
  );

  test('of a provider of the deployment’s own that throws it, or streams it as an error', async () => {
    const base = temporaryDirectory();
    mkdirSync(join(base, 'p'));
    writeFileSync(
      join(base, 'p.mjs'),
      `export default (id) => ({
        specificationVersion: 'v3', provider: 'p', modelId: id, supportedUrls: {},
        doGenerate: async () => { throw new Error('no'); },
        doStream: async () => {
          if (id === 'throws') throw new Error('refused ' + process.env.ECHO_KEY);
          return { stream: new ReadableStream({ start(c) {
            c.enqueue({ type: 'stream-start', warnings: [] });
            c.enqueue({ type: 'error', error: new Error('refused ' + process.env.ECHO_KEY) });
            c.close();
          } }) };
        },
      });`,
    );
    process.env['ECHO_KEY'] = key;
    onTestFinished(() => {
      delete process.env['ECHO_KEY'];
    });
    for (const id of ['throws', 'streams']) {
      const { result, log } = await turn(
        { ECHO_KEY: key },
        { model: `p/${id}`, providers: { p: './p.mjs' } },
        base,
      );
      expect.soft(result.error, id).toContain('refused [redacted]');
      hides(`${JSON.stringify(result)}${log}`, id);
    }
  });
});

describe('a sentence model', () => {
  const key = credential('sk-', 'sentences');

  /** What is said of the model where a directory is searched: on stderr, by `index`, in the log. */
  async function searched(model: object, env: Record<string, string>): Promise<string> {
    const deployment = temporaryDirectory();
    mkdirSync(join(deployment, 'docs'));
    writeFileSync(join(deployment, 'docs', 'a.md'), 'The quay is closed on Sundays.\n');
    writeFileSync(
      join(deployment, 'p.mjs'),
      `const refuse = () => { throw new Error('refused ' + process.env.ITS_PASS); };
      const model = { specificationVersion: 'v3', provider: 'p', modelId: 'm', maxEmbeddingsPerCall: 9, supportsParallelCalls: false, doEmbed: async () => refuse() };
      export default { embeddingModel: (id) => (id === 'none' ? refuse() : model) };`,
    );
    writeFileSync(
      join(deployment, 'unloadable.mjs'),
      `throw new Error('refused ' + process.env.ITS_PASS);`,
    );
    const world = testWorld(
      {
        mounts: { '/mnt/docs': './docs:ro' },
        agent: { providers: { p: './p.mjs', u: './unloadable.mjs' } },
        search: { background: false, model },
      } as never,
      { deployment, env },
    );
    const index = async (): Promise<string> => (await world.exec('index --json')).stdout;
    await world.exec('grep "closed quay" /mnt/docs');
    await expect.poll(index, { timeout: 20_000 }).toContain('"trouble":"');
    const { stdout, stderr } = await world.exec('index --json; index; grep "open quay" /mnt/docs');
    const log = await logOf(world);
    await world.close();
    expect(searchTree(world.state).found).toEqual([]);
    return `${stdout}${stderr}${log}`;
  }

  test('whose server repeats the key', async () => {
    const baseUrl = `${await startEcho(401)}/v1`;
    const said = await searched({ id: 'm', baseUrl, keyEnv: 'ITS_PASS' }, { ITS_PASS: key });
    expect(said).toContain('[redacted]');
    hides(said, 'what the server said');
  });

  test.each([
    ['when it is asked', 'p/m'],
    ['when it is made', 'p/none'],
    ['when its module is loaded', 'u/m'],
  ])(
    'of a provider of the deployment’s own that throws it %s, whatever its variable is called',
    async (_, id) => {
      const said = await searched({ id, env: ['ITS_PASS'] }, { ITS_PASS: key });
      expect(said).toContain('refused [redacted]');
      hides(said, id);
    },
    30_000,
  );
});

describe('a collector of traces', () => {
  const key = credential('', 'traces');

  /** It repeats the header in the reason of its status as well. */
  async function startCollector(): Promise<string> {
    const server = createServer((request, response) => {
      response.statusMessage = `no ${request.headers['x-key']} ${request.headers.authorization}`;
      echoed(request, response, 401);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  test.each([`authorization=Bearer%20${key}`, `x-other=none,x-key=${key}`])(
    'that repeats the header %#',
    async (headers) => {
      vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', await startCollector());
      vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', headers);
      onTestFinished(() => void vi.unstubAllEnvs());
      const said: string[] = [];
      const telemetry = await openTelemetry({
        env: process.env,
        base: import.meta.dirname,
        version: '1',
        onProblem: (text) => said.push(text),
      });
      telemetry?.begin('span').end();
      await telemetry?.flush();
      expect(said).toEqual([expect.stringContaining('could not be sent: no ')]);
      expect(said[0]).toContain('[redacted]');
      hides(said.join(), headers.slice(0, 10));
    },
    30_000,
  );
});

test('the forms that the stand-ins repeat are those that are looked for', () => {
  const token = credential('', 'forms');
  const forms = formsOfCredential({ headers: { authorization: `Bearer ${token}` } });
  expect(forms.every((form) => findIn(Buffer.from(form)) !== null)).toBe(true);
});
