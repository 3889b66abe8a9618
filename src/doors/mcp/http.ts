/**
 * MCP over streamable HTTP. Requests of 2026-07-28 stand by themselves; clients
 * of the older protocol have sessions. Both are the same client, by their token.
 */
import {
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  type McpHttpHandler,
  type Server,
} from '@modelcontextprotocol/server';
import type { Door, OpenDoor } from '../door.ts';
import { type Admission, countOf } from '../http/admission.ts';
import { HTTP_LIMITS, type HttpLimits, HttpRefusal } from '../http/limits.ts';
import { type Incoming, listen } from '../http/listener.ts';
import type { Principal } from '../principal.ts';
import { enterClient, type McpClient } from './client.ts';
import { uriOf } from './resources.ts';
import { createMcpServer, type McpServing } from './server.ts';
import { type HttpSession, HttpSessions } from './sessions.ts';

export interface McpHttpOptions extends McpServing {
  /** 0 takes a free one. */
  port: number;
  clients: Admission;
  limits?: Partial<HttpLimits>;
  /** The clock, ms since the epoch. */
  now?: () => number;
}

/** Streams of changes that one client may have open at once. */
const STREAMS = 32;

/** A client, and what serves its requests of the newer protocol. */
interface Served {
  client: McpClient;
  handler: McpHttpHandler;
}

export const mcpOverHttp: Door<McpHttpOptions> = {
  name: 'mcp',
  open: async (doorway, options): Promise<OpenDoor> => {
    const limits = { ...HTTP_LIMITS, ...options.limits };
    const sessions = new HttpSessions(
      limits,
      () => countOf(options.clients),
      options.now ?? Date.now,
    );
    const entered = new Map<string, Promise<Served>>();
    const enter = async (principal: Principal): Promise<Served> => {
      const client = await enterClient(doorway, principal, options.planning);
      // Each has one of its own: a stream of one client hears nothing of another one's files.
      const handler = createMcpHandler(() => createMcpServer(client, options, 'none'), {
        legacy: 'reject',
        maxRequestBodySize: limits.bodyBytes,
        maxSubscriptions: STREAMS,
      });
      client.onChanged((paths) => {
        for (const path of paths) handler.notify.resourceUpdated(uriOf(path));
      });
      return { client, handler };
    };
    const served = ({ client, principal }: Incoming): Promise<Served> => {
      const serving = entered.get(client) ?? enter(principal);
      entered.set(client, serving);
      // Whoever waits for it meets the failure; the next request tries again.
      serving.catch(() => entered.delete(client));
      return serving;
    };
    const listener = await listen(options.port, {
      clients: options.clients,
      limits,
      handle: async (incoming) => {
        const { client, handler } = await served(incoming);
        const { request, body } = incoming;
        if (isStream(body)) incoming.isStream();
        const authInfo = { token: '', clientId: incoming.client, scopes: [] };
        if (!(await isLegacyRequest(request.clone(), body)))
          return handler.fetch(request, { authInfo, parsedBody: body });
        const serve = async () => createMcpServer(client, options, 'subscribed');
        const session = await sessionOf(sessions, incoming, serve);
        sessions.use(session, incoming.onEnd);
        return session.transport.handleRequest(request, { authInfo, parsedBody: body });
      },
    });
    const close = async (): Promise<void> => {
      await sessions.close();
      for (const each of await Promise.allSettled(entered.values()))
        if (each.status === 'fulfilled') await each.value.handler.close();
      await listener.close();
    };
    return { address: listener.url, ended: new Promise(() => undefined), close };
  },
};

const isStream = (body: unknown): boolean =>
  typeof body === 'object' &&
  body !== null &&
  'method' in body &&
  body.method === 'subscriptions/listen';

/** The session that a request names, or a new one for a client that begins. @throws HttpRefusal */
async function sessionOf(
  sessions: HttpSessions,
  { request, body, client }: Incoming,
  serve: () => Promise<Server>,
): Promise<HttpSession> {
  const id = request.headers.get('mcp-session-id');
  if (id !== null) return sessions.get(id, client);
  const messages = Array.isArray(body) ? body : [body];
  if (messages.some(isInitializeRequest)) return sessions.begin(client, serve);
  throw new HttpRefusal(400, 'a client begins with initialize, and then names its session');
}
