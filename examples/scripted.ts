/** For the examples: a model that follows a script behind an OpenAI-compatible server, unless there is a real one. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import {
  type ChatRequest,
  type Reply,
  type Script,
  startModel,
  textOf,
} from '../test/stand-ins/model/index.ts';

export { calls, type Reply, says } from '../test/stand-ins/model/index.ts';

/** Uses the model that the environment names; else starts one that follows the script. */
export async function useModel(script: Script): Promise<void> {
  if (env['DIRIGENT_MODEL'] !== undefined || env['OPENAI_API_KEY'] !== undefined) return;
  env['OPENAI_BASE_URL'] = (await startModel(script)).url;
  env['DIRIGENT_MODEL'] = 'openai/scripted';
}

/** A directory for the state of one run, gone when it ends. */
export function freshState(): string {
  const state = mkdtempSync(join(tmpdir(), 'dirigent-example-'));
  process.on('exit', () => rmSync(state, { recursive: true, force: true }));
  return state;
}

/** What the tools gave since the last prompt, in order. */
function resultsSince({ messages }: ChatRequest): string[] {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  return messages
    .slice(asked + 1)
    .flatMap((message) => (message.role === 'tool' ? [textOf(message)] : []));
}

/** One reply after the other, each made from what the tools gave so far. */
export const inTurn =
  (...steps: ((results: string[]) => Reply)[]): Script =>
  (request) => {
    const results = resultsSince(request);
    const step = steps[Math.min(results.length, steps.length - 1)];
    if (step === undefined) throw new Error('the script is empty');
    return step(results);
  };
