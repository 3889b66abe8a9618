/** A surface for approvals of the deployment's own: it shows and answers, for whoever may, what was shown. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Approval, WorldOptions } from '../../entry/index.ts';
import type { ShownRequest, SurfaceAnswer } from '../../entry/parts.ts';
import { Surfacing } from '../../src/policy/surface.ts';
import { cli } from '../cli/run-cli.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { EXAMPLES, service } from './support.ts';

/** A busy machine takes its time. */
const PATIENT = { timeout: 50_000 };

const asAgent = { context: { actor: 'assistant' } } as const;

function deployed(files: Readonly<Record<string, string>> = {}): string {
  const deployment = temporaryDirectory();
  mkdirSync(join(deployment, 'docs'));
  writeFileSync(join(deployment, 'docs/a'), 'old\n');
  for (const [name, text] of Object.entries(files)) writeFileSync(join(deployment, name), text);
  return deployment;
}

/** A pager: what it was shown, and what somebody answers there. */
async function pager(answer: (request: ShownRequest) => Partial<SurfaceAnswer> | null) {
  const shown: ShownRequest[] = [];
  const { url, received } = await service(({ method, body }) => {
    if (method === 'PUT') {
      shown.push(body as ShownRequest);
      return {};
    }
    const request = shown.at(-1);
    if (request === undefined) return {};
    const given = answer(request);
    return given === null ? {} : { digest: request.digest, ...given };
  });
  return { url, shown, received };
}

const worldOf = (url: string, more: WorldOptions = {}, deployment = deployed()) =>
  testWorld(
    {
      mounts: { '/mnt/docs': './docs:rw' },
      parts: {
        approvals: {
          module: join(EXAMPLES, 'approvals.ts'),
          options: { url, pollMs: 5 },
          env: ['PAGER_TOKEN'],
        },
      },
    },
    { deployment, env: { PAGER_TOKEN: 'token-of-the-pager' }, ...more },
  );

test('an operation waits for an answer from the pager, which is shown what a person would be', async () => {
  const { url, shown, received } = await pager(() => ({ decision: 'allow', actor: 'user' }));
  const world = worldOf(url);
  const done = await world.exec('echo new > /mnt/docs/a; cat /mnt/docs/a', asAgent);
  expect([done.stdout, done.stderr]).toEqual(['new\n', '']);
  const [approval] = await world.approvals.list();
  expect(shown).toEqual([
    {
      id: approval?.id,
      digest: approval?.digest,
      session: world.session.id,
      actor: 'assistant',
      people: [],
      origin: 'shell',
      operations: [{ op: 'write', path: '/mnt/docs/a', mount: '/mnt/docs' }],
      rule: approval?.rule,
      reason: approval?.reason,
      title: 'assistant wants to write /mnt/docs/a',
      text: expect.stringMatching(/^-old$/m),
      expiresAt: expect.stringMatching(/^\d{4}-/),
    },
  ]);
  expect(approval).toMatchObject({
    state: 'used',
    answeredBy: expect.stringMatching(/^user \(.*approvals\.ts\)$/),
  });
  expect(
    received.every(({ headers }) => headers.authorization === 'Bearer token-of-the-pager'),
  ).toBe(true);
});

test('a denial there is a denial, with who has denied it', async () => {
  const { url } = await pager(() => ({ decision: 'deny', actor: 'user' }));
  const { stderr } = await worldOf(url).exec('echo new > /mnt/docs/a', asAgent);
  expect(stderr).toMatch(/was denied by user \(/);
});

test('nobody decides there who may not, nor on anything else than was shown; an answer elsewhere ends it', async () => {
  const faults: string[] = [];
  const stranger = await pager(() => ({ decision: 'allow', actor: 'assistant' }));
  const swapped = await pager(() => ({ decision: 'allow', actor: 'user', digest: 'another' }));
  for (const { url } of [stranger, swapped]) {
    const world = worldOf(url, { onHarnessError: ({ message }) => faults.push(message) });
    const running = world.exec('echo new > /mnt/docs/a', asAgent);
    await expect.poll(() => faults.length, PATIENT).toBe(url === stranger.url ? 1 : 2);
    const [approval] = await world.approvals.list('pending');
    await world.approvals.answer(approval?.id ?? '', { decision: 'deny' });
    expect((await running).stderr).toContain('was denied');
  }
  expect(faults).toEqual([
    expect.stringContaining('assistant may not decide on approvals here'),
    expect.stringContaining('what was shown is not what approval'),
  ]);
});

test('what asks where nobody waits is shown all the same, and allowed later passes once', async () => {
  let decided = false;
  const { url, shown } = await pager(() => (decided ? { decision: 'allow', actor: 'user' } : null));
  const world = worldOf(url);
  const unattended = { context: { actor: 'assistant', attended: false } } as const;
  expect((await world.exec('echo new > /mnt/docs/a', unattended)).exitCode).not.toBe(0);
  await expect.poll(() => shown.length, PATIENT).toBe(1);
  decided = true;
  await expect.poll(async () => (await world.approvals.list('allowed')).length, PATIENT).toBe(1);
  expect((await world.exec('echo new > /mnt/docs/a', unattended)).exitCode).toBe(0);
  expect((await world.exec('echo old > /mnt/docs/a', unattended)).exitCode).not.toBe(0);
});

test('a session that is gone on with shows what it has asked for again, and is answered when it is closed', async () => {
  const deployment = deployed();
  let decided = false;
  const { url, shown } = await pager(() => (decided ? { decision: 'allow', actor: 'user' } : null));
  const unattended = { context: { actor: 'assistant', attended: false } } as const;
  const state = temporaryDirectory();
  const config = {
    state,
    mounts: { '/mnt/docs': './docs:rw' },
    parts: { approvals: { module: join(EXAMPLES, 'approvals.ts'), options: { url, pollMs: 5 } } },
  };
  const first = testWorld(config, { deployment });
  await first.exec('echo new > /mnt/docs/a', unattended);
  await first.close();
  const second = testWorld(config, { deployment, session: first.session.id });
  await second.exec('true');
  await expect.poll(() => shown.length, PATIENT).toBe(2);
  expect(new Set(shown.map(({ id }) => id)).size).toBe(1);
  await second.close();
  decided = true;
  const third = testWorld(config, { deployment, session: first.session.id });
  await expect.poll(async () => (await third.approvals.list('allowed')).length, PATIENT).toBe(1);
});

test('a principal of the server decides as far as the role allows, at that moment', async () => {
  const module = `import fs from 'node:fs';
    export default { ask: async (request, { answer }) => {
      for (const actor of ['ben', 'anna']) {
        const became = await answer({ digest: request.digest, decision: 'allow', actor }).catch(({ reason }) => reason);
        fs.appendFileSync(new URL('./told', import.meta.url), actor + ': ' + became + '\\n');
      }
    } };`;
  const config = `export default { mounts: { '/mnt/docs': './docs:rw' }, parts: { approvals: './surface.mjs' } };`;
  const deployment = deployed({ 'surface.mjs': module, 'dirigent.config.mjs': config, told: '' });
  mkdirSync(join(deployment, 'harness'));
  writeFileSync(join(deployment, 'harness/policy.yaml'), 'rules: []\n');
  const options = ['--deployment', deployment];
  await cli(['serve', 'token', 'add', 'ben', '--role', 'user', ...options]);
  await cli(['serve', 'token', 'add', 'anna', '--role', 'approver', ...options]);
  const ran = await cli([
    'sh',
    ...options,
    '-c',
    'echo new > /mnt/docs/a; cat /mnt/docs/a /workspace/../mnt/docs/a',
  ]);
  expect(String(ran.stdout)).toBe('new\nnew\n');
  const told = readFileSync(join(deployment, 'told'), 'utf8');
  expect(told).toMatch(/^ben: .*ben may not decide on approvals here\nanna: (?:allowed|used)\n$/);
});

const APPROVAL = {
  id: 'x',
  digest: 'd',
  state: 'pending',
  actor: 'a\u202eb',
  people: [],
  op: 'write',
  path: '/mnt/docs/\u001b[2Ja',
  operations: [],
  reason: 'r\u001b[31m',
  change: '+\u202e\u001b]0;x\u0007<script>',
  expiresAt: Date.now() + 60_000,
} as unknown as Approval;

test('what an agent wrote reaches it escaped, and an answer of no known form is refused', async () => {
  const shown: ShownRequest[] = [];
  const became: string[] = [];
  const surfacing = new Surfacing({
    surface: async () => ({
      ask: async (request, { answer }) => {
        shown.push(request);
        for (const bad of [
          {},
          { decision: 'perhaps' },
          { decision: 'allow', actor: 'user', digest: 'd', scope: 'all' },
        ])
          await answer(bad as never).catch(({ code }: { code: string }) => became.push(code));
      },
    }),
    answer: async () => null,
    mayDecide: () => true,
    via: 'test',
    onFault: (text) => became.push(text),
  });
  surfacing.step(APPROVAL);
  surfacing.step(APPROVAL);
  await expect.poll(() => became, PATIENT).toEqual(['EINVAL', 'EINVAL', 'EINVAL']);
  expect(shown).toHaveLength(1);
  const { title, text, reason } = shown[0] as ShownRequest;
  expect(title + text + reason).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f\u202e]/);
});

test('a module that cannot be used is told of by the first command', async () => {
  const world = testWorld(
    { parts: { approvals: './surface.mjs' } },
    { deployment: deployed({ 'surface.mjs': 'export default {};' }) },
  );
  await expect(world.exec('true')).rejects.toThrow(/should export a surface for approvals/);
});
