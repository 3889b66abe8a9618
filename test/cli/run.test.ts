/** `dirigent run` as a process; and what the plain shell does not load. */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { testModel } from '../agent/support.ts';
import { calls, says } from '../stand-ins/model/index.ts';
import { temporaryDirectory } from '../world/harness.ts';
import { cli, ROOT } from './run-cli.ts';

test('run prints the answer of a model of OPENAI_BASE_URL, and --session goes on', async () => {
  const model = await testModel([
    calls(['bash', { command: 'echo hi' }]),
    says('It said ', 'hi.'),
    says('again'),
  ]);
  const env = {
    XDG_STATE_HOME: temporaryDirectory(),
    OPENAI_BASE_URL: model.url,
    DIRIGENT_MODEL: 'openai/scripted',
  };
  const first = await cli(['run', '--json'], { env, stdin: 'say hi' });
  const report = JSON.parse(first.stdout.toString());
  expect(report).toMatchObject({ status: 'done', text: 'It said hi.', steps: 2 });
  const second = await cli(['run', '--session', report.session, 'and again'], { env });
  expect([second.stdout.toString(), second.stderr, second.status]).toEqual(['again\n', '', 0]);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('It said hi.');
});

test('run without a key searches and quotes with paths and lines that resolve', async () => {
  const env = { XDG_STATE_HOME: temporaryDirectory() };
  const docs = join(ROOT, 'docs');
  const args = ['--model', 'builtin/extract', '--mount', `/mnt/docs=${docs}:ro`];
  const question = ['run', '--cite', ...args, 'How do I mount a directory?'];
  const { stdout, status } = await cli(question, { env });
  const text = stdout.toString();
  expect(text).toContain('no language model');
  expect(text).toMatch(/^holds \/mnt\/docs\/.*:\d+/m);
  expect(text).not.toMatch(/^(?:false|unchecked) /m);
  expect(status).toBe(0);
});

test('run says what is wrong before it asks anything, with exit status 2', async () => {
  const env = { XDG_STATE_HOME: temporaryDirectory() };
  const model = await cli(['run', '--model', 'foo/bar', 'hi'], { env });
  expect([model.status, model.stderr]).toEqual([2, expect.stringContaining('builtin/extract')]);
  const agent = await cli(['run', '--agent', 'nobody', 'hi'], { env });
  expect([agent.status, agent.stderr]).toEqual([
    2,
    expect.stringContaining('there is no agent "nobody"'),
  ]);
});

test('the shell loads nothing of the AI SDK, of MCP, nor of the agent', () => {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const source = readFileSync(file, 'utf8');
    for (const [, type, name = ''] of source.matchAll(
      /^(?:import|export)\s+(type\s)?[^'";]*?from\s+'([^']+)'|^import '([^']+)'/gms,
    )) {
      if (type !== undefined) continue;
      if (name.startsWith('.')) visit(resolve(dirname(file), name));
      else packages.add(name);
    }
  };
  for (const entry of [
    'entry/main',
    'entry/installation',
    'src/cli/run',
    'src/cli/sh',
    'src/cli/interactive',
    'src/world/world',
    'src/world/worker',
    'mounts/index',
  ])
    visit(join(ROOT, `${entry}.ts`));
  expect(packages).toContain('just-bash');
  expect([...packages].filter((name) => /^(ai|@ai-sdk|@modelcontextprotocol)/.test(name))).toEqual(
    [],
  );
  expect([...seen].filter((file) => file.includes('/src/agent/'))).toEqual([]);
});
