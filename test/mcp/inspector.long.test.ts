/**
 * The protocol's official inspector, as its command line, lists and calls the
 * tools: on stdio and over streamable HTTP. It is installed for the test, into a
 * directory of its own: 120 packages are too many to depend on.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, startCli } from '../cli/run-cli.ts';
import { installed, type Ran } from '../support/installed.ts';
import { temporaryDirectory } from '../world/harness.ts';

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';
const { directory, missing, run } = installed('inspector', [INSPECTOR]);
const program = join(directory, 'node_modules', '.bin', 'mcp-inspector');
const MAIN = join(ROOT, 'entry', 'main.ts');

/** The inspector, with the server that it starts or reaches. */
const inspect = (target: readonly string[], ...args: string[]): Promise<Ran> =>
  run(program, ['--cli', ...target, ...args], {
    XDG_STATE_HOME: join(directory, 'state'),
    HOME: directory,
  });

const call = (tool: string, ...pairs: string[]): string[] => [
  ...['--method', 'tools/call', '--tool-name', tool],
  ...pairs.flatMap((pair) => ['--tool-arg', pair]),
];

interface Result {
  content: { text: string }[];
  isError: boolean;
}

async function expectTools(target: readonly string[]): Promise<void> {
  const list = await inspect(target, '--method', 'tools/list', '--strict');
  expect(list.status, list.stderr).toBe(0);
  const { tools } = JSON.parse(list.stdout) as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).toEqual(['bash', 'read', 'write', 'edit', 'verify']);
  const ran = await inspect(target, ...call('bash', 'command=echo from a world'));
  expect(ran.status, ran.stderr).toBe(0);
  expect(JSON.parse(ran.stdout)).toMatchObject({
    content: [{ text: 'from a world' }],
    isError: false,
  });
  const refused = await inspect(target, ...call('write', 'path=/harness/AGENTS.md', 'content=x'));
  const { content, isError } = JSON.parse(refused.stdout) as Result;
  expect([isError, content[0]?.text]).toEqual([true, expect.stringContaining('Permission denied')]);
}

test('on stdio the inspector lists and calls the tools', async ({ skip }) => {
  if (missing() !== '') skip(`NOT CHECKED: ${INSPECTOR} cannot be installed here: ${missing()}`);
  await expectTools([process.execPath, MAIN, 'mcp']);
});

test('over streamable HTTP the inspector lists and calls the tools', async ({ skip }) => {
  if (missing() !== '') skip(`NOT CHECKED: ${INSPECTOR} cannot be installed here: ${missing()}`);
  const server = startCli(['mcp', '--http', '0'], {
    env: { XDG_STATE_HOME: temporaryDirectory(), DIRIGENT_MCP_TOKEN: 'a-token' },
    stdin: null,
  });
  const [said] = (await once(server.stderr, 'data')) as [Buffer];
  const [url = ''] = /http:\S+/.exec(said.toString()) ?? [];
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
  await expectTools([url, '--transport', 'http', '--header', 'Authorization: Bearer a-token']);
  server.kill('SIGTERM');
});
