/** Servers for tests: one in this process, behind a fetch, and programs that speak over stdio as badly as it gets. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createMcpHandler, Server } from '@modelcontextprotocol/server';
import { testSubject } from '../../src/mount-testing/index.ts';

/** What a server offers, and how it behaves; to be changed while it runs. */
export interface Offered {
  tools: Record<string, unknown>[];
  resources: Record<string, unknown>[];
  prompts: Record<string, unknown>[];
  /** Rows on a page of a list. */
  page: number;
  capabilities: Record<string, object>;
  /** What a call answers. */
  call(name: string, args: Record<string, unknown>): unknown;
  read(uri: string): unknown;
}

/** What was asked, oldest first: `tools/call echo {"text":"a"}`. */
export interface ServerInProcess {
  readonly offered: Offered;
  readonly asked: string[];
  /** Answers instead of the server, where it gives something. */
  fault: ((method: string, id: unknown) => Response | Error | undefined) | null;
  fetch: typeof fetch;
}

const objectSchema = (properties: object, required: string[] = []) => ({
  type: 'object',
  properties,
  required,
});

export const ECHO = {
  name: 'echo',
  description: 'Says it again',
  inputSchema: objectSchema(
    {
      text: { type: 'string', description: 'what' },
      times: { type: 'integer', minimum: 1, maximum: 9 },
      loud: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
      where: { type: 'object', properties: { city: { type: 'string' } } },
      dry_run: { type: 'boolean' },
    },
    ['text'],
  ),
};

export function serverInProcess(own: Partial<Offered> = {}): ServerInProcess {
  const asked: string[] = [];
  const offered: Offered = {
    tools: [ECHO],
    resources: [],
    prompts: [],
    page: 100,
    capabilities: { tools: {}, resources: {}, prompts: {} },
    call: (_name, args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }),
    read: (uri) => ({ contents: [{ uri, text: `text of ${uri}` }] }),
    ...own,
  };
  const paged = (rows: readonly unknown[], cursor: string | undefined) => {
    const from = Number(cursor ?? 0);
    const next = from + offered.page;
    return {
      rows: rows.slice(from, next),
      ...(next < rows.length ? { nextCursor: String(next) } : {}),
    };
  };
  const handler = createMcpHandler(() => {
    const server = new Server(
      { name: 'in-process', version: '1' },
      { capabilities: offered.capabilities, instructions: 'Be kind' },
    );
    const handle = server.setRequestHandler.bind(server) as (
      method: string,
      handler: (request: { params?: Record<string, unknown> }) => unknown,
    ) => void;
    // The library refuses to answer what is not among the capabilities.
    const on: typeof handle = (method, handler) => {
      if (offered.capabilities[method.split('/')[0] ?? ''] !== undefined) handle(method, handler);
    };
    on('tools/list', ({ params }) => {
      const { rows, ...more } = paged(offered.tools, params?.['cursor'] as string | undefined);
      return { tools: rows, ...more };
    });
    on('resources/list', ({ params }) => {
      const { rows, ...more } = paged(offered.resources, params?.['cursor'] as string | undefined);
      return { resources: rows, ...more };
    });
    on('resources/templates/list', () => ({
      resourceTemplates: [{ uriTemplate: 'demo://item/{id}', name: 'item' }],
    }));
    on('prompts/list', () => ({ prompts: offered.prompts }));
    on('tools/call', ({ params = {} }) =>
      offered.call(String(params['name']), (params['arguments'] ?? {}) as Record<string, unknown>),
    );
    on('resources/read', ({ params = {} }) => offered.read(String(params['uri'])));
    on('prompts/get', ({ params = {} }) => ({
      messages: [
        {
          role: 'user',
          content: { type: 'text', text: `Greet ${JSON.stringify(params['arguments'])}` },
        },
      ],
    }));
    return server;
  });
  const server: ServerInProcess = {
    offered,
    asked,
    fault: null,
    fetch: async (input, init) => {
      const body = typeof init?.body === 'string' ? (JSON.parse(init.body) as Message) : null;
      if (body?.method !== undefined) {
        const { name, arguments: args } = body.params ?? {};
        asked.push([body.method, name, args && JSON.stringify(args)].filter(Boolean).join(' '));
        const fault = server.fault?.(body.method, body.id);
        if (fault instanceof Error) throw fault;
        if (fault !== undefined) return fault;
      }
      return handler.fetch(new Request(input, init));
    },
  };
  return server;
}

/** A server on loopback with one tool, `echo`, for the trials of the kit; what it held is what it was told to say. */
export function testedServer() {
  return testSubject<readonly string[]>({
    name: 'mcp',
    module: new URL('testing-mount.ts', import.meta.url),
    start: async () => {
      const said: string[] = [];
      const call = (_name: string, args: Record<string, unknown>) => {
        said.push(String(args['text']));
        return { content: [{ type: 'text', text: JSON.stringify(args) }] };
      };
      const { fetch } = serverInProcess({ call });
      const listener = createServer(async (asked, answer) => {
        const { method = 'GET', url = '/' } = asked;
        const headers = new Headers(
          Object.entries(asked.headers).map(([name, value]) => [name, String(value)]),
        );
        const sent = await text(asked);
        const got = await fetch(`http://127.0.0.1${url}`, {
          method,
          headers,
          ...(sent && { body: sent }),
        });
        answer.writeHead(got.status, Object.fromEntries(got.headers)).end(await got.text());
      });
      await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
      return {
        url: `http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`,
        held: () => said,
        close: () => {
          listener.closeAllConnections();
          listener.close();
        },
      };
    },
    places: { list: '/tools', record: '/tools/echo.json' },
    writes: [],
    isWrite: ({ body }) => body.includes('"tools/call"'),
  });
}

interface Message {
  id?: unknown;
  method?: string;
  params?: { name?: string; arguments?: unknown };
}

/** A program that is a server over stdio: `behaviour` is looked at before a request is answered. */
export const stdioServer = (behaviour: string): string => `
import { createInterface } from 'node:readline';
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
let tools = [{ name: 'env', inputSchema: { type: 'object' } }, { name: 'slow', inputSchema: { type: 'object' } }];
let answers = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo: { name: 'stdio', version: '1' } }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name }) => name === 'slow' ? undefined : ({ content: [{ type: 'text', text: JSON.stringify(process.env) }] }),
};
createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params } = JSON.parse(line);
  ${behaviour}
  const result = answers[method]?.(params ?? {});
  if (id !== undefined && result !== undefined) say({ id, result });
});
`;
