/**
 * One process for the stand-ins of a whole run of tests, by the hundred: one each would cost more
 * than all that is asked of it. They share nothing else: each has a port and a store of its own.
 */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { CONTROL } from './process.ts';
import { type Listening, type Serve, serving } from './serving.ts';

const startSchema = z.object({ file: z.string(), options: z.unknown() });

class Host {
  readonly #running = new Map<number, Listening>();
  readonly #server = createServer((request, response) => {
    text(request)
      .then((body) => this.#answer(`${request.method} ${request.url}`, body))
      .then(
        (reply) => response.end(JSON.stringify(reply)),
        (error: unknown) => {
          const message = error instanceof Error ? error.message : String(error);
          response.writeHead(400).end(JSON.stringify({ error: message }));
        },
      );
  });

  async #answer(what: string, body: string): Promise<object> {
    if (what === `POST ${CONTROL}/stand-ins`) {
      const { file, options } = startSchema.parse(JSON.parse(body));
      const { serve }: { serve: Serve } = await import(file);
      const listening = await serve(options);
      this.#running.set(listening.port, listening);
      return { port: listening.port, token: listening.token };
    }
    const [, port] = new RegExp(`^DELETE ${CONTROL}/stand-ins/(\\d+)$`).exec(what) ?? [];
    const listening = this.#running.get(Number(port));
    if (listening === undefined) throw new Error(`no ${what}`);
    this.#running.delete(Number(port));
    await listening.close();
    return {};
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening on TCP');
    return address.port;
  }

  close(): Promise<void> {
    throw new Error('ends with its process');
  }
}

const optionsSchema = z.object({ seed: z.null(), port: z.number() });

export const serve = serving(optionsSchema, () => ({ server: new Host(), tokens: {} }));
