/** Deployments with parts of their own, and the services that these ask. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { World, WorldConfig } from '../../entry/index.ts';
import { type Agent, openAgent } from '../../src/agent/open-agent.ts';
import { testModel } from '../agent/support.ts';
import type { ModelStandIn, Script } from '../stand-ins/model/index.ts';
import { testWorld } from '../world/harness.ts';

/** The modules of the examples. */
export const EXAMPLES = join(import.meta.dirname, '../../examples/parts');

export interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: unknown;
}

/** A service on loopback that keeps what it was sent. */
export async function service(
  answer: (request: Received, response: ServerResponse) => unknown,
): Promise<{ url: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const { method = '', url: path = '', headers } = request;
      const each = { method, path, headers, body: text === '' ? null : JSON.parse(text) };
      received.push(each);
      const given = answer(each, response);
      if (given === undefined) return;
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(given));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** An agent of a deployment whose config names parts. */
export async function agentWith(
  script: Script,
  config: WorldConfig,
  more: { deployment?: string; env?: Record<string, string> } = {},
): Promise<{ agent: Agent; world: World; model: ModelStandIn; notices: string[] }> {
  const model = await testModel(script);
  const env = { OPENAI_BASE_URL: model.url, ...more.env };
  const deployment = more.deployment ?? EXAMPLES;
  const world = testWorld({ mounts: { '/workspace': 'mem' }, ...config }, { deployment, env });
  const notices: string[] = [];
  const onNotice = (text: string) => void notices.push(text);
  const agent = await openAgent(
    world,
    { base: deployment, env, onNotice },
    { model: 'openai/scripted', ...config.agent },
  );
  onTestFinished(() => agent.close());
  return { agent, world, model, notices };
}
