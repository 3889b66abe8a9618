/** A deployment that is served elsewhere, for the commands that use it. */
import { setTimeout as delay } from 'node:timers/promises';
import { ConfigError } from '../errors.ts';
import type { Answer, Approval } from '../policy/approval.ts';
import type { Question, QuestionAnswer } from '../policy/question.ts';
import type { QueuedTurn } from '../serve/queue/turn.ts';
import type { SessionSummary } from '../serve/sessions.ts';
import type { SessionEvent } from '../session/events.ts';

const TOKEN_VARIABLE = 'DIRIGENT_TOKEN';

/** What comes of a session. */
export type ServedEvent =
  | { kind: 'turn'; turn: QueuedTurn }
  | { kind: 'event'; event: SessionEvent }
  /** The stream had broken off: the log is gone on with where it was, and steps of turns were missed. */
  | { kind: 'reopened' };

/** A message, with its key. */
export interface Said {
  text: string;
  key: string;
  model?: string;
  plan?: boolean;
}

const RETRY_MS = 1_000;
/** A server that is begun again is there within this. In ms. */
const PATIENCE_MS = 30_000;

/** A response that is read as it comes. */
const asItIs = async (response: Response): Promise<Response> => response;

/** A client of `dirigent serve`. A server that has gone for a moment is asked again. */
export class ServerClient {
  readonly #base: URL;
  readonly #headers: Record<string, string>;

  /** @throws ConfigError for an address that cannot be, or without a token */
  constructor(server: string, env: Readonly<Record<string, string | undefined>>) {
    const url = URL.canParse(server) ? new URL(server) : null;
    if (url === null || !/^https?:$/.test(url.protocol))
      throw new ConfigError('--server', `"${server}" is no address; write http://127.0.0.1:7070`);
    const token = env[TOKEN_VARIABLE];
    if (token === undefined || token === '')
      throw new ConfigError(
        '--server',
        `the server wants a token: put yours into ${TOKEN_VARIABLE}; whoever runs the server makes one by the command "serve token add NAME"`,
      );
    this.#base = url;
    this.#headers = { authorization: `Bearer ${token}` };
  }

  begin(agent: string | undefined): Promise<SessionSummary> {
    return this.#send('POST', '/v1/sessions', agent === undefined ? {} : { agent });
  }

  session(id: string): Promise<SessionSummary> {
    return this.#send('GET', `/v1/sessions/${encodeURIComponent(id)}`);
  }

  /** The newest that the caller may see; null where there is none. */
  async newest(): Promise<SessionSummary | null> {
    const [newest] = await this.#send<SessionSummary[]>('GET', '/v1/sessions?limit=1');
    return newest ?? null;
  }

  /** Sent again with the same key, it is taken once. */
  async say(session: string, said: Said): Promise<QueuedTurn> {
    const path = `/v1/sessions/${session}/messages`;
    const { message } = await this.#send<{ message: QueuedTurn }>('POST', path, said);
    return message;
  }

  async stop(session: string): Promise<void> {
    await this.#send('POST', `/v1/sessions/${session}/stop`, {});
  }

  message(id: string): Promise<QueuedTurn> {
    return this.#send('GET', `/v1/messages/${id}`);
  }

  /** The requests for approval, as the prompt at a terminal asks about them. */
  get approvals() {
    return {
      get: (id: string): Promise<Approval> => this.#send('GET', `/v1/approvals/${id}`),
      answer: async (id: string, { decision, scope, prefix }: Answer): Promise<Approval> => {
        const { digest } = await this.approvals.get(id);
        const answer = {
          digest,
          decision,
          ...(scope === undefined ? {} : { scope }),
          ...(prefix === undefined ? {} : { prefix }),
        };
        return this.#send('POST', `/v1/approvals/${id}/answer`, answer);
      },
    };
  }

  /** The questions of agents, likewise. */
  get questions() {
    return {
      get: (id: string): Promise<Question> => this.#send('GET', `/v1/questions/${id}`),
      answer: async (id: string, { value }: QuestionAnswer): Promise<Question> => {
        const { digest } = await this.questions.get(id);
        return this.#send('POST', `/v1/questions/${id}/answer`, { digest, value });
      },
    };
  }

  /**
   * What happens in a session, from now on, until the signal is aborted.
   * @param onOpen called once it is followed: nothing that happens from then on is missed
   */
  async *events(
    session: string,
    signal: AbortSignal,
    onOpen: () => void,
  ): AsyncGenerator<ServedEvent> {
    let last: string | null = null;
    for (let opened = 0; ; ) {
      try {
        const path = `/v1/sessions/${session}/events`;
        const headers: Record<string, string> = last === null ? {} : { 'last-event-id': last };
        const response = await this.#request('GET', path, { signal, headers }, asItIs);
        onOpen();
        opened += 1;
        if (opened > 1) yield { kind: 'reopened' };
        for await (const { id, type, data } of linesOf(response)) {
          if (id !== null) last = id;
          const value: unknown = JSON.parse(data);
          yield type === 'turn'
            ? { kind: 'turn', turn: value as QueuedTurn }
            : { kind: 'event', event: value as SessionEvent };
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!isGone(error)) throw error;
      }
      if (signal.aborted) return;
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  async #send<T>(method: string, path: string, body?: object): Promise<T> {
    const sent =
      body === undefined
        ? {}
        : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    return this.#request(method, path, sent, async (response) => (await response.json()) as T);
  }

  /**
   * @param read takes the answer; one that breaks off is asked for again
   * @throws ConfigError with what the server says, or where it cannot be reached
   */
  async #request<T>(
    method: string,
    path: string,
    {
      headers = {},
      ...rest
    }: { headers?: Record<string, string>; body?: string; signal?: AbortSignal },
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const until = Date.now() + PATIENCE_MS;
    for (;;) {
      try {
        const all = { ...this.#headers, ...headers };
        const response = await fetch(new URL(path, this.#base), { method, headers: all, ...rest });
        if (response.ok) return await read(response);
        throw new ConfigError('', await sentenceIn(response));
      } catch (error) {
        if (!isGone(error) || rest.signal?.aborted === true) throw error;
        if (Date.now() > until)
          throw new ConfigError(
            '--server',
            `${this.#base.origin} cannot be reached; is the server running?`,
            error,
          );
        await delay(RETRY_MS);
      }
    }
  }
}

/** No answer came, or it broke off: fetch says so of every such failure. */
const isGone = (error: unknown): boolean => error instanceof TypeError;

async function sentenceIn(response: Response): Promise<string> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as { error?: { message?: string } };
    if (error?.message !== undefined) return error.message;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return `the server answered with ${response.status}; is it dirigent serve?`;
}

/** The events of a stream. */
async function* linesOf(
  response: Response,
): AsyncGenerator<{ id: string | null; type: string; data: string }> {
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => {
          const colon = line.indexOf(': ');
          return [line.slice(0, colon), line.slice(colon + 2)] as const;
        }),
      );
      const data = fields.get('data');
      if (data === undefined) continue;
      yield { id: fields.get('id') ?? null, type: fields.get('event') ?? 'message', data };
    }
  }
}
