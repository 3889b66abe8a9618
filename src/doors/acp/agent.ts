/** The agent of a world, for editors that speak the Agent Client Protocol. */
import {
  type AgentApp,
  type AgentContext,
  agent,
  type FileSystemCapabilities,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type SessionUpdate,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { TurnStatus } from '../../agent/turn-result.ts';
import { ConfigError, isFsError, sentenceOf } from '../../errors.ts';
import { USER } from '../../policy/context.ts';
import { isTransient, type SessionEvent } from '../../session/events.ts';
import { CHANGED } from '../../world/recorder.ts';
import type { Doorway, Visit } from '../door.ts';
import { ask } from './approvals.ts';
import { editorDirectory } from './buffers.ts';
import { type Names, namesOf } from './names.ts';
import { isPlan, planOf } from './plan.ts';
import { promptOf } from './prompt.ts';
import { kindsOf, putQuestion } from './questions.ts';
import { replayOf, updateOf } from './updates.ts';

export interface AcpOptions {
  doorway: Pick<Doorway, 'enter'>;
  /** The agent of the harness that works; its default, if absent. */
  agent?: string;
  /** Instead of the model that the agent's file names. */
  model?: string;
  version: string;
  /** What may be done with the files that the editor has open, in its session's directory; they are not mounted, if absent. */
  editor?: 'ro' | 'rw';
  /** The editor is waited for so long when it is asked for a file, in ms; 10,000 by default. */
  answerMs?: number;
  /** Told what the person in charge should know, a line each. */
  onNotice(line: string): void;
}

/** One conversation of the editor's. */
interface Conversation {
  visit: Visit;
  names: Names;
  /** Ends the turn that runs; null while none does. */
  running: AbortController | null;
  /** Events that were passed on. */
  passed: number;
  /** Its turns begin with a plan. */
  plan: boolean;
  /** A file is read for the one that is next. */
  isReading: boolean;
  ended: AbortController;
}

const STOPS: Readonly<Record<Exclude<TurnStatus, 'error'>, StopReason>> = {
  done: 'end_turn',
  stopped: 'cancelled',
  parked: 'cancelled',
  steps: 'max_turn_requests',
  budget: 'max_tokens',
};

/** An agent that is connected to one editor, over whatever stream it is given. */
export interface AcpAgent {
  app: AgentApp;
  /** Ends the turns that run, and the conversations. */
  close(): Promise<void>;
}

export function createAcpAgent(options: AcpOptions): AcpAgent {
  const conversations = new Map<string, Conversation>();
  const conversationOf = (id: string): Conversation => {
    const found = conversations.get(id);
    if (found === undefined)
      throw RequestError.invalidParams(undefined, `no session ${id} is open`);
    return found;
  };
  let able: FileSystemCapabilities = {};
  let hasForms = false;
  const open = async (
    client: AgentContext,
    session: string,
    directory: string,
  ): Promise<Conversation> => {
    const { agent: name, editor, answerMs } = options;
    const opened = Promise.withResolvers<string>();
    const files = { client, session: opened.promise, directory, able, answerMs };
    const buffered = editor && editorDirectory(files, editor, options.onNotice);
    const names = namesOf(buffered);
    const principal = { actor: USER, session, ...(name === undefined ? {} : { agent: name }) };
    const visit = await told(() =>
      options.doorway.enter(principal, {
        onApproval: (approval, asking) =>
          void ask({ client, visit: asking, names }, approval).catch((error: unknown) =>
            options.onNotice(`the editor could not ask: ${String(error)}`),
          ),
        onQuestion: (question, asking) =>
          void putQuestion({ client, visit: asking, hasForms }, question).catch((error: unknown) =>
            options.onNotice(`the editor could not ask: ${String(error)}`),
          ),
        questionKinds: kindsOf(hasForms),
        buffered,
      }),
    );
    opened.resolve(visit.session);
    const conversation: Conversation = {
      visit,
      names,
      running: null,
      passed: 0,
      plan: false,
      isReading: false,
      ended: new AbortController(),
    };
    conversations.set(visit.session, conversation);
    void follow(client, conversation);
    return conversation;
  };
  const end = async (id: string): Promise<void> => {
    const { visit, running, ended } = conversationOf(id);
    conversations.delete(id);
    running?.abort();
    ended.abort();
    await visit.close();
  };

  const app = agent({ name: 'dirigent' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      able = params.clientCapabilities?.fs ?? {};
      hasForms = params.clientCapabilities?.elicitation?.form != null;
      return {
        protocolVersion: PROTOCOL_VERSION,
        agentInfo: { name: 'dirigent', title: 'Dirigent', version: options.version },
        agentCapabilities: {
          loadSession: true,
          promptCapabilities: { embeddedContext: true },
          sessionCapabilities: { close: {} },
        },
        authMethods: [],
      };
    })
    .onRequest(methods.agent.session.new, async ({ client, params }) => {
      noteServers(params.mcpServers.length, options);
      const { visit } = await open(client, 'new', params.cwd);
      setImmediate(() => void offer(client, visit, options));
      return { sessionId: visit.session, modes: modesOf(false) };
    })
    .onRequest(methods.agent.session.load, async ({ client, params }) => {
      noteServers(params.mcpServers.length, options);
      const known = conversations.get(params.sessionId);
      const { visit, plan } = known ?? (await open(client, params.sessionId, params.cwd));
      for (const update of await past(visit))
        await client.notify(methods.client.session.update, { sessionId: visit.session, update });
      setImmediate(() => void offer(client, visit, options));
      return { modes: modesOf(plan) };
    })
    .onRequest(methods.agent.session.setMode, ({ params }) => {
      const conversation = conversationOf(params.sessionId);
      if (params.modeId !== PLAN && params.modeId !== ACT)
        throw RequestError.invalidParams(undefined, `there is no mode ${params.modeId}`);
      conversation.plan = params.modeId === PLAN;
      return {};
    })
    .onRequest(methods.agent.session.prompt, async ({ params }) => {
      const conversation = conversationOf(params.sessionId);
      return {
        stopReason: await turn(
          conversation,
          promptOf(params.prompt, conversation.names),
          options.model,
        ),
      };
    })
    .onRequest(methods.agent.session.close, ({ params }) => end(params.sessionId))
    .onNotification(methods.agent.session.cancel, ({ params }) => {
      conversations.get(params.sessionId)?.running?.abort();
    });
  return {
    app,
    close: async () => {
      await Promise.all([...conversations.keys()].map(end));
    },
  };
}

const ACT = 'act';
const PLAN = 'plan';

/** The modes of a session: with and without a plan. */
const modesOf = (plan: boolean) => ({
  currentModeId: plan ? PLAN : ACT,
  availableModes: [
    { id: ACT, name: 'Act', description: 'does what it is asked' },
    { id: PLAN, name: 'Plan', description: 'changes nothing before you approve its plan' },
  ],
});

/** A principal, a session or a model that cannot be is the request's fault, and said as it is. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ConfigError) throw RequestError.invalidParams(undefined, error.message);
    if (isFsError(error)) throw RequestError.invalidParams(undefined, sentenceOf(error));
    throw error;
  }
}

async function turn(
  conversation: Conversation,
  prompt: string,
  model: string | undefined,
): Promise<StopReason> {
  if (conversation.running !== null)
    throw RequestError.invalidRequest(
      undefined,
      'a turn of this session is running; cancel it first',
    );
  const stop = new AbortController();
  conversation.running = stop;
  try {
    const result = await told(async () => {
      const agent = await conversation.visit.agent();
      const plan = conversation.plan ? { plan: true } : {};
      return agent.run({
        prompt,
        signal: stop.signal,
        ...plan,
        ...(model === undefined ? {} : { model }),
      });
    });
    await settled(conversation);
    if (result.status !== 'error') return STOPS[result.status];
    throw new RequestError(-32_603, result.error ?? 'the turn failed');
  } finally {
    conversation.running = null;
  }
}

/** Passes on what happens in a session, until it ends. */
async function follow(client: AgentContext, conversation: Conversation): Promise<void> {
  const { visit, names, ended } = conversation;
  for await (const event of visit.events({ signal: ended.signal })) {
    conversation.passed += 1;
    conversation.isReading = true;
    const update = updateOf(event, names) ?? (await planIn(event, visit));
    conversation.isReading = false;
    if (update === null) continue;
    // They are sent in their order; an editor that has gone ends the connection.
    client
      .notify(methods.client.session.update, { sessionId: visit.session, update })
      .catch(() => undefined);
  }
}

/** What a file says now that is a plan by its name; null where no such file has changed. */
async function planIn(event: SessionEvent, { fs }: Visit): Promise<SessionUpdate | null> {
  if (!isTransient(event) || event.type !== CHANGED) return null;
  const path = (event['paths'] as string[]).findLast(isPlan);
  if (path === undefined) return null;
  try {
    return { sessionUpdate: 'plan', entries: planOf(await fs.readFile(path)) };
  } catch (error) {
    if (!isFsError(error)) throw error;
    // It was removed, or may not be read: there is no plan to be shown.
    return { sessionUpdate: 'plan', entries: [] };
  }
}

/** Waits until what a turn told has been passed on: the answer to a prompt comes after it. */
async function settled(conversation: Conversation): Promise<void> {
  for (let before = -1; before !== conversation.passed || conversation.isReading; ) {
    before = conversation.passed;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** What was said in a session so far. */
async function past(visit: Visit): Promise<ReturnType<typeof replayOf>> {
  const log = await visit.fs.readFile('/session/log.jsonl');
  return log
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => replayOf(JSON.parse(line)));
}

/** Tells the editor what can be called with a slash. */
async function offer(client: AgentContext, visit: Visit, options: AcpOptions): Promise<void> {
  try {
    const { commands } = await (await visit.agent()).vocabulary();
    await client.notify(methods.client.session.update, {
      sessionId: visit.session,
      update: {
        sessionUpdate: 'available_commands_update',
        availableCommands: commands.map(({ name, description, arguments: hint }) => ({
          name,
          description: description || 'a prompt of the harness',
          input: { hint: hint || 'what is to be put in it' },
        })),
      },
    });
  } catch (error) {
    options.onNotice(`the commands of the harness cannot be offered: ${String(error)}`);
  }
}

function noteServers(count: number, { onNotice }: AcpOptions): void {
  if (count > 0)
    onNotice(
      'the MCP servers of the editor are not used: a service is mounted by the config (docs/mcp-mounts.md)',
    );
}
