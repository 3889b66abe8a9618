/** A turn that is cut off where a process could be killed, and goes on in another. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { calls, says } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';
import { testAgent, testModel } from './support.ts';

export const lines = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : [];

/**
 * Resumes a turn that was killed between two entries, for every so-many-th pair of them: no side
 * effect is done twice.
 * @returns how often a call was under way
 */
export async function killedBetweenEntries(every: number): Promise<number> {
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
  for (let length = 2; length <= whole.length; length += every) {
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
  expect(lines(join(out, 'log'))).toEqual(['first', 'second']);
  return interrupted;

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
}

async function modelAt(url: string, name: string) {
  const { resolveModel } = await import('../../src/agent/models.ts');
  return resolveModel(name, { env: { OPENAI_BASE_URL: url }, base: '/' });
}
