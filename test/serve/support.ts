/** A served deployment for tests: its agent speaks to a scripted model, and its clients to the routes themselves. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createWorld, type WorldConfig } from '../../entry/index.ts';
import type { Doorway } from '../../src/doors/door.ts';
import { type DoorwayOptions, openDoorway } from '../../src/doors/doorway.ts';
import { partsSchema, planParts } from '../../src/parts/config.ts';
import type { Approval } from '../../src/policy/approval.ts';
import { createApp } from '../../src/serve/http/app.ts';
import type { ServeApp } from '../../src/serve/http/identity.ts';
import type { QueuedTurn } from '../../src/serve/queue/turn.ts';
import type { Role } from '../../src/serve/rights.ts';
import { Service, type ServiceOptions } from '../../src/serve/service.ts';
import type { SessionSummary } from '../../src/serve/sessions.ts';
import { type ModelStandIn, type Script, startModel } from '../stand-ins/model/index.ts';
import { temporaryDirectory } from '../world/harness.ts';

const POLICY = `sandbox: full
approval: ask
rules:
  - { name: asked, decision: ask, op: change, path: /workspace/asked* }
`;

/** Somebody who has come in. */
export interface Client {
  token: string;
  /** Sends a request; `body` is sent as JSON. */
  send(method: string, path: string, body?: unknown): Promise<Response>;
  /** The same, for its answer. @throws where it is a failure */
  get<T>(path: string): Promise<T>;
  post<T>(path: string, body?: unknown): Promise<T>;
}

export interface Served {
  service: Service;
  doorway: Doorway;
  app: ServeApp;
  /** What the server could tell nobody. */
  faults: unknown[];
  /** Lets somebody in. */
  client(actor: string, role: Role, agent?: string): Client;
  close(): Promise<void>;
}

/** A directory with a harness, whose policy asks about `/workspace/asked`. */
export function deployed(policy = POLICY): string {
  const deployment = temporaryDirectory();
  mkdirSync(join(deployment, 'harness'));
  writeFileSync(join(deployment, 'harness', 'policy.yaml'), policy);
  return deployment;
}

export async function scripted(script: Script): Promise<ModelStandIn> {
  const model = await startModel(script);
  onTestFinished(() => model.close());
  return model;
}

/** Serves a deployment, until the test ends or somebody closes it. */
export function serve(
  deployment: string,
  model: Pick<ModelStandIn, 'url'>,
  { kept, ...more }: Partial<ServiceOptions> & Pick<DoorwayOptions, 'kept'> = {},
  world: WorldConfig = {},
  /** Besides that of the process: what the tokens of services are. */
  env: Record<string, string> = {},
): Served {
  const state = join(deployment, '.dirigent');
  const config = { ...world, agent: { model: 'openai/scripted' } };
  const doorway = openDoorway({
    door: 'http',
    state,
    open: (session, actor) =>
      createWorld(config, {
        deployment,
        env: { ...process.env, ...env },
        ...(session === undefined ? {} : { session }),
        ...(actor === undefined ? {} : { actor }),
      }),
    host: { base: deployment, env: { OPENAI_BASE_URL: model.url } },
    worlds: 64,
    store: planParts(partsSchema.optional().parse(world.parts), deployment, {}).sessions,
    ...(kept === undefined ? {} : { kept }),
  });
  const faults: unknown[] = [];
  const onFault = (error: unknown): void => void faults.push(error);
  const service = new Service({
    doorway,
    openWorld: async () => createWorld(config, { deployment, env: { ...process.env, ...env } }),
    directories: {
      own: join(deployment, 'harness'),
      defaults: join(import.meta.dirname, '../../agents'),
      proposals: join(state, 'proposals'),
    },
    version: '1.2.3',
    pollMs: 20,
    onFault,
    ...more,
  });
  service.start();
  const app = createApp({ service, onFault });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= service.close().then(() => doorway.close());
    return closed;
  };
  onTestFinished(close);
  const client = (actor: string, role: Role, agent?: string): Client =>
    clientOf(app, service.principals.add(actor, role, agent));
  return { service, doorway, app, faults, client, close };
}

/** A client with a token. */
export function clientOf(app: ServeApp, token: string): Client {
  const send: Client['send'] = async (method, path, body) =>
    app.request(`http://localhost${path}`, {
      method,
      headers: {
        host: 'localhost',
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const answered = async <T>(response: Response): Promise<T> => {
    if (response.ok) return (await response.json()) as T;
    throw new Error(`${response.status} ${await response.text()}`);
  };
  return {
    token,
    send,
    get: async (path) => answered(await send('GET', path)),
    post: async (path, body = {}) => answered(await send('POST', path, body)),
  };
}

/** A session of a client's. */
export const begun = (client: Client, agent?: string): Promise<SessionSummary> =>
  client.post('/v1/sessions', agent === undefined ? {} : { agent });

/** Says something, and gives the message. */
export async function said(
  client: Client,
  session: string,
  text: string,
  more: object = {},
): Promise<QueuedTurn> {
  const { message } = await client.post<{ message: QueuedTurn }>(
    `/v1/sessions/${session}/messages`,
    { text, ...more },
  );
  return message;
}

/** Waits for a message to come into one of these states. */
export async function settled(
  client: Client,
  { id }: Pick<QueuedTurn, 'id'>,
  states: readonly QueuedTurn['state'][] = ['done', 'failed', 'stopped', 'interrupted', 'expired'],
): Promise<QueuedTurn> {
  for (;;) {
    const message = await client.get<QueuedTurn>(`/v1/messages/${id}`);
    if (states.includes(message.state)) return message;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Waits for a request for approval. */
export async function asked(client: Client): Promise<Approval> {
  for (;;) {
    const [approval] = await client.get<Approval[]>('/v1/approvals?state=pending');
    if (approval !== undefined) return approval;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
