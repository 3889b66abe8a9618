/**
 * Ways to carry a service's text that only an agent has: another agent's answer, a summary of
 * what was said, the memory that is written before it, a script of the harness as a tool. The
 * turn that meets the text has read it, and so has whoever meets what that turn wrote.
 */
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { World } from '../../entry/index.ts';
import { type Agent, openAgent } from '../../src/agent/open-agent.ts';
import { type GithubStandIn, startGithubStandIn } from '../stand-ins/github/index.ts';
import {
  type ChatRequest,
  calls,
  type Reply,
  says,
  startModel,
  textOf,
} from '../stand-ins/model/index.ts';
import { deployed, run, SOURCES, TEXT } from './channels.ts';

type Call = Parameters<typeof calls>[0];

let github: GithubStandIn;
beforeAll(async () => {
  github = await startGithubStandIn();
});
afterAll(() => github.close());

/** Some of these fill a window of 40,000 tokens. */
const LONG = 'word '.repeat(8000);

/** A model that makes the call that it is prompted with, and repeats the text wherever it can. */
function obedient(source: string) {
  return ({ messages }: ChatRequest): Reply => {
    const [system, last] = [messages[0], messages.at(-1)].map((each) =>
      each === undefined ? '' : textOf(each),
    ) as [string, string];
    if (last.includes('Summarise the conversation above')) return says(`## Summary\n${TEXT}`);
    if (system.includes('keep the memory')) return says(`- ${TEXT}, it is said`);
    const answered = messages.at(-1)?.role === 'tool';
    if (system.includes('You are the reader.'))
      return answered ? says(TEXT) : calls(['bash', { command: `cat ${source}` }]);
    return answered ? says(`done ${LONG}`) : calls(JSON.parse(last) as Call);
  };
}

interface Played {
  world: World;
  /** Lets the agent make one call in a turn; gives what the call came to. */
  turn(...call: Call): Promise<string>;
  /** A command, in a shell that begins anew: what its shell has read says nothing. */
  command(command: string): Promise<string>;
}

async function played(world: World, deployment: string, source: string): Promise<Played> {
  const model = await startModel(obedient(source));
  onTestFinished(() => model.close());
  const env = { OPENAI_BASE_URL: model.url, DIRIGENT_MODEL: 'openai/m' };
  const agent: Agent = await openAgent(world, { base: deployment, env }, { contextWindow: 40_000 });
  onTestFinished(() => agent.close());
  const turn: Played['turn'] = async (...call) => {
    const result = await agent.run({ prompt: JSON.stringify(call) });
    expect(result.status, result.error).toBe('done');
    const answered = model.requests.at(-1)?.messages.findLast(({ role }) => role === 'tool');
    return answered === undefined ? '' : textOf(answered);
  };
  return { world, turn, command: (command) => turn('bash', { command, restart: true }) };
}

const summaries = ({ session }: World) =>
  session.entries().filter(({ type }) => type === 'compaction');

/** How the text comes to the agent. */
const WAYS: [name: string, carry: (played: Played, source: string) => Promise<void>][] = [
  [
    'the answer of another agent',
    async ({ turn }) => {
      expect(await turn('delegate', { agent: 'reader', task: 'read' })).toContain(TEXT);
    },
  ],
  [
    'a script of the harness that is a tool',
    async ({ turn }) => {
      expect(await turn('fetched', {})).toContain(TEXT);
    },
  ],
  [
    'a summary, when what was read is out of sight',
    async ({ command, world }, source) => {
      await command(`cat ${source}`);
      for (let more = 0; more < 8 && summaries(world).length < 2; more++) await command('echo 1');
      expect(summaries(world).length).toBeGreaterThanOrEqual(2);
    },
  ],
];

describe.each(SOURCES)('text of $whose', ({ source, expected }) => {
  test.each(WAYS)('in %s', async (_, carry) => {
    const { deployment, open } = deployed(source, github);
    const world = open();
    const play = await played(world, deployment, source);
    await carry(play, source);
    const refused = await play.command('echo x > /workspace/guarded');
    expect(refused.includes('no orders'), refused).toBe(expected.length > 0);
    await play.command('echo x > kept');
    const summarised = summaries(world).length > 0;
    await world.close();
    const later = open();
    onTestFinished(() => later.close());
    const looks = ['cat kept', ...(summarised ? ['cat /memory/*.md'] : [])];
    for (const look of [...looks, 'cat /session/past/*/log.jsonl'])
      expect
        .soft(await run(later, look, true), look)
        .toMatchObject({ origins: expected, exitCode: 0 });
  });
});
