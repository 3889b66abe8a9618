/** Answers the grep of real shells in a mounted world: the world's own, on behalf of the door's client. */
import { rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { shellWord } from '../../command-line.ts';
import { isWithin } from '../../paths.ts';
import type { Visit } from '../door.ts';
import { type GrepReply, type GrepRequest, grepRequestSchema } from './grep-protocol.ts';
import { makePlace, socketIn } from './place.ts';

const FAILED = 2;

export class GrepServer {
  readonly #directory: string;
  readonly #visit: Visit;
  readonly #server: Server;
  /** A directory of this mount's own, which is its user's alone. */
  readonly place: string;

  private constructor(directory: string, visit: Visit, place: string) {
    this.#directory = directory;
    this.#visit = visit;
    this.place = place;
    this.#server = createServer((socket) => void this.#serve(socket));
  }

  /** Listens in a directory of its own, which is its user's alone. @param directory where the world is mounted */
  static async listen(directory: string, visit: Visit): Promise<GrepServer> {
    const server = new GrepServer(directory, visit, await makePlace());
    await new Promise<void>((resolve, reject) => {
      server.#server.once('error', reject);
      server.#server.listen(server.socket, resolve);
    });
    return server;
  }

  /** Its address. */
  get socket(): string {
    return socketIn(this.place);
  }

  /** The directory of the shims. */
  get shims(): string {
    return join(this.place, 'bin');
  }

  async close(): Promise<void> {
    this.#server.close();
    await rm(this.place, { recursive: true, force: true });
  }

  async #serve(socket: Socket): Promise<void> {
    const gone = new AbortController();
    socket.on('error', () => gone.abort());
    socket.on('close', () => gone.abort());
    const reply = (message: GrepReply): void => {
      if (!gone.signal.aborted) socket.write(`${JSON.stringify(message)}\n`);
    };
    try {
      const [line = ''] = await firstLine(socket);
      const request = grepRequestSchema.parse(JSON.parse(line));
      await this.#answer(request, reply, gone.signal);
    } catch (error) {
      const said = Buffer.from(`grep: ${(error as Error).message}\n`).toString('base64');
      reply({ type: 'stderr', data: said });
      reply({ type: 'end', status: FAILED });
    }
    socket.end();
  }

  async #answer(
    { cwd, query, paths }: GrepRequest,
    reply: (message: GrepReply) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const places = (paths.length === 0 ? ['.'] : paths).map((path) =>
      this.#inside(resolve(cwd, path)),
    );
    const here = this.#inside(cwd);
    const searchable = await Promise.all(places.map((place) => this.#isSearchable(place)));
    if (searchable.includes(false)) return reply({ type: 'system' });
    // What was named by its path on the host is shown by that.
    const named = paths.map((path) => (path.startsWith('/') ? (this.#inside(path) ?? path) : path));
    const isAbsolute = paths.some((path) => path.startsWith('/'));
    const words = ['command', 'grep', query, ...named].map(shellWord).join(' ');
    const result = await this.#visit.exec(words, {
      signal,
      ...(here === null ? {} : { cwd: here }),
    });
    const shown = isAbsolute
      ? result.stdout.replaceAll(/^(?=\/)/gm, this.#directory.replaceAll('$', '$$$$'))
      : result.stdout;
    reply({ type: 'stdout', data: Buffer.from(shown).toString('base64') });
    reply({ type: 'stderr', data: Buffer.from(result.stderr).toString('base64') });
    reply({ type: 'end', status: result.exitCode });
  }

  /** The path in the world; null for one of the host's own. */
  #inside(path: string): string | null {
    if (!isWithin(this.#directory, path)) return null;
    return path.slice(this.#directory.length) || '/';
  }

  async #isSearchable(place: string | null): Promise<boolean> {
    if (place === null) return false;
    return (await this.#visit.fs.locate(place)).searchable;
  }
}

/** What the client says. */
async function firstLine(socket: Socket): Promise<string[]> {
  const lines = createInterface({ input: socket });
  for await (const line of lines) return [line];
  return [];
}
