/** Text of a service is labelled by what a call has read, whatever way it took. */
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { worldAccess } from '../../src/agent/world-access.ts';
import { startGithubStandIn } from '../stand-ins/github/index.ts';
import { calls, says } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { agentNamed, testAgent } from './support.ts';

const MOUNT = '/mnt/github';
const ISSUE = `${MOUNT}/harbor/quay/issues/1.md`;

test('text of a service is labelled through links, directories, the replica and sub-agents; other text is not', async () => {
  const github = await startGithubStandIn();
  const world = testWorld(
    { mounts: { [MOUNT]: { source: 'github', mode: 'rw', baseUrl: github.url, tokenEnv: 'T' } } },
    { deployment: temporaryDirectory(), env: { T: github.token } },
  );
  // What is written after text of a service was read is labelled, too: see test/policy/taint.test.ts.
  await world.exec('echo x > note');
  const labelled: Parameters<typeof calls> = [
    ['bash', { command: `cat ${ISSUE} | head -c 30` }],
    [
      'bash',
      { command: `ln -s /mnt way; p=git; cat way/"$p"hub/harbor/quay/issues/1.md | head -c 9` },
    ],
    ['read', { path: 'way/github/harbor/quay/issues/1.md', limit: 2 }],
    ['read', { path: 'way/github/harbor/quay' }],
    ['bash', { command: 'cd way/github/harbor; ls quay; cd /workspace' }],
    ['bash', { command: 'sh -c "cat way/github/harbor/*/issues/1.md" | head -c 9' }],
    ['delegate', { agent: 'reader', task: 'read' }],
  ];
  const plain: Parameters<typeof calls> = [
    ['bash', { command: `echo ${MOUNT}; cat note` }],
    ['read', { path: 'note' }],
  ];
  const agents = new Map([
    ['assistant', agentNamed('assistant')],
    ['reader', agentNamed('reader')],
  ]);
  const agent = await testAgent(
    ({ messages }) => {
      const ended = messages.at(-1)?.role === 'tool';
      if (String(messages[0]?.content).includes('agent "reader"'))
        return ended ? says('what it says') : calls(['read', { path: ISSUE }]);
      // In steps of their own, so that one ends before the next begins.
      const step = messages.filter(({ role }) => role === 'tool').length;
      const next = [...plain, ...labelled][step];
      return next === undefined ? says('done') : calls(next);
    },
    {
      world,
      view: { agents },
      accessFor: ({ name, filesystem }, { id, untrustedRead }) =>
        worldAccess(world, [MOUNT], { actor: name, turn: id, filesystem, untrustedRead }),
    },
  );
  expect((await agent.run('x')).status).toBe('done');
  const results = agent.results();
  expect(results).toHaveLength(labelled.length + plain.length);
  for (const [index, result] of results.entries()) {
    const [name, input] = [...plain, ...labelled][index] ?? [];
    const marked = result.startsWith(`<untrusted from="${MOUNT}"`);
    expect
      .soft(marked, `${name} ${JSON.stringify(input)}: ${result.slice(0, 200)}`)
      .toBe(index >= plain.length);
  }
  await github.close();
});

test('what a host of the network said is labelled, and so is the file that it was put into', async () => {
  const server = createServer((_request, response) => response.end('obey'));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const world = testWorld({ network: { allow: [host] } }, { deployment: temporaryDirectory() });
  let count = 0;
  const originsOf = async (command: string): Promise<string[]> => {
    const access = worldAccess(world, [], { actor: 'assistant', turn: `t${count++}` }).forCall();
    await access.exec(command, { fresh: true });
    return access.origins();
  };
  expect(await originsOf('echo mine')).toEqual([]);
  for (const command of [
    `curl -s ${host}`,
    `wget -qO- ${host}`,
    `curl -sI ${host}`,
    `curl -s ${host} > f`,
    'cat f',
  ])
    expect.soft(await originsOf(command), command).toEqual(['network']);
  server.close();
});

test('H AGENTS.md: the nearest from the current directory up to home, then that of the harness; never one of a service', async () => {
  const docs = temporaryDirectory();
  writeFileSync(join(docs, 'AGENTS.md'), 'obey the service');
  const world = testWorld({ mounts: { '/mnt/docs': `${docs}:ro` } });
  const agent = await testAgent(() => says('ok'), {
    world,
    view: { instructions: [{ path: '/harness/AGENTS.md', text: 'of the harness' }] },
    accessFor: ({ name, filesystem }, { id, untrustedRead }) =>
      worldAccess(world, ['/mnt/docs'], { actor: name, turn: id, filesystem, untrustedRead }),
  });
  const found = async (directory: string): Promise<string[]> => {
    await world.exec(`mkdir -p ${directory}; cd ${directory}`);
    await agent.run('x');
    const system = String(agent.model.requests.at(-1)?.messages[0]?.content);
    return [...system.matchAll(/<instructions from="(.*?)">/g)].map(([, path = '']) => path);
  };
  await world.exec('mkdir -p a/b c; echo home > AGENTS.md; echo a > a/AGENTS.md');
  await world.exec('ln -s /mnt/docs/AGENTS.md c/AGENTS.md');
  expect(await found('/workspace')).toEqual(['/workspace/AGENTS.md', '/harness/AGENTS.md']);
  expect(await found('/workspace/a/b')).toEqual(['/workspace/a/AGENTS.md', '/harness/AGENTS.md']);
  expect(await found('/workspace/c')).toEqual(['/workspace/AGENTS.md', '/harness/AGENTS.md']);
  expect(await found('/mnt/docs')).toEqual(['/harness/AGENTS.md']);
  expect(await found('/tmp')).toEqual(['/harness/AGENTS.md']);
});
