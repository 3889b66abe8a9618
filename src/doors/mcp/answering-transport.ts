/** A transport that knows which requests were not answered yet. */
import type { JSONRPCMessage, RequestId, Transport } from '@modelcontextprotocol/server';

/** A stream of changes has no answer: it ends with its connection. */
const STREAM = 'subscriptions/listen';

export class AnsweringTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  readonly #inner: Transport;
  readonly #unanswered = new Set<RequestId>();
  #isIdle = Promise.withResolvers<void>();

  constructor(inner: Transport) {
    this.#inner = inner;
    inner.onclose = () => this.onclose?.();
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message, extra) => {
      this.#read(message);
      this.onmessage?.(message, extra);
    };
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  async send(...[message, options]: Parameters<Transport['send']>): Promise<void> {
    await this.#inner.send(message, options);
    if ('id' in message && message.id !== undefined && !('method' in message))
      this.#settle(message.id);
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  /** Resolves once every request that was read is answered, or was cancelled. */
  async idle(): Promise<void> {
    while (this.#unanswered.size > 0) await this.#isIdle.promise;
  }

  #read(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) {
      if (message.method !== STREAM) this.#unanswered.add(message.id);
      return;
    }
    const id = message.method === 'notifications/cancelled' ? message.params?.['requestId'] : null;
    if (typeof id === 'string' || typeof id === 'number') this.#settle(id);
  }

  #settle(id: RequestId): void {
    this.#unanswered.delete(id);
    if (this.#unanswered.size > 0) return;
    this.#isIdle.resolve();
    this.#isIdle = Promise.withResolvers();
  }
}
