/** The world through the official client of the protocol, on stdio and over HTTP. */

import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openAgent } from '../../src/agent/open-agent.ts';
import { serveHttp } from '../../src/mcp/http.ts';
import { createMcpServer } from '../../src/mcp/server.ts';
import { ROOT } from '../cli/run-cli.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return client;
}

interface Called {
  text: string;
  failed: boolean;
}

async function call(client: Client, name: string, input: Record<string, unknown>): Promise<Called> {
  const result = await client.callTool({ name, arguments: input });
  const content = result.content as { text: string }[];
  return { text: content.map(({ text }) => text).join(''), failed: result.isError === true };
}

async function overHttp() {
  const world = testWorld();
  const surface = await (await openAgent(world, { base: '/', env: {} })).surface();
  const serve = () => createMcpServer({ ...surface, version: '1' }).server;
  const http = await serveHttp(0, serve);
  onTestFinished(() => http.close());
  const headers = { authorization: `Bearer ${http.token}` };
  // The transport's type leaves optional what the interface has as possibly undefined.
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(http.url), { requestInit: { headers } }) as Transport;
  return { world, transport };
}

describe('MCP', () => {
  test('on stdio: the four tools are listed, and called with the session behind them', async () => {
    const client = await connect(
      new StdioClientTransport({
        command: process.execPath,
        args: [join(ROOT, 'entry', 'main.ts'), 'mcp'],
        env: { XDG_STATE_HOME: temporaryDirectory() },
      }),
    );
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(['bash', 'read', 'write', 'edit', 'verify']);
    expect(await call(client, 'write', { path: 'f', content: 'a' })).toMatchObject({
      failed: false,
    });
    expect(await call(client, 'edit', { path: 'f', old: 'a', new: '$&' })).toMatchObject({
      failed: false,
    });
    expect(await call(client, 'read', { path: 'f' })).toEqual({ text: '1\t$&', failed: false });
    expect(await call(client, 'bash', { command: 'cd /tmp; pwd' })).toEqual({
      text: '/tmp',
      failed: false,
    });
    expect((await call(client, 'bash', { command: 'pwd' })).text).toBe('/tmp');
    expect(
      (await call(client, 'bash', { command: 'grep mcp- /session/log.jsonl | wc -l' })).text,
    ).not.toBe('0');
  }, 30_000);

  test('over HTTP: two clients share the world, refusals and faults are results', async () => {
    const { transport } = await overHttp();
    const one = await connect(transport());
    const two = await connect(transport());
    await call(one, 'bash', { command: 'echo shared > /workspace/f' });
    expect((await call(two, 'bash', { command: 'cat /workspace/f' })).text).toBe('shared');
    const refused = await call(one, 'write', { path: '/harness/AGENTS.md', content: 'x' });
    expect(refused).toMatchObject({
      failed: true,
      text: expect.stringContaining('Permission denied'),
    });
    const wrong = await call(one, 'read', { file: 'f' });
    expect(wrong).toMatchObject({ failed: true, text: expect.stringContaining('path:') });
    expect((await call(one, 'nosuch', {})).text).toContain('there is no tool "nosuch"');
  });
});
