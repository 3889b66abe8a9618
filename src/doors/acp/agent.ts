/** The agent of a world, for editors that speak the Agent Client Protocol. */
import {
  type AgentApp,
  type AgentContext,
  agent,
  type FileSystemCapabilities,
  methods,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk';
import { USER } from '../../policy/context.ts';
import type { Doorway, Visit } from '../door.ts';
import { ask } from './approvals.ts';
import { editorDirectory } from './buffers.ts';
import { type Conversation, follow, past, told, turn } from './conversation.ts';
import { namesOf } from './names.ts';
import { promptOf } from './prompt.ts';
import { kindsOf, putQuestion } from './questions.ts';

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
