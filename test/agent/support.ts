/** An agent in a world, talking to a scripted model over HTTP. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import {
  createWorld,
  type Entry,
  type SessionLog,
  type World,
  type WorldConfig,
} from '../../entry/index.ts';
import { type AgentOptions, type RunRequest, runAgent } from '../../src/agent/agent.ts';
import type { HarnessView } from '../../src/agent/harness-view.ts';
import { Ledger } from '../../src/agent/ledger.ts';
import { resolveModel } from '../../src/agent/models.ts';
import { sessionTranscript } from '../../src/agent/session-transcript.ts';
import { agentNamed, byName, commandNamed, harnessOf } from '../../src/agent/testing-agent.ts';
import type { AgentTool } from '../../src/agent/tool.ts';
import type { Transcript, TurnEvent } from '../../src/agent/transcript.ts';
import type { TurnResult } from '../../src/agent/turn-result.ts';
import { worldAccess } from '../../src/agent/world-access.ts';
import { createSession } from '../../src/session/open.ts';
import { sessionPlace } from '../../src/session/place.ts';
import { atEndOfFile } from '../file-end.ts';
import { type ModelStandIn, type Script, startModel } from '../stand-ins/model/index.ts';
import { temporaryDirectory, testWorld } from '../world/harness.ts';

export { agentNamed, commandNamed };

/** A message as the log has it. */
export interface LoggedMessage {
  role: string;
  content: string | { type: string; [field: string]: unknown }[];
}

export interface TestAgent {
  world: World;
  /** What the turns are kept in. */
  session: SessionLog;
  model: ModelStandIn;
  /** What passed, in order. */
  events: TurnEvent[];
  options: AgentOptions;
  run(prompt: string, request?: Omit<RunRequest, 'prompt'>): Promise<TurnResult>;
  messages(): LoggedMessage[];
  /** Results of tools as the model read them, in order. */
  results(): string[];
}

/** What a test's turns may spend, counted in memory. */
export function budgetFor(more: Partial<AgentOptions['budget']> = {}): AgentOptions['budget'] {
  return { limits: {}, ledger: new Ledger(':memory:'), requests: () => 0, ...more };
}

/** A model that is stopped when the test ends. */
export async function testModel(script: Script): Promise<ModelStandIn> {
  const model = await startModel(script);
  onTestFinished(() => model.close());
  return model;
}

export interface TestAgentOptions extends Partial<AgentOptions> {
  config?: WorldConfig;
  world?: World;
  tools?: AgentTool[];
  view?: Partial<HarnessView>;
}

/** One for all tests of a file that need no config of their own: a world's start is most of such a test. */
const shared: { world: World | null; state: string } = { world: null, state: '' };

function share(): World {
  const state = mkdtempSync(join(tmpdir(), 'dirigent-test-'));
  const world = createWorld({ state });
  Object.assign(shared, { world, state });
  atEndOfFile(async () => {
    shared.world = null;
    await world.close();
    rmSync(state, { recursive: true, force: true });
  });
  return world;
}

/** The shared world with an empty disk, and a session of the test's own. */
async function freshShare(): Promise<{ world: World; session: SessionLog }> {
  const world = shared.world ?? share();
  await world.exec('cd /workspace; rm -rf /workspace/* /workspace/.[!.]*');
  const session = createSession(sessionPlace(shared.state));
  onTestFinished(() => session.close());
  return { world, session };
}

function ownWorld(given: World | undefined, config: WorldConfig | undefined) {
  const world = given ?? testWorld(config);
  return { world, session: world.session };
}

/** An agent whose model answers by the script. Without a world or a config it has part of a shared one. */
export async function testAgent(script: Script, more: TestAgentOptions = {}): Promise<TestAgent> {
  const { config, tools = [], view, ...rest } = more;
  const isShared = more.world === undefined && config === undefined;
  const { world, session: log } = isShared ? await freshShare() : ownWorld(more.world, config);
  const model = await testModel(script);
  const events: TurnEvent[] = [];
  const sources = { env: { OPENAI_BASE_URL: model.url }, base: '/' };
  const session = sessionTranscript(log);
  const transcript: Transcript = {
    ...session,
    emit: (event) => {
      events.push(event);
      session.emit(event);
    },
  };
  const harness = harnessOf({
    agents: byName(agentNamed('assistant')),
    tools,
    ...view,
  });
  const options: AgentOptions = {
    transcript,
    harness: async () => harness,
    accessFor: ({ name, filesystem }, { id, untrustedRead, rules }) =>
      worldAccess(world, [], { actor: name, turn: id, filesystem, untrustedRead, rules }),
    transcriptFor: () => {
      const log = createSession(sessionPlace(temporaryDirectory()));
      onTestFinished(() => log.close());
      return sessionTranscript(log);
    },
    model: (id) => resolveModel(id, sources),
    defaultModel: 'openai/scripted',
    mounts: world.mounts.map(({ point }) => point),
    scheduled: async () => [],
    contextWindow: 128_000,
    facts: async () => ({}),
    budget: budgetFor(),
    ...rest,
  };
  const logged = (): LoggedMessage[] =>
    log
      .entries()
      .filter((entry: Entry) => entry.type === 'message')
      .map((entry) => entry['message'] as LoggedMessage);
  return {
    world,
    session: log,
    model,
    events,
    options,
    run: (prompt, request = {}) => runAgent(options, { prompt, ...request }),
    messages: logged,
    results: () =>
      logged()
        .filter(({ role }) => role === 'tool')
        .flatMap(({ content }) =>
          (content as unknown as { output: { value: string } }[]).map(({ output }) => output.value),
        ),
  };
}
