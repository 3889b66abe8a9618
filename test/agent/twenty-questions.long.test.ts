/** The model that needs no key, over the demo's services: right, or it says that it does not know. */
import { expect, test } from 'vitest';
import type { WorldConfig } from '../../entry/index.ts';
import { openAgent } from '../../src/agent/open-agent.ts';
import { startGithubStandIn } from '../stand-ins/github/index.ts';
import { startLinearStandIn } from '../stand-ins/linear/index.ts';
import { startNotionStandIn } from '../stand-ins/notion/index.ts';
import { testWorld } from '../world/harness.ts';
import { type Asked, TWENTY, TWENTY_OTHERS } from './twenty-questions.ts';

/** What it answers to each, in a session of its own, in one world of all three services. */
async function answers(asked: readonly Asked[]): Promise<string[]> {
  const services = {
    github: await startGithubStandIn(),
    linear: await startLinearStandIn(),
    notion: await startNotionStandIn(),
  };
  const mounts: NonNullable<WorldConfig['mounts']> = { '/mnt/docs': './docs:ro' };
  const env: NodeJS.ProcessEnv = { DIRIGENT_MODEL: 'builtin/extract' };
  for (const [source, { url, token }] of Object.entries(services)) {
    mounts[`/mnt/${source}`] = { source, mode: 'rw', baseUrl: url, tokenEnv: `TOKEN_${source}` };
    env[`TOKEN_${source}`] = token;
  }
  const base = new URL('../..', import.meta.url).pathname;
  const world = testWorld({ mounts }, { env, deployment: base });
  const agent = await openAgent(world, { base, env });
  try {
    const texts: string[] = [];
    for (const { question } of asked) texts.push((await agent.run({ prompt: question })).text);
    return texts;
  } finally {
    await agent.close();
    await world.close();
    await Promise.all(Object.values(services).map((service) => service.close()));
  }
}

const REFUSED = /^I (?:found nothing|cannot count|change nothing)/;

/** Questions that were answered wrongly, with the answer; and those that were not answered. */
async function judge(asked: readonly Asked[]) {
  const texts = await answers(asked);
  const all = asked.map(({ question, right }, index) => {
    const text = texts[index] ?? '';
    const isRight = right.every((part) =>
      typeof part === 'string' ? text.includes(part) : part.test(text),
    );
    return { question, text, isRight, refused: REFUSED.test(text) };
  });
  return {
    right: all.filter(({ isRight }) => isRight).length,
    wrong: all.filter(({ isRight, refused }) => !isRight && !refused),
    refused: all.filter(({ isRight, refused }) => !isRight && refused),
  };
}

test.for([
  ['the twenty questions', TWENTY],
  ['the twenty others', TWENTY_OTHERS],
] as const)('of %s at least 16 are answered right, and none wrongly', async ([, asked]) => {
  const { right, wrong, refused } = await judge(asked);
  expect(wrong).toEqual([]);
  expect(right, JSON.stringify(refused, null, 1)).toBeGreaterThanOrEqual(16);
});
