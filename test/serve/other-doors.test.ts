/** A server with other doors beside its own: MCP and SSH, for the same people. */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { parseInvocation } from '../../src/cli/options.ts';
import { generateKeyPair } from '../../src/doors/ssh/key-pair.ts';
import { cli, startCli } from '../cli/run-cli.ts';
import { connected, run } from '../doors/ssh-client.ts';
import { deployed } from './support.ts';

/** A client of the MCP door. */
async function enter(url: string, token: string): Promise<Client> {
  const client = new Client({ name: 'a client', version: '1' });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  return client;
}

test('with --mcp and --ssh the tokens and the keys of people open these doors, on the files of the same deployment', async () => {
  const deployment = deployed();
  writeFileSync(join(deployment, 'dirigent.config.mjs'), 'export default {};\n');
  const key = generateKeyPair();
  const keys = join(deployment, 'authorized_keys');
  writeFileSync(keys, `actor="ben" ${key.public}\n`, { mode: 0o600 });
  const there = ['--deployment', deployment];
  const add = async (name: string, role: string) =>
    (await cli(['serve', 'token', 'add', name, '--role', role, ...there])).stdout.toString().trim();
  const [ana, vera] = [await add('ana', 'user'), await add('vera', 'viewer')];

  const server = startCli(['serve', '--port', '0', '--mcp', '0', '--ssh', '0', ...there], {
    stdin: null,
  });
  let said = '';
  server.stderr.on('data', (part: Buffer) => {
    said += String(part);
  });
  await expect.poll(() => said).toMatch(/serving http:\S+:\d+\n/);
  const [, mcp = ''] = /serving (http:\S+\/mcp) to MCP clients/.exec(said) ?? [];
  const [, port = ''] = /serving ssh:\/\/127\.0\.0\.1:(\d+), to the keys of /.exec(said) ?? [];

  const client = await enter(mcp, ana);
  await client.callTool({ name: 'bash', arguments: { command: 'echo by ana > /workspace/a' } });
  const ssh = await connected(Number(port), { privateKey: key.private });
  expect(await run(ssh, 'cat /workspace/a')).toMatchObject({ stdout: 'by ana\n', status: 0 });
  const listed = await cli(['doors', '--json', ...there]);
  const doors = JSON.parse(listed.stdout.toString()) as { door: string; clients: object[] }[];
  expect(doors.map(({ door, clients }) => [door, clients]).sort()).toEqual([
    ['http', []],
    ['mcp', [expect.objectContaining({ actor: 'ana' })]],
    ['ssh', [expect.objectContaining({ actor: 'ben' })]],
  ]);

  // Whoever may only look has no session, and whoever was removed has none any more.
  await expect(enter(mcp, vera)).rejects.toThrow();
  await cli(['serve', 'token', 'remove', 'ana', ...there]);
  await expect(client.callTool({ name: 'bash', arguments: { command: 'true' } })).rejects.toThrow();

  ssh.end();
  server.kill('SIGTERM');
  expect(await once(server, 'exit')).toEqual([0, null]);
});

test('a door that cannot be opened is told of, and the server does not begin', async () => {
  const deployment = deployed();
  writeFileSync(join(deployment, 'dirigent.config.mjs'), 'export default {};\n');
  const there = ['--deployment', deployment];
  const none = await cli(['serve', '--port', '0', '--ssh', '0', ...there]);
  expect([none.status, none.stderr]).toEqual([2, expect.stringContaining('authorized_keys')]);
});

test('a port that somebody else has is named, with the option that it was given by', async () => {
  const deployment = deployed();
  writeFileSync(join(deployment, 'dirigent.config.mjs'), 'export default {};\n');
  const keys = join(deployment, 'authorized_keys');
  writeFileSync(keys, `actor="ben" ${generateKeyPair().public}\n`, { mode: 0o600 });
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  onTestFinished(() => void taken.close());
  const port = String((taken.address() as AddressInfo).port);
  for (const [option, ...command] of [
    ['--port', 'ssh'],
    ['--http', 'mcp'],
    ['--mcp', 'serve', '--port', '0'],
    ['--ssh', 'serve', '--port', '0'],
  ]) {
    const { status, stderr } = await cli([
      ...command,
      option ?? '',
      port,
      '--deployment',
      deployment,
    ]);
    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining(`${option}: ${port} is taken on 127.0.0.1; name another one, or 0`),
    ]);
  }
});

test.each([
  [['serve', '--mcp', 'x'], '--mcp "x" is no port'],
  [['serve', '--ssh', '70000'], '--ssh "70000" is no port'],
  [['serve', '--stdio', '--mcp', '1'], 'with --stdio nothing listens'],
  [['serve', '--authorized-keys', 'f'], '--authorized-keys is for --ssh PORT'],
])('%j says what is wrong', (args, message) => {
  expect(() => parseInvocation(args, [])).toThrow(message);
});
