/**
 * The protocol's official inspector, as its command line, lists and calls the
 * tools: on stdio and over streamable HTTP. It is installed for the test, into a
 * directory of its own: 120 packages are too many to depend on.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT, startCli } from '../cli/run-cli.ts';
import { temporaryDirectory } from '../world/harness.ts';

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';
const directory = mkdtempSync(join(tmpdir(), 'dirigent-inspector-'));
const program = join(directory, 'node_modules', '.bin', 'mcp-inspector');
const MAIN = join(ROOT, 'entry', 'main.ts');

afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Ran {
  stdout: string;
  stderr: string;
  status: number | null;
}

async function run(command: string, args: readonly string[], env = {}): Promise<Ran> {
  const child = spawn(command, args, { cwd: directory, env: { ...process.env, ...env } });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (data: Buffer) => {
      printed[name] += data.toString();
    });
  }
  const [status] = (await once(child, 'close')) as [number | null];
  return { ...printed, status };
}

let missing = '';

beforeAll(async () => {
  writeFileSync(join(directory, 'package.json'), '{"private": true}\n');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  const { status, stderr } = await run('npm', ['install', ...options, INSPECTOR]);
  if (status !== 0 || !existsSync(program)) missing = stderr.trim() || 'it was not installed';
}, 300_000);

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
  if (missing !== '') skip(`NOT CHECKED: ${INSPECTOR} cannot be installed here: ${missing}`);
  await expectTools([process.execPath, MAIN, 'mcp']);
});

test('over streamable HTTP the inspector lists and calls the tools', async ({ skip }) => {
  if (missing !== '') skip(`NOT CHECKED: ${INSPECTOR} cannot be installed here: ${missing}`);
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
