/**
 * The two sides of the comparison: services' own MCP servers, as their authors publish them, and
 * Dirigent's door for MCP. Each has stand-ins of its own with the same seed, and a client of the
 * protocol that counts.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Client,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createWorld } from '../../entry/index.ts';
import { openDoorway } from '../../src/doors/doorway.ts';
import { fixedClients } from '../../src/doors/http/admission.ts';
import { bearerOf } from '../../src/doors/http/bearer.ts';
import { mcpOverHttp } from '../../src/doors/mcp/http.ts';
import { sealedBy } from '../../src/doors/mcp/server.ts';
import { type GithubStandIn, startGithubStandIn } from '../../test/stand-ins/github/index.ts';
import { type NotionStandIn, startNotionStandIn } from '../../test/stand-ins/notion/index.ts';
import { demoSeed } from '../../test/stand-ins/notion/seed.ts';

/** The services that a side works on. */
export interface Services extends AsyncDisposable {
  readonly github: GithubStandIn;
  readonly notion: NotionStandIn;
}

/** Starts both, with the demo's records. */
export async function startServices(): Promise<Services> {
  // Notion's search is to find every page: it is their servers' only way to one.
  const seed = demoSeed();
  const found = { ...seed, habits: { ...seed.habits, searchLeavesOut: false } };
  const [github, notion] = await Promise.all([
    startGithubStandIn(),
    startNotionStandIn({ seed: found }),
  ]);
  return {
    github,
    notion,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([github.close(), notion.close()]);
    },
  };
}

/** How many tokens a text has. */
export type Count = (text: string) => number;

/** What a job has cost, in tokens but for `calls`. */
export interface Cost {
  definitions: number;
  calls: number;
  arguments: number;
  results: number;
  /** All that a model is sent over the job: each request repeats what was said before it. */
  sent: number;
}

/** A side, with its servers running. */
export interface Side extends AsyncDisposable {
  readonly name: string;
  readonly services: Services;
  /** Tokens of the definitions of all its tools, by server. */
  readonly definitions: ReadonlyMap<string, number>;
  /** A conversation of its own. */
  converse(): Conversation;
}

/** The calls of one job. */
export class Conversation {
  readonly #clients: ReadonlyMap<string, Client>;
  readonly #count: Count;
  readonly cost: Cost;

  constructor(clients: ReadonlyMap<string, Client>, definitions: number, count: Count) {
    this.#clients = clients;
    this.#count = count;
    this.cost = { definitions, calls: 0, arguments: 0, results: 0, sent: definitions };
  }

  /** Calls a tool, and gives its text. @throws Error with what a tool answered that failed */
  readonly call = async (server: string, name: string, input: object): Promise<string> => {
    const client = this.#clients.get(server);
    if (client === undefined) throw new Error(`there is no server ${server}`);
    const result = await client.callTool({ name, arguments: { ...input } });
    const parts = result.content as { text?: string }[];
    const text = parts.map((part) => part.text ?? '').join('');
    const { cost } = this;
    cost.calls += 1;
    cost.arguments += this.#count(JSON.stringify({ name, arguments: input }));
    cost.results += this.#count(text);
    cost.sent += cost.definitions + cost.arguments + cost.results;
    if (result.isError === true) throw new Error(`${server} ${name}: ${text}`);
    return text;
  };
}

async function connected(transport: Transport): Promise<Client> {
  // What every server speaks.
  const client = new Client(
    { name: 'bench', version: '1' },
    { versionNegotiation: { mode: 'legacy' } },
  );
  await client.connect(transport);
  return client;
}

interface Opened {
  name: string;
  services: Services;
  clients: ReadonlyMap<string, Client>;
  count: Count;
  close(): Promise<void>;
}

async function sideOf({ name, services, clients, count, close }: Opened): Promise<Side> {
  const definitions = new Map<string, number>();
  for (const [server, client] of clients) {
    const { tools } = await client.listTools();
    definitions.set(server, count(JSON.stringify(tools)));
  }
  const all = [...definitions.values()].reduce((sum, each) => sum + each, 0);
  return {
    name,
    services,
    definitions,
    converse: () => new Conversation(clients, all, count),
    [Symbol.asyncDispose]: async () => {
      for (const client of clients.values()) await client.close();
      await close();
    },
  };
}

/** Where GitHub's server asks, whatever it is told. */
const GITHUB = 'https://api.github.com';
const REDIRECT = new URL('./redirect.mjs', import.meta.url).href;

/** The services' own servers. @param modules the `node_modules` that they are installed in */
export async function openTheirs(services: Services, modules: string, count: Count): Promise<Side> {
  const { github, notion } = services;
  const start = (args: string[], env: Record<string, string>): Promise<Client> =>
    connected(new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' }));
  const clients = new Map([
    [
      'github',
      await start(
        ['--import', REDIRECT, join(modules, '@modelcontextprotocol/server-github/dist/index.js')],
        {
          GITHUB_PERSONAL_ACCESS_TOKEN: github.token,
          REDIRECT_FROM: GITHUB,
          REDIRECT_TO: github.url,
        },
      ),
    ],
    [
      'notion',
      await start([join(modules, '@notionhq/notion-mcp-server/bin/cli.mjs')], {
        NOTION_TOKEN: notion.token,
        BASE_URL: notion.url,
      }),
    ],
  ]);
  return sideOf({ name: 'own servers', services, clients, count, close: async () => undefined });
}

/** The person has allowed beforehand what the jobs write, as they have with a server that never asks. */
const POLICY = 'sandbox: full\napproval: never\n';

/** Dirigent's door over HTTP. @param directory an empty one, for its deployment */
export async function openOurs(services: Services, directory: string, count: Count): Promise<Side> {
  mkdirSync(join(directory, 'harness'), { recursive: true });
  writeFileSync(join(directory, 'harness', 'policy.yaml'), POLICY);
  const { github, notion } = services;
  const doorway = openDoorway({
    door: 'mcp',
    state: join(directory, '.dirigent'),
    open: () =>
      createWorld(
        {
          mounts: {
            '/mnt/github': {
              source: 'github',
              mode: 'rw',
              baseUrl: github.url,
              tokenEnv: 'GITHUB',
            },
            '/mnt/notion': {
              source: 'notion',
              mode: 'rw',
              baseUrl: notion.url,
              tokenEnv: 'NOTION',
            },
          },
        },
        { deployment: directory, env: { GITHUB: github.token, NOTION: notion.token } },
      ),
    host: { base: directory, env: {} },
  });
  const token = randomBytes(16).toString('hex');
  const door = await mcpOverHttp.open(doorway, {
    version: '1',
    seal: sealedBy(randomBytes(32)),
    port: 0,
    clients: fixedClients(bearerOf(token, { actor: 'assistant', agent: 'assistant' })),
  });
  const headers = { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(door.address), {
    requestInit: { headers },
  });
  return sideOf({
    name: 'dirigent',
    services,
    clients: new Map([['dirigent', await connected(transport)]]),
    count,
    close: async () => {
      await door.close();
      await doorway.close();
    },
  });
}
