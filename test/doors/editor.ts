/** An editor on an agent of a world of its own: the protocol's own client side, and a scripted model. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type ActiveSession,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  client,
  type RequestPermissionRequest,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { onTestFinished } from 'vitest';
import { createWorld } from '../../entry/index.ts';
import { createAcpAgent } from '../../src/doors/acp/agent.ts';
import { openDoorway } from '../../src/doors/doorway.ts';
import { type Script, startModel } from '../stand-ins/model/index.ts';
import { temporaryDirectory } from '../world/harness.ts';

const POLICY = `sandbox: full
approval: ask
rules:
  - { name: asked, decision: ask, op: change, path: /workspace/asked }
  - { name: locked, decision: deny, op: change, path: /mnt/editor/locked.ts }
`;

type Asked = (request: RequestPermissionRequest) => string | null;

/** What an editor does when it is asked for a file, and what `--editor` said. */
export interface OpenFiles {
  mode: 'ro' | 'rw';
  read?(file: string): string | Promise<string>;
  write?(file: string, text: string): void;
  answerMs?: number;
}

/** An editor that is connected to an agent on a deployment of its own. */
export async function editor(
  script: Script,
  asked: Asked = () => null,
  deployment = temporaryDirectory(),
  open?: OpenFiles,
  form?: (request: CreateElicitationRequest) => CreateElicitationResponse,
) {
  mkdirSync(join(deployment, 'harness', 'prompts'), { recursive: true });
  writeFileSync(join(deployment, 'harness/policy.yaml'), POLICY);
  writeFileSync(join(deployment, 'harness/prompts/greet.md'), 'Greet $ARGUMENTS warmly.\n');
  const model = await startModel(script);
  const doorway = openDoorway({
    door: 'acp',
    state: join(deployment, '.dirigent'),
    open: (session, _actor, buffered) =>
      createWorld({}, { deployment, buffered, ...(session === undefined ? {} : { session }) }),
    host: { base: deployment, env: { OPENAI_BASE_URL: model.url, DIRIGENT_MODEL: 'openai/m' } },
  });
  const notices: string[] = [];
  const acp = createAcpAgent({
    doorway,
    version: '1',
    onNotice: (line) => notices.push(line),
    ...(open === undefined ? {} : { editor: open.mode }),
    ...(open?.answerMs === undefined ? {} : { answerMs: open.answerMs }),
  });
  const replayed: SessionUpdate[] = [];
  const app = client({ name: 'editor' })
    .onRequest('session/request_permission', ({ params }) => {
      const optionId = asked(params);
      return {
        outcome: optionId === null ? { outcome: 'cancelled' } : { outcome: 'selected', optionId },
      };
    })
    .onRequest('elicitation/create', ({ params }) => form?.(params) ?? { action: 'cancel' })
    .onRequest('fs/read_text_file', async ({ params }) => ({
      content: (await open?.read?.(params.path)) ?? '',
    }))
    .onRequest('fs/write_text_file', ({ params }) => {
      open?.write?.(params.path, params.content);
      return {};
    })
    .onNotification('session/update', ({ params }) => void replayed.push(params.update));
  const connection = app.connect(acp.app);
  const close = async (): Promise<void> => {
    connection.close();
    await acp.close();
    await doorway.close();
    await model.close();
  };
  onTestFinished(close);
  const { agent } = connection;
  const { protocolVersion, agentCapabilities } = await agent.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: {
      ...(form === undefined ? {} : { elicitation: { form: {} } }),
      fs: { readTextFile: open?.read !== undefined, writeTextFile: open?.write !== undefined },
    },
  });
  return { agent, model, notices, replayed, protocolVersion, agentCapabilities, deployment, close };
}

/** All that a session is told of one prompt, and how it stopped. */
export async function prompted(
  session: ActiveSession,
  prompt: Parameters<ActiveSession['prompt']>[0],
): Promise<{ updates: SessionUpdate[]; stopReason: string }> {
  const updates: SessionUpdate[] = [];
  session.prompt(prompt).catch(() => undefined);
  for (;;) {
    const message = await session.nextUpdate();
    if (message.kind === 'stop') return { updates, stopReason: message.stopReason };
    updates.push(message.update);
  }
}

export const ofKind = (updates: readonly SessionUpdate[], kind: SessionUpdate['sessionUpdate']) =>
  updates.filter(({ sessionUpdate }) => sessionUpdate === kind);
