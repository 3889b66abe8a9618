/** The world through the official client of the protocol, of both eras, on stdio and over HTTP. */
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, onTestFinished, test } from 'vitest';
import { cli, MAIN } from '../cli/run-cli.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { type Called, call, connectMcp, ERAS, openMcp, testDoorway } from './support.ts';

const TOOLS = ['bash', 'read', 'write', 'edit', 'verify'];

describe('MCP', () => {
  test.each([
    ['2025', 'legacy'],
    ['2026', { pin: '2026-07-28' }],
  ] as const)(
    'on stdio, %s: the tools are listed, and called with the session behind them',
    async (_, mode) => {
      const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(
        new StdioClientTransport({
          command: process.execPath,
          args: [MAIN, 'mcp'],
          env: { XDG_STATE_HOME: temporaryDirectory() },
        }),
      );
      onTestFinished(() => client.close());
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(TOOLS);
      const done = async (name: string, input: Record<string, unknown>): Promise<Called> =>
        call(client, name, input);
      expect(await done('write', { path: 'f', content: 'a' })).toMatchObject({ failed: false });
      expect(await done('edit', { path: 'f', old: 'a', new: '$&' })).toMatchObject({
        failed: false,
      });
      expect(await done('read', { path: 'f' })).toEqual({ text: '1\t$&', failed: false });
      expect((await done('bash', { command: 'cd /tmp; pwd' })).text).toBe('/tmp');
      expect((await done('bash', { command: 'pwd' })).text).toBe('/tmp');
      const logged = await done('bash', { command: 'grep mcp- /session/log.jsonl | wc -l' });
      expect(logged.text).not.toBe('0');
    },
    30_000,
  );

  test.each(ERAS)(
    'over HTTP, %s: two clients share the world, refusals and faults are results',
    async (era) => {
      const url = await openMcp(testDoorway().doorway);
      const one = await connectMcp(url, era);
      const two = await connectMcp(url, era);
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
    },
  );

  test('on stdio: whoever closes its end as soon as it has asked is answered', async () => {
    const clientInfo = { name: 'x', version: '1' };
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
    const command = 'sleep 0.2; echo done';
    const requests = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { jsonrpc: '2.0', id: 2, method: 'tools/list' },
      {
        jsonrpc: '2.0',
        id: 3,
        method: 'tools/call',
        params: { name: 'bash', arguments: { command } },
      },
    ];
    const { stdout } = await cli(['mcp'], {
      env: { XDG_STATE_HOME: temporaryDirectory() },
      stdin: requests.map((each) => `${JSON.stringify(each)}\n`).join(''),
    });
    const lines = stdout.toString().trimEnd().split('\n');
    const answers = lines.map((line) => JSON.parse(line) as { id: number });
    expect(answers.map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(lines[2]).toContain('done');
  });
});
