/** A turn that was killed: the next one goes on, and does nothing twice. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCli } from '../cli/run-cli.ts';
import { calls, says } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { testAgent, testModel } from './support.ts';

const lines = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];

test('killed between any two entries, a turn is resumed without a side effect done twice', async () => {
  const state = temporaryDirectory();
  const out = temporaryDirectory();
  const mounts = { '/memory': out };
  const agent = await testAgent(
    [
      calls(['bash', { command: 'echo first >> /memory/log' }], ['read', { path: '/memory/log' }]),
      calls(['bash', { command: 'echo second >> /memory/log' }]),
      says('done'),
    ],
    { config: { state, mounts } },
  );
  await agent.run('x');
  const { id } = agent.world.session;
  await agent.world.close();
  const file = join(state, 'sessions', id, 'log.jsonl');
  const whole = lines(file);
  expect(whole.length).toBeGreaterThan(12);
  expect(lines(join(out, 'log'))).toEqual(['first', 'second']);
  const { run, model } = await resumer();
  let interrupted = 0;
  for (let length = 2; length <= whole.length; length++) {
    const cut = join(temporaryDirectory(), 'state');
    mkdirSync(cut);
    cpSync(state, cut, { recursive: true });
    // What a kill after so many entries leaves on the disk.
    writeFileSync(join(cut, 'sessions', id, 'log.jsonl'), `${whole.slice(0, length).join('\n')}\n`);
    const from = model.requests.length;
    expect(await run(cut, id)).toBe('done');
    const messages = model.requests[from]?.messages ?? [];
    const called = messages.flatMap(({ tool_calls = [] }) => tool_calls.map((call) => call.id));
    expect(messages.flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(called);
    // A call that had begun is never forgotten.
    const begun = whole.slice(0, length).filter((line) => line.includes('"turn/call"')).length;
    expect(called.length).toBeGreaterThanOrEqual(begun);
    if (JSON.stringify(messages).includes('[interrupted')) interrupted += 1;
  }
  expect(interrupted).toBeGreaterThan(3);
  expect(lines(join(out, 'log'))).toEqual(['first', 'second']);

  /** Goes on with a session, in a world of its own. */
  async function resumer() {
    const resumed = await testModel([says('gone on')]);
    return {
      model: resumed,
      run: async (cut: string, session: string): Promise<string> => {
        const world = testWorld({ state: cut, mounts }, { session });
        const next = await testAgent([], { world, model: agent.options.model });
        next.options.model = (name) => modelAt(resumed.url, name);
        const { status } = await next.run('go on');
        await world.close();
        return status;
      },
    };
  }
});

async function modelAt(url: string, name: string) {
  const { resolveModel } = await import('../../src/agent/models.ts');
  return resolveModel(name, { env: { OPENAI_BASE_URL: url }, base: '/' });
}

test('kill -9 in the middle of a command: it is shown as interrupted, and not run again by itself', async () => {
  const home = temporaryDirectory();
  const out = temporaryDirectory();
  const model = await testModel((request) =>
    request.messages.at(-1)?.content === 'x'
      ? calls(['bash', { command: 'echo once >> /memory/log; sleep 60' }])
      : says('gone on'),
  );
  const env = { XDG_STATE_HOME: home, OPENAI_BASE_URL: model.url, OPENAI_API_KEY: '' };
  const args = ['--model', 'openai/scripted', '--mount', `/memory=${out}`];
  const child = startCli(['run', ...args, 'x'], { env });
  await expect.poll(() => lines(join(out, 'log')), { timeout: 12_000 }).toEqual(['once']);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('close', resolve));
  const { readdirSync } = await import('node:fs');
  const [session = ''] = readdirSync(join(home, 'dirigent', 'sessions'));
  const next = startCli(['run', ...args, '--session', session, '--json', 'go on'], { env });
  let stdout = '';
  next.stdout.on('data', (data: Buffer) => {
    stdout += data.toString();
  });
  await new Promise((resolve) => next.once('close', resolve));
  expect(JSON.parse(stdout)).toMatchObject({ status: 'done', session, text: 'gone on' });
  expect(lines(join(out, 'log'))).toEqual(['once']);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('[interrupted');
}, 30_000);
