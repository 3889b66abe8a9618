/** Worlds between the turns of a session: kept for a while, bounded, and with the rights of now. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ALL_RIGHTS } from '../../src/policy/rights.ts';
import { resumeSession, sessionPlace } from '../../src/session/index.ts';
import { calls, lastText, says } from '../stand-ins/model/index.ts';
import { begun, deployed, said, scripted, serve, settled } from './support.ts';

/** A busy machine is no failure. */
const PATIENT = { timeout: 50_000 };
/** Longer than any test. */
const LONG_MS = 10 * 60_000;

/** Runs what it is told as a command, and says what came of it. */
const obedient = () =>
  scripted(({ messages }) => {
    const text = lastText(messages);
    return messages.at(-1)?.role === 'tool'
      ? says(`result: ${text}`)
      : calls(['bash', { command: text }]);
  });

/** Can another process write the session now? */
function isFree(deployment: string, session: string): boolean {
  try {
    resumeSession(sessionPlace(join(deployment, '.dirigent')), session).close();
    return true;
  } catch (error) {
    expect(error).toMatchObject({ code: 'EBUSY' });
    return false;
  }
}

test('the next turn of a session finds its world open, and what its agent may do now and not what it might', async () => {
  const deployment = deployed();
  mkdirSync(join(deployment, 'harness/agents'));
  const writer = (filesystem: string): void =>
    writeFileSync(
      join(deployment, 'harness/agents/writer.md'),
      `---\ndescription: writes\nfilesystem: ${filesystem}\n---\nYou write.\n`,
    );
  writer('read-write');
  const { client } = serve(deployment, await obedient(), { kept: { ms: LONG_MS, most: 4 } });
  const ana = client('ana', 'user', 'writer');
  const { id } = await begun(ana);
  const first = await settled(
    ana,
    await said(ana, id, 'echo one > /workspace/one && ls /workspace'),
  );
  expect(first.outcome?.text).toContain('one');
  expect(isFree(deployment, id)).toBe(false);
  writer('read-only');
  const second = await settled(ana, await said(ana, id, 'echo two > /workspace/two'));
  expect(second.outcome?.text).toMatch(/result: .*(?:read-only|may not|denied)/is);
  const entries = await ana.get<{ name?: string }[]>(`/v1/sessions/${id}/entries`);
  const entered = entries.filter(({ name }) => name === 'door/entered');
  // Once when the session was made, once for both turns.
  expect(entered.length).toBe(2);
});

test('so many worlds are kept, the latest ones; a turn that is parked keeps none', async () => {
  const deployment = deployed();
  const { client } = serve(deployment, await obedient(), {
    kept: { ms: LONG_MS, most: 1 },
    parkAfterMs: 10,
  });
  const ana = client('ana', 'user');
  const [{ id: one }, { id: two }] = [await begun(ana), await begun(ana)];
  await settled(ana, await said(ana, one, 'true'));
  expect(isFree(deployment, one)).toBe(false);
  await settled(ana, await said(ana, two, 'true'));
  await expect.poll(() => isFree(deployment, one), PATIENT).toBe(true);
  expect(isFree(deployment, two)).toBe(false);
  await settled(ana, await said(ana, two, 'echo x > /workspace/asked'), ['parked']);
  expect(isFree(deployment, two)).toBe(true);
});

test('one that nobody comes back to ends by itself', async () => {
  const deployment = deployed();
  const { client } = serve(deployment, await obedient(), { kept: { ms: 10, most: 4 } });
  const ana = client('ana', 'user');
  const { id } = await begun(ana);
  await settled(ana, await said(ana, id, 'true'));
  await expect.poll(() => isFree(deployment, id), PATIENT).toBe(true);
});

test('what a shell was told on behalf of somebody else is gone before the next turn: nobody acts by their words', async () => {
  const deployment = deployed(
    'sandbox: full\napproval: never\nrules:\n  - { name: of ana, decision: deny, actor: ben, op: change, path: /workspace/of-ana }\n',
  );
  const { service, client } = serve(deployment, await obedient(), {
    kept: { ms: LONG_MS, most: 4 },
  });
  const ana = client('ana', 'user');
  const { id } = await begun(ana);
  await settled(ana, await said(ana, id, 'SECRET=of-her-own'));
  const trap = 'ls() { echo x > /workspace/of-ana; }; ls; echo "[$SECRET]"';
  const { turn } = service.queue.submit({
    session: id,
    source: 'channel desk',
    sourceId: '1',
    actor: 'ana',
    text: trap,
    author: { actors: ['ben'], rights: ALL_RIGHTS },
  });
  const trapped = await settled(ana, turn);
  expect(trapped.outcome?.text).toMatch(/of ana.*denie[sd]|denie[sd].*of ana/is);
  expect(trapped.outcome?.text).toContain('[]');
  await settled(ana, await said(ana, id, 'ls /workspace'));
  expect(existsSync(join(deployment, 'workspace/of-ana'))).toBe(false);
});

test('whoever looks at files has at each request the rights of then: of their agent, of the policy, and none when they were put out', async () => {
  const deployment = deployed();
  mkdirSync(join(deployment, 'harness/agents'));
  mkdirSync(join(deployment, 'files'));
  writeFileSync(join(deployment, 'files/f'), 'words');
  const looker = (tools: string): void =>
    writeFileSync(
      join(deployment, 'harness/agents/looker.md'),
      `---\ndescription: looks\n${tools}---\nYou look.\n`,
    );
  looker('');
  const { client, service } = serve(
    deployment,
    await obedient(),
    {},
    { mounts: { '/mnt/f': './files' } },
  );
  const ana = client('ana', 'user', 'looker');
  const statusOf = async (path: string): Promise<number> => (await ana.send('GET', path)).status;
  const search = '/v1/search?query=words&path=/mnt/f';
  expect([await statusOf(search), await statusOf('/v1/files?path=/mnt/f/f')]).toEqual([200, 200]);
  looker('tools: { bash: false }\n');
  expect(await statusOf(search)).toBe(403);
  writeFileSync(
    join(deployment, 'harness/policy.yaml'),
    'sandbox: full\nrules: [{ decision: deny, op: read, path: /mnt/f/**, actor: ana }]\n',
  );
  expect(await statusOf('/v1/files?path=/mnt/f/f')).toBe(403);
  service.principals.remove('ana');
  expect(await statusOf('/v1/files?path=/mnt/f/f')).toBe(401);
});
