/** In a process of the host: asks a world's worker, on a line. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import type { FsCall } from '../fs-call.ts';
import { revive } from '../wire-errors.ts';
import { FrameReader, FrameWriter } from './frames.ts';
import type { LineAddress, LineAnswer, LineAsk, LostLine } from './protocol.ts';

const SECRET_BYTES = 32;

/** Where the worker comes to, in a directory that is its user's alone. */
export const lineIn = (directory: string): string => join(directory, 'line');

interface Pending {
  calls: readonly FsCall[];
  resolve(values: unknown[]): void;
  reject(error: Error): void;
}

export class LineClient {
  readonly #open: (address: LineAddress) => Promise<LostLine>;
  readonly #pending = new Map<number, Pending>();
  #socket: string | null = null;
  #line: { socket: Socket; frames: FrameWriter } | null = null;
  #isOpening = false;
  #last = 0;
  /** When the worker was last heard of, or had nothing to answer, ms of a clock that does not jump. */
  #heard = performance.now();
  /** Why nobody answers any more. */
  #ended: Error | null = null;

  /**
   * @param open has the worker come to an address, from then on the last it was told
   * @see Line
   */
  constructor(open: (address: LineAddress) => Promise<LostLine>) {
    this.#open = open;
  }

  /** @param directory its user's alone */
  useDirectory(directory: string): void {
    this.#socket = lineIn(directory);
  }

  /** For how long the worker has kept this process waiting, ms. */
  get waited(): number {
    return this.#pending.size === 0 ? 0 : performance.now() - this.#heard;
  }

  /** Makes calls, one after the other. @throws FsError of the first that fails; those after it are not made */
  ask(calls: readonly FsCall[]): Promise<unknown[]> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    if (this.#pending.size === 0) this.#heard = performance.now();
    this.#last += 1;
    const id = this.#last;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { calls, resolve, reject });
      if (this.#line !== null) this.#line.frames.send(asked(id, calls));
      else void this.#connect();
    });
  }

  /** Nobody will answer any more. */
  end(error: Error): void {
    this.#ended = error;
    this.#line?.socket.destroy();
    this.#fail(error);
  }

  #fail(error: Error): void {
    for (const pending of this.#pending.values()) pending.reject(error);
    this.#pending.clear();
  }

  async #connect(): Promise<void> {
    if (this.#isOpening || this.#socket === null) return;
    this.#isOpening = true;
    const secret = randomBytes(SECRET_BYTES);
    const waiting = new Waiting(secret);
    try {
      await waiting.listen(this.#socket);
      const lost = await this.#open({ socket: this.#socket, secret: secret.toString('hex') });
      const socket = await waiting.come;
      this.#begin(socket, lost);
    } catch (error) {
      this.#fail(error as Error);
    } finally {
      waiting.close();
      this.#isOpening = false;
    }
    // It may have ended at once.
    if (this.#line === null && this.#pending.size > 0) void this.#connect();
  }

  #begin(socket: Socket, lost: LostLine): void {
    if (this.#ended !== null) return void socket.destroy();
    const frames = new FrameWriter(socket);
    const line = { socket, frames };
    const reader = new FrameReader(Buffer.allocUnsafeSlow, (message) =>
      // The worker is this world's own.
      this.#receive(message as LineAnswer),
    );
    socket.on('data', (bytes: Buffer) => {
      this.#heard = performance.now();
      reader.take(bytes);
    });
    socket
      .on('error', () => undefined)
      .on('close', () => {
        if (this.#line !== line) return;
        this.#line = null;
        if (this.#pending.size > 0) void this.#connect();
      });
    this.#line = line;
    for (const [id, { calls, reject }] of this.#pending) {
      if (id > lost.begun) {
        frames.send(asked(id, calls));
        continue;
      }
      this.#pending.delete(id);
      reject(new Error(lost.message));
    }
  }

  #receive({ id, rows: [values], error }: LineAnswer): void {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    if (error === undefined) pending?.resolve(values);
    else pending?.reject(revive(error));
  }
}

const asked = (id: number, calls: readonly FsCall[]): LineAsk => ({
  id,
  rows: calls as unknown as LineAsk['rows'],
});

/** Listens until the one has come who knows the secret. */
class Waiting {
  readonly #secret: Buffer;
  readonly #server = createServer((socket) => this.#greet(socket));
  /** Who has come, and said nothing yet. */
  readonly #strangers = new Set<Socket>();
  readonly #come = Promise.withResolvers<Socket>();

  constructor(secret: Buffer) {
    this.#secret = secret;
  }

  get come(): Promise<Socket> {
    return this.#come.promise;
  }

  listen(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject).listen(path, resolve);
    });
  }

  close(): void {
    this.#server.close();
    for (const stranger of this.#strangers) stranger.destroy();
  }

  #greet(socket: Socket): void {
    this.#strangers.add(socket);
    const look = (): void => {
      const said = socket.read(this.#secret.length) as Buffer | null;
      if (said === null) return;
      socket.off('readable', look);
      this.#strangers.delete(socket);
      if (said.length === this.#secret.length && timingSafeEqual(said, this.#secret))
        this.#come.resolve(socket);
      else socket.destroy();
    };
    socket.on('error', () => socket.destroy()).on('close', () => this.#strangers.delete(socket));
    socket.on('readable', look);
  }
}
