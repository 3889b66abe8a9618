/** A host for curl and wget: it answers as its address asks, and tells what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';

/** Headers that requests are told apart by. */
const TOLD = /^(?!host|connection|content-length|accept-encoding|expect|transfer-encoding)/;

const PACKED: Readonly<Record<string, (text: string) => Buffer>> = {
  gzip: gzipSync,
  'x-gzip': gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
};

/**
 * `/echo` tells the request, `/N/TEXT` answers with status N, `/to/N/PLACE` leads to `/PLACE`,
 * `/packed/CODING` compresses, `/named/NAME` says how it is called, `/turns/N` fails N times first.
 */
export class EchoHost {
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #turns = 0;

  /** @returns its address, without a slash at the end */
  async listen(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const body = Buffer.concat(parts).toString('latin1');
    const path = (request.url ?? '').split('?')[0] ?? '';
    const [, first = '', second = '', ...rest] = path.split('/');
    response.sendDate = false;
    response.shouldKeepAlive = false;
    if (first === 'to') {
      const location = rest[0] === 'ftp' ? 'ftp://a.example/x' : `/${rest.join('/')}`;
      response
        .writeHead(Number(second), { Location: location, 'Content-Length': 6 })
        .end('moved\n');
    } else if (first === 'packed') {
      const packed = PACKED[second]?.('packed\n') ?? Buffer.from('as it is\n');
      response
        .writeHead(200, { 'Content-Encoding': second, 'Content-Length': packed.length })
        .end(packed);
    } else if (first === 'named') {
      response
        .writeHead(200, {
          'Content-Disposition': `attachment; filename="${second}"`,
          'Content-Length': 6,
        })
        .end('named\n');
    } else if (first === 'turns') {
      this.#turns++;
      const fails = this.#turns <= Number(second);
      if (!fails) this.#turns = 0;
      response
        .writeHead(fails ? Number(rest[0]) : 200, { 'Content-Length': 5 })
        .end(fails ? 'wait\n' : 'done\n');
    } else if (/^\d{3}$/.test(first)) {
      const text = `${second}\n`;
      response.writeHead(Number(first), {
        'Content-Type': 'text/plain',
        'X-Twice': ['a', 'b'],
        'Content-Length': text.length,
      });
      response.end(text);
    } else {
      const headers = Object.entries(request.headers)
        .filter(([name]) => TOLD.test(name))
        .map(
          ([name, value]) =>
            `${name}: ${name === 'user-agent' && /^curl\/|^Wget\//.test(String(value)) ? 'own' : value}\n`,
        )
        .sort();
      // The mark between the parts of a form is never the same.
      const told = `${request.method} ${request.url}\n${headers.join('')}\n${body}`.replaceAll(
        /-{20,}[0-9A-Za-z]{10,}/g,
        '----',
      );
      response.writeHead(200, { 'Content-Length': Buffer.byteLength(told, 'latin1') });
      response.end(Buffer.from(told, 'latin1'));
    }
  }
}
