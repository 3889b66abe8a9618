/** A policy engine of the deployment's own: it refuses and asks, and allows nothing that the house refuses. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { World, WorldConfig } from '../../entry/index.ts';
import type { PolicyQuestion, PolicyVerdict } from '../../entry/parts.ts';
import { EngineGate } from '../../src/policy/engine.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { EXAMPLES, service } from './support.ts';

type Decide = (input: PolicyQuestion) => unknown;

/** The Data API of an OPA: `result` is left out where a document is not defined. */
async function opa(decide: Decide) {
  const asked: PolicyQuestion[] = [];
  const server = await service(({ method, path, body }, response) => {
    if (method !== 'POST' || path !== '/v1/data/dirigent/decision') {
      response.statusCode = 404;
      return { code: 'resource_not_found', message: path };
    }
    const { input } = body as { input: PolicyQuestion };
    asked.push(input);
    const result = decide(input);
    return result === undefined ? {} : { decision_id: 'x', result };
  });
  return { ...server, asked };
}

const FILES = { 'docs/a': 'text of a\n', 'docs/b': 'text of b\n' };

function deployed(files: Readonly<Record<string, string>> = {}): string {
  const deployment = temporaryDirectory();
  for (const [name, text] of Object.entries({ ...FILES, ...files })) {
    mkdirSync(join(deployment, name, '..'), { recursive: true });
    writeFileSync(join(deployment, name), text);
  }
  return deployment;
}

const MOUNTS: WorldConfig['mounts'] = { '/mnt/docs': './docs:rw', '/mnt/ro': './docs:ro' };

function worldOf(url: string, files?: Readonly<Record<string, string>>, onApproval?: never): World {
  const engine = {
    module: join(EXAMPLES, 'policy.ts'),
    options: { url, path: 'dirigent/decision' },
  };
  return testWorld(
    { mounts: MOUNTS, parts: { policy: engine } },
    { deployment: deployed(files), ...(onApproval === undefined ? {} : { onApproval }) },
  );
}

const asAgent = { context: { actor: 'assistant' } } as const;

test('what an engine denies is refused with its rule and reason, by whatever way it is asked for', async () => {
  const { url } = await opa(({ path }) =>
    path === '/mnt/docs/b' ? { decision: 'deny', rule: 'b', reason: 'b is closed' } : true,
  );
  const world = worldOf(url);
  const ways = [
    'cat /mnt/docs/b',
    'cp /mnt/docs/b /workspace/x',
    'ln -s /mnt/docs/b /workspace/l; cat /workspace/l',
    'echo x > /mnt/docs/b',
    'rm /mnt/docs/b',
    'mv /mnt/docs/b /mnt/docs/c',
    'mv /mnt/docs/a /mnt/docs/b',
    'sed -i s/b/c/ /mnt/docs/b',
    'while read -r line; do echo "$line"; done < /mnt/docs/b',
  ];
  for (const way of ways) {
    for (const options of [{}, asAgent]) {
      const { stdout, stderr, exitCode } = await world.exec(way, options);
      expect([way, stdout, exitCode === 0]).toEqual([way, '', false]);
      expect(stderr, way).toMatch(/Permission denied|b is closed/);
    }
  }
  const { stdout, stderr } = await world.exec('grep -rh text /mnt/docs; cat /mnt/docs/a', asAgent);
  expect(stdout).toBe('text of a\ntext of a\n');
  expect(stderr).toContain('policy engine b denies this: b is closed');
});

test('it cannot allow what the mode of a mount, an agent’s rights or the policy refuses, and is not asked', async () => {
  const policy = 'sandbox: full\nrules:\n  - { name: no, decision: deny, path: /mnt/docs/b }\n';
  const { url, asked } = await opa(() => true);
  const world = worldOf(url, { 'harness/policy.yaml': policy });
  expect((await world.exec('echo x > /mnt/ro/a', asAgent)).stderr).toContain('is mounted ro');
  expect((await world.exec('cat /mnt/docs/b', asAgent)).stderr).toContain('policy no denies this');
  const bound = { context: { actor: 'assistant', filesystem: 'read-only' } } as const;
  expect((await world.exec('echo x > /mnt/docs/a', bound)).stderr).toContain('filesystem of agent');
  expect(asked).toEqual([]);
});

test('what it asks about, a person decides; what a rule asks about, it may deny and not allow', async () => {
  const { url } = await opa(({ op, path }) => {
    if (op === 'read') return 'allow';
    if (path === '/mnt/docs/a')
      return { decision: 'ask', rule: 'four eyes', reason: 'a is shared' };
    return path === '/mnt/docs/b' ? 'deny' : 'allow';
  });
  const policy =
    'sandbox: full\nrules:\n  - { name: look, decision: ask, op: create, path: /mnt/docs }\n';
  const world = worldOf(url, { 'harness/policy.yaml': policy });
  const refused = await world.exec('echo new > /mnt/docs/a', asAgent);
  expect(refused.stderr).toContain('policy engine four eyes asks for approval: a is shared');
  const [approval] = await world.approvals.list('pending');
  expect(approval).toMatchObject({
    rule: 'policy engine four eyes',
    path: '/mnt/docs/a',
    actor: 'assistant',
  });
  await world.approvals.answer(approval?.id ?? '', { decision: 'allow' });
  expect((await world.exec('echo other > /mnt/docs/a', asAgent)).exitCode).not.toBe(0);
  expect((await world.exec('echo new > /mnt/docs/a; cat /mnt/docs/a', asAgent)).stdout).toBe(
    'new\n',
  );
  // The rule of the house still asks, whatever the engine allows.
  expect((await world.exec('echo x > /mnt/docs/c', asAgent)).stderr).toContain(
    'policy look asks for approval',
  );
  // And an earlier allowance is no way around a denial.
  expect((await world.exec('echo x > /mnt/docs/b', asAgent)).stderr).toContain(
    'policy engine denies this',
  );
});

test('with "approval: never" what it asks about is refused', async () => {
  const { url } = await opa(({ op }) => (op === 'read' ? true : 'ask'));
  const world = worldOf(url, { 'harness/policy.yaml': 'sandbox: full\napproval: never\n' });
  expect((await world.exec('echo x > /mnt/docs/a', asAgent)).stderr).toContain('that is a refusal');
  expect(await world.approvals.list()).toEqual([]);
});

test('it is told who does what where, and no content; a call of a tool, too', async () => {
  const { url, asked } = await opa(({ tool }) => tool === undefined);
  const world = worldOf(url);
  await world.exec('echo secret-content > /mnt/docs/a', {
    context: { actor: 'anna', onBehalfOf: ['reader'] },
  });
  expect(asked.find(({ op }) => op === 'write')).toEqual({
    op: 'write',
    path: '/mnt/docs/a',
    mount: '/mnt/docs',
    kind: 'disk',
    origin: 'shell',
    actor: 'anna',
    onBehalfOf: ['reader'],
    service: false,
    untrustedRead: false,
    untrustedFrom: [],
    changes: 0,
    session: world.session.id,
    attended: false,
  });
  const call = { name: 'deploy', host: true, readOnly: false, input: '{"secret":"content"}' };
  const answer = await world.permitTool(call, { actor: 'assistant' });
  expect(answer).toMatchObject({ decision: 'deny', rule: 'policy engine' });
  expect(asked.at(-1)?.tool).toEqual({ name: 'deploy', host: true, readOnly: false });
  expect(JSON.stringify(asked)).not.toContain('content');
});

test.each<[string, Decide]>([
  ['a document that is not defined', () => undefined],
  ['a result that is no decision', () => ({ allowed: true })],
  ['a word that it does not know', () => 'maybe'],
  ['no', () => false],
])('%s is a refusal', async (_, decide) => {
  const { url } = await opa(decide);
  const { stdout, stderr } = await worldOf(url).exec('cat /mnt/docs/a', asAgent);
  expect([stdout, /policy engine/.test(stderr)]).toEqual(['', true]);
});

test('an engine that is not there, redirects or answers with an error refuses', async () => {
  const elsewhere = await opa(() => true);
  const redirecting = await service((_, response) => {
    response.statusCode = 307;
    response.setHeader('location', `${elsewhere.url}/v1/data/dirigent/decision`);
    return {};
  });
  const failing = await service((_, response) => {
    response.statusCode = 500;
    return { result: true };
  });
  for (const url of ['http://127.0.0.1:9', redirecting.url, failing.url]) {
    const { stdout, stderr } = await worldOf(url).exec('cat /mnt/docs/a', asAgent);
    expect([url, stdout]).toEqual([url, '']);
    expect(stderr).toContain('the policy engine could not be asked, which refuses');
  }
  expect(elsewhere.asked).toEqual([]);
});

const QUESTION = { op: 'read', path: '/a' } as unknown as PolicyQuestion;

test('one that does not answer in time refuses, and is told that nobody waits', async () => {
  let stopped = false;
  const never = (_: PolicyQuestion, { signal }: { signal: AbortSignal }) =>
    new Promise<PolicyVerdict>(() => {
      signal.addEventListener('abort', () => {
        stopped = true;
      });
    });
  const gate = new EngineGate({ decide: never }, Date.now, 20);
  expect(await gate.decide(QUESTION)).toMatchObject({
    decision: 'deny',
    reason: expect.stringContaining('did not answer within 0.02 s'),
  });
  expect(stopped).toBe(true);
});

test('a verdict holds as long as the engine says, a minute at most, and for the very same question alone', async () => {
  let now = 0;
  let asked = 0;
  const verdict = { decision: 'allow', holdsMs: 1e9 } as const;
  const decide = () => {
    asked += 1;
    return asked === 4 ? ({ decision: 'deny' } as const) : verdict;
  };
  const gate = new EngineGate({ decide }, () => now);
  const ask = async (more: object = {}) => (await gate.decide({ ...QUESTION, ...more })).decision;
  expect([await ask(), await ask(), asked]).toEqual(['allow', 'allow', 1]);
  expect([await ask({ untrustedRead: true }), await ask({ actor: 'b' }), asked]).toEqual([
    'allow',
    'allow',
    3,
  ]);
  now = 60_000;
  expect([await ask(), await ask(), asked]).toEqual(['deny', 'allow', 5]);
});

test('a second implementation, in process, is asked like the first', async () => {
  const engine = `export default ({ options }) => ({
    decide: ({ path, op }) => ({ decision: op !== 'read' && options.closed.some((each) => path.startsWith(each)) ? 'deny' : 'allow' }),
  });`;
  const world = testWorld(
    {
      mounts: MOUNTS,
      parts: { policy: { module: './engine.mjs', options: { closed: ['/mnt/docs'] } } },
    },
    { deployment: deployed({ 'engine.mjs': engine }) },
  );
  expect((await world.exec('cat /mnt/docs/a; echo x > /mnt/docs/a', asAgent)).stderr).toContain(
    'policy engine denies this',
  );
  expect((await world.exec('echo x > /workspace/a; cat /workspace/a', asAgent)).stdout).toBe('x\n');
});

test('where the module cannot be used, nothing can be done', async () => {
  const world = testWorld(
    { mounts: MOUNTS, parts: { policy: './engine.mjs' } },
    { deployment: deployed({ 'engine.mjs': 'export default {};' }) },
  );
  await expect(world.exec('cat /mnt/docs/a', asAgent)).rejects.toThrow(
    /should export a policy engine/,
  );
});
