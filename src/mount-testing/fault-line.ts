/** A line to a stand-in that can be disturbed: an HTTP server that hands on, counts, and breaks what it is told to break. */
import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { LineFault } from './subject.ts';

/** A request that passed, or was stopped. */
export interface PassedRequest {
  method: string;
  /** The path with its query. */
  url: string;
  /** As it was sent, in UTF-8. */
  body: string;
  /** null where the connection was cut. */
  status: number | null;
}

type Kind = LineFault['kind'];

/** What is answered instead of asking the service. */
const ANSWERED: Partial<
  Record<Kind, { status: number; body: string; headers?: Record<string, string> }>
> = {
  'server-error': { status: 500, body: '{"error":"it failed"}' },
  refused: { status: 401, body: '{"error":"who are you?"}' },
  limited: { status: 429, body: '{"error":"too many"}', headers: { 'retry-after': '30' } },
  garbled: { status: 200, body: '<html>not what you think</html>' },
};

/** On a port of loopback, in front of the stand-in at `target`, which may change. */
export class FaultLine implements AsyncDisposable {
  readonly rows: PassedRequest[] = [];
  target: string;
  readonly #server: Server;
  #faults: { fault: LineFault; skip: number; left: number }[] = [];

  private constructor(target: string) {
    this.target = target;
    this.#server = createServer((asked, answer) => {
      // What cannot be handed on breaks off, as a line would.
      this.#pass(asked, answer).catch(() => answer.destroy());
    });
  }

  /** Opens a line to an address: what is sent to its `url` goes there. */
  static async open(target: string): Promise<FaultLine> {
    const line = new FaultLine(target);
    await new Promise<void>((resolve) => line.#server.listen(0, '127.0.0.1', resolve));
    return line;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** From now on requests meet the fault, until its times are over. */
  fault(fault: LineFault): void {
    const { skip = 0, times = Number.POSITIVE_INFINITY } = fault;
    this.#faults.push({ fault, skip, left: times });
  }

  /** No request meets a fault any more. */
  clearFaults(): void {
    this.#faults = [];
  }

  /** Ends what is under way, and closes the line. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }

  /** The fault that a request meets; each that could have met it counts it. */
  #met(): LineFault | null {
    let met: LineFault | null = null;
    for (const each of this.#faults) {
      if (each.skip > 0) each.skip -= 1;
      else if (each.left > 0 && met === null) {
        each.left -= 1;
        met = each.fault;
      }
    }
    return met;
  }

  async #pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await buffer(asked);
    const { method = 'GET', url = '/' } = asked;
    const row: PassedRequest = { method, url, body: body.toString(), status: null };
    this.rows.push(row);
    const fault = this.#met();
    if (fault?.kind === 'cut') return void asked.socket.destroy();
    if (fault?.kind === 'slow') await delay(fault.ms);
    const instead = fault === null ? undefined : ANSWERED[fault.kind];
    if (instead !== undefined) {
      row.status = instead.status;
      const type = instead.body.startsWith('{') ? 'application/json' : 'text/html';
      answer.writeHead(instead.status, { 'content-type': type, ...instead.headers });
      return void answer.end(instead.body);
    }
    const { status, headers, bytes } = await this.#send(asked, body);
    if (fault?.kind === 'lost-answer') return void asked.socket.destroy();
    if (fault?.kind === 'cut-body') {
      answer.writeHead(status, { ...headers, 'content-length': bytes.length + 1 });
      answer.write(bytes.subarray(0, bytes.length / 2), () => asked.socket.destroy());
      return;
    }
    row.status = status;
    answer.writeHead(status, headers).end(bytes);
  }

  /** The headers go as they came, `host` too: a stand-in that names itself names this line. */
  #send({ method, url, headers }: IncomingMessage, body: Buffer) {
    const { hostname, port } = new URL(this.target);
    return new Promise<{ status: number; headers: IncomingMessage['headers']; bytes: Buffer }>(
      (resolve, reject) => {
        const onward = request({ hostname, port, method, path: url, headers }, (answer) => {
          const { 'transfer-encoding': _chunked, ...kept } = answer.headers;
          buffer(answer).then(
            (bytes) => resolve({ status: answer.statusCode ?? 502, headers: kept, bytes }),
            reject,
          );
        });
        onward.once('error', reject);
        onward.end(body);
      },
    );
  }
}
