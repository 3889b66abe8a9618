/** The line to a server: connected when it is first needed, and again when it was lost. */
import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client';
import { z } from 'zod';
import {
  concealedData,
  concealing,
  expectShape,
  type MountUsage,
  type ServiceClient,
  ServiceFailure,
} from '../../src/mount/index.ts';
import { boundedFetch, statusOf } from './http.ts';
import {
  answerSchema,
  type Contents,
  contentsSchema,
  messagesSchema,
  type Tool,
} from './schemas.ts';
import { type ServerProcess, StdioTransport } from './stdio.ts';
import { withUsableRows } from './usable.ts';
import { escapeControls } from './words.ts';

/** What a list is of, and what the server calls that. */
export const LISTS = {
  tools: { method: 'tools/list', rows: 'tools', capability: 'tools' },
  resources: { method: 'resources/list', rows: 'resources', capability: 'resources' },
  templates: {
    method: 'resources/templates/list',
    rows: 'resourceTemplates',
    capability: 'resources',
  },
  prompts: { method: 'prompts/list', rows: 'prompts', capability: 'prompts' },
} as const;
export type ListName = keyof typeof LISTS;

/** A list that does not end is cut here. */
const MOST_PAGES = 500;
const MOST_ROWS = 10_000;
/** A server that could not be started is not started again for so long. ms. */
const FAILED_MS = 2_000;
const INITIALIZE_MS = 15_000;
const LONGEST_REASON = 500;

export interface McpClientOptions {
  /** What sentences call the server. */
  title: string;
  /** A process of the host, or … */
  server: ServerProcess | null;
  /** … an address, with what is sent there in every request. */
  url: string | null;
  headers: Readonly<Record<string, string>>;
  fetch?: typeof fetch | undefined;
  /** So long may a call take, in ms; progress that the server tells does not count against it. */
  timeoutMs: number;
  secrets: readonly string[];
  now(): Date;
  /** A list of the server has changed. */
  onChanged(list: ListName): void;
}

interface Connection {
  client: Client;
  transport: Transport;
}

export class McpClient implements ServiceClient {
  readonly #options: McpClientOptions;
  readonly #spent = { requests: 0, bytes: 0 };
  #connection: Promise<Connection> | null = null;
  #failed: { at: number; failure: ServiceFailure } | null = null;
  #isClosed = false;
  #leftOut = 0;

  constructor(options: McpClientOptions) {
    this.#options = options;
  }

  usage(): MountUsage {
    return { ...this.#spent };
  }

  /** A whole list, as the server gives it. Throws ServiceFailure. */
  async list(
    name: ListName,
  ): Promise<{ rows: unknown[]; lacking: string | null; leftOut: number }> {
    const before = this.#leftOut;
    const { rows, lacking } = await this.#whole(name);
    return { rows, lacking, leftOut: this.#leftOut - before };
  }

  async #whole(name: ListName): Promise<{ rows: unknown[]; lacking: string | null }> {
    const { title } = this.#options;
    const { method, rows: key, capability } = LISTS[name];
    const { client } = await this.#connected();
    if (client.getServerCapabilities()?.[capability] === undefined)
      return { rows: [], lacking: null };
    const page = z.looseObject({
      [key]: z.array(z.unknown()),
      nextCursor: z.string().nullish(),
    });
    const rows: unknown[] = [];
    const cursors = new Set<string>();
    let cursor: string | undefined;
    for (let count = 0; count < MOST_PAGES && rows.length < MOST_ROWS; count++) {
      const params = cursor === undefined ? {} : { cursor };
      const asked = await this.#asked(`the list of ${name}`, ({ client: line }) =>
        line.request({ method, params }, page, { timeout: this.#options.timeoutMs }),
      ).catch((error: unknown) => {
        // It says that it has such, and does not know the question: there are none.
        if (error instanceof ServiceFailure && isUnknownMethod(error)) return null;
        throw error;
      });
      if (asked === null) return { rows, lacking: null };
      rows.push(...(asked[key] as unknown[]));
      cursor = typeof asked['nextCursor'] === 'string' ? asked['nextCursor'] : undefined;
      if (cursor === undefined) return { rows, lacking: null };
      if (cursors.has(cursor))
        throw new ServiceFailure('protocol', `${title} gives the list of ${name} in a circle`);
      cursors.add(cursor);
    }
    const first = rows.slice(0, MOST_ROWS);
    return { rows: first, lacking: `only the first ${first.length} of ${name}` };
  }

  /** What the server says that it is. Throws ServiceFailure. */
  async about(): Promise<Record<string, unknown>> {
    const { client } = await this.#connected();
    return {
      ...this.#clean(client.getServerVersion() ?? {}),
      protocol: client.getNegotiatedProtocolVersion(),
      capabilities: this.#clean(client.getServerCapabilities() ?? {}),
      ...this.#clean({ instructions: client.getInstructions() }),
    };
  }

  /** Calls a tool, once. Throws ServiceFailure. */
  async call(tool: Tool, args: Record<string, unknown>, signal: AbortSignal): Promise<unknown> {
    const { timeoutMs, title } = this.#options;
    // What the tool promises of its answer is not checked: what it says is shown as it is.
    const { outputSchema: _unchecked, ...definition } = tool;
    const answer = await this.#asked(
      `the call of ${tool.name}`,
      ({ client }) =>
        client.callTool(
          { name: tool.name, arguments: args },
          {
            signal,
            timeout: timeoutMs,
            onprogress: () => undefined,
            resetTimeoutOnProgress: true,
            maxTotalTimeout: timeoutMs * 10,
            toolDefinition: definition as never,
          },
        ),
      signal,
    );
    return expectShape(title, answerSchema, answer, `the call of ${tool.name}`);
  }

  /** Throws ServiceFailure; of kind `missing` where there is no such resource. */
  async read(uri: string): Promise<Contents[]> {
    const answer = await this.#asked(uri, ({ client }) =>
      client.readResource({ uri }, { timeout: this.#options.timeoutMs, cacheMode: 'bypass' }),
    );
    return expectShape(this.#options.title, contentsSchema, answer, uri).contents;
  }

  /** Throws ServiceFailure. */
  async prompt(name: string, args: Record<string, string>, signal: AbortSignal): Promise<unknown> {
    const answer = await this.#asked(
      `the prompt ${name}`,
      ({ client }) =>
        client.getPrompt({ name, arguments: args }, { signal, timeout: this.#options.timeoutMs }),
      signal,
    );
    return expectShape(this.#options.title, messagesSchema, answer, `the prompt ${name}`);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const connection = this.#connection;
    this.#connection = null;
    if (connection === null) return;
    // What was never connected has nothing to close.
    const open = await connection.catch(() => null);
    await open?.client.close();
    await open?.transport.close();
  }

  // --- within

  async #asked<T>(
    what: string,
    ask: (connection: Connection) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const connection = await this.#connected();
    this.#spent.requests += 1;
    try {
      return this.#clean(await ask(connection));
    } catch (error) {
      throw await this.#failure(what, error, connection, signal);
    }
  }

  #connected(): Promise<Connection> {
    const { now } = this.#options;
    if (this.#failed !== null && now().getTime() - this.#failed.at < FAILED_MS)
      return Promise.reject(this.#failed.failure);
    this.#connection ??= this.#connect().catch((error: unknown) => {
      this.#connection = null;
      if (error instanceof ServiceFailure) this.#failed = { at: now().getTime(), failure: error };
      throw error;
    });
    return this.#connection;
  }

  async #connect(): Promise<Connection> {
    const { title, server, url, onChanged } = this.#options;
    if (this.#isClosed)
      throw new ServiceFailure('network', `${title} was closed`, { unsent: true });
    const transport = server === null ? this.#http(url ?? '') : this.#process(server);
    const client = new Client(
      { name: 'dirigent', version: '1' },
      {
        // What a server promises of its answers is hostile text like all else that it says.
        jsonSchemaValidator: {
          getValidator: () => (data) => ({
            valid: true,
            data: data as never,
            errorMessage: undefined,
          }),
        },
        listChanged: {
          tools: { autoRefresh: false, onChanged: () => onChanged('tools') },
          prompts: { autoRefresh: false, onChanged: () => onChanged('prompts') },
          resources: {
            autoRefresh: false,
            onChanged: () => {
              onChanged('resources');
              onChanged('templates');
            },
          },
        },
        ...(server === null ? { versionNegotiation: { mode: 'auto' as const } } : {}),
      },
    );
    try {
      const usable = withUsableRows(transport, (count) => {
        this.#leftOut += count;
      });
      await client.connect(usable, { timeout: INITIALIZE_MS });
    } catch (error) {
      const failure = this.#unconnected(error, transport);
      await transport.close().catch(() => undefined);
      throw failure;
    }
    const connection = { client, transport };
    client.onclose = () => void this.#forget(connection);
    return connection;
  }

  async #forget(connection: Connection): Promise<void> {
    const current = await this.#connection?.catch(() => null);
    if (current === connection) this.#connection = null;
  }

  #process(server: ServerProcess): StdioTransport {
    return new StdioTransport(server, (count) => {
      this.#spent.bytes += count;
    });
  }

  #http(url: string): Transport {
    const { fetch, headers } = this.#options;
    const bounded = boundedFetch(fetch ?? globalThis.fetch, new URL(url), (count) => {
      this.#spent.bytes += count;
    });
    return new StreamableHTTPClientTransport(new URL(url), {
      fetch: bounded,
      requestInit: { headers: { ...headers } },
    });
  }

  #unconnected(error: unknown, transport: Transport): ServiceFailure {
    const { title, url, server } = this.#options;
    const status = statusOf(error);
    if (status === 401 || status === 403) {
      return new ServiceFailure(
        status === 401 ? 'auth' : 'forbidden',
        `${title} refuses the credential (${status})`,
        { status },
      );
    }
    const trouble = transport instanceof StdioTransport ? transport.trouble : '';
    const why = trouble === '' ? messageOf(error) : trouble;
    const isLate = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout;
    const what = isLate
      ? `${title} was started and did not answer within ${INITIALIZE_MS / 1000} s`
      : `${title} could not be ${server === null ? `reached at ${url}` : 'started'}`;
    const path =
      server !== null && server.env['PATH'] === undefined && /not found|status 12[67]/.test(why)
        ? '; it has no PATH: name PATH in its env'
        : '';
    return new ServiceFailure('network', this.#said(`${what}: ${why}${path}`), {
      unsent: true,
      cause: error,
    });
  }

  async #failure(
    what: string,
    error: unknown,
    connection: Connection,
    signal: AbortSignal | undefined,
  ): Promise<ServiceFailure> {
    const { title, timeoutMs } = this.#options;
    if (error instanceof ServiceFailure) return error;
    const fail = (
      kind: ServiceFailure['kind'],
      text: string,
      more: { unsent?: boolean; status?: number } = {},
    ) => new ServiceFailure(kind, this.#said(text), { ...more, cause: error });
    if (signal?.aborted === true)
      return fail('timeout', `${what} was interrupted, and ${title} was told to stop`);
    const status = statusOf(error);
    if (status !== null) {
      if (status === 404) {
        // The session is over: a server that has forgotten it has done nothing.
        await this.#drop(connection);
        return fail('network', `the session with ${title} was over; try again`, { unsent: true });
      }
      const kind =
        status === 401
          ? 'auth'
          : status === 403
            ? 'forbidden'
            : status === 429
              ? 'limited'
              : status >= 500
                ? 'server'
                : 'invalid';
      return fail(kind, `${title} answered ${status} to ${what}: ${messageOf(error)}`, { status });
    }
    if (error instanceof ProtocolError) return this.#refused(what, error);
    if (error instanceof SdkError) {
      switch (error.code) {
        case SdkErrorCode.RequestTimeout:
          return fail(
            'timeout',
            `${title} did not answer ${what} within ${timeoutMs / 1000} s, and was told to stop`,
          );
        case SdkErrorCode.InvalidResult:
        case SdkErrorCode.UnsupportedResultType:
          return fail(
            'protocol',
            `the answer of ${title} to ${what} is none that is understood: ${error.message}`,
          );
        case SdkErrorCode.CapabilityNotSupported:
        case SdkErrorCode.MethodNotSupportedByProtocolVersion:
          return fail('invalid', `${title} cannot do that: ${error.message}`, { unsent: true });
      }
    }
    await this.#drop(connection);
    const { transport } = connection;
    const trouble = transport instanceof StdioTransport ? transport.trouble : '';
    return fail(
      'network',
      `the connection to ${title} broke off during ${what}: ${trouble === '' ? messageOf(error) : trouble}`,
    );
  }

  /** The server answered with an error of the protocol. */
  #refused(what: string, error: ProtocolError): ServiceFailure {
    const { title } = this.#options;
    const text = this.#said(`${title} refuses ${what}: ${error.message}`);
    const isMissing = error.code === -32002 || /not found|unknown resource/i.test(error.message);
    const kind = error.code === METHOD_NOT_FOUND || error.code === -32602 ? 'invalid' : 'server';
    return new ServiceFailure(isMissing && !what.startsWith('the ') ? 'missing' : kind, text, {
      cause: error,
    });
  }

  async #drop(connection: Connection): Promise<void> {
    await this.#forget(connection);
    // It is of no use any more, whatever closing it says.
    await connection.transport.close().catch(() => undefined);
  }

  /** One line, without what a terminal acts on and without credentials. */
  #said(text: string): string {
    const line = escapeControls(concealing(this.#options.secrets)(text).replace(/\s+/g, ' '));
    return line.length > LONGEST_REASON ? `${line.slice(0, LONGEST_REASON)}…` : line;
  }

  #clean<T>(data: T): T {
    return data === undefined ? data : concealedData(data, this.#options.secrets);
  }
}

const METHOD_NOT_FOUND = -32601;

const isUnknownMethod = ({ cause }: ServiceFailure): boolean =>
  cause instanceof ProtocolError && cause.code === METHOD_NOT_FOUND;

/** What an error says, and what the cause at the bottom of it says: libraries put words of their own around it. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  let { cause } = error;
  while (cause instanceof Error && cause.cause !== undefined) cause = cause.cause;
  // What tried several addresses has no message, but the code of their failures.
  const { message = '', code = '' } =
    cause instanceof Error ? (cause as NodeJS.ErrnoException) : {};
  const why = message === '' ? code : message;
  return why === '' || error.message.includes(why) ? error.message : `${error.message} (${why})`;
}
