/** The door for MCP on worlds of its own, and clients of both eras of the protocol. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import { createWorld, type World, type WorldConfig } from '../../entry/index.ts';
import type { Doorway } from '../../src/doors/door.ts';
import { openDoorway } from '../../src/doors/doorway.ts';
import { fixedClients } from '../../src/doors/http/admission.ts';
import { bearerOf } from '../../src/doors/http/bearer.ts';
import { type McpHttpOptions, mcpOverHttp } from '../../src/doors/mcp/http.ts';
import { type McpServing, sealedBy } from '../../src/doors/mcp/server.ts';
import type { Principal } from '../../src/doors/principal.ts';
import { temporaryDirectory } from '../world/harness.ts';

export const TOKEN = 'a-token';
export const ASSISTANT: Principal = { actor: 'assistant', agent: 'assistant' };
export const ERAS = ['2025', '2026'] as const;
export type Era = (typeof ERAS)[number];

export const serving = (): McpServing => ({ version: '1', seal: sealedBy(randomBytes(32)) });

/** A doorway that is closed when the test ends, and the worlds that it has opened. */
export function testDoorway(
  config: WorldConfig = {},
  deployment: string = temporaryDirectory(),
): { doorway: Doorway; worlds: World[] } {
  const worlds: World[] = [];
  const doorway = openDoorway({
    door: 'mcp',
    state: join(deployment, '.dirigent'),
    open: (session) => {
      const more = session === undefined ? {} : { session };
      const world = createWorld(config, { deployment, ...more });
      worlds.push(world);
      return world;
    },
    host: { base: deployment, env: {} },
    ownAgents: true,
  });
  onTestFinished(() => doorway.close());
  return { doorway, worlds };
}

/** The door over HTTP; `{TOKEN: principal}` are its clients. */
export async function openMcp(
  doorway: Doorway,
  more: Partial<McpHttpOptions> = {},
  tokens: Record<string, Principal> = { [TOKEN]: ASSISTANT },
): Promise<string> {
  const clients = fixedClients(
    ...Object.entries(tokens).map(([token, who]) => bearerOf(token, who)),
  );
  const door = await mcpOverHttp.open(doorway, { ...serving(), port: 0, clients, ...more });
  onTestFinished(() => door.close());
  return door.address;
}

/** How a client of the older protocol begins. */
export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
};

/** Sends a message as it is, without a client. */
export const postTo = (
  url: string,
  token: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

export type Answer = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string> };

/** A client that has connected. @param elicit answers for its person; without it nobody can be asked */
export async function connectMcp(
  url: string,
  era: Era,
  { token = TOKEN, elicit }: { token?: string; elicit?: (message: string) => Answer } = {},
): Promise<Client> {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: elicit === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: era === '2026' ? { pin: '2026-07-28' } : 'legacy' },
    },
  );
  if (elicit !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => elicit(params.message));
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  );
  onTestFinished(() => client.close());
  return client;
}

export interface Called {
  text: string;
  failed: boolean;
}

export async function call(
  client: Client,
  name: string,
  input: Record<string, unknown>,
): Promise<Called> {
  const result = await client.callTool({ name, arguments: input });
  const content = result.content as { text: string }[];
  return { text: content.map(({ text }) => text).join(''), failed: result.isError === true };
}
