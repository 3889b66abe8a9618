/** In the worker: the lines on which processes of the host ask. Who asks, the thread says that let them in. */
import type { Socket } from 'node:net';
import type { Acting } from '../../policy/acting.ts';
import { changedBy, changedPaths, type FsAnswer, type FsCall } from '../fs-call.ts';
import { nobodyYet } from '../policing.ts';
import { PolicyWatch } from '../policy-file.ts';
import { wire } from '../wire-errors.ts';
import type { FrameWriter } from './frames.ts';
import type { LineAnswer, LineAsk, LineFromWorker, LineNews, LineToWorker } from './protocol.ts';

type Opening = Extract<LineToWorker, { type: 'line' }>;

/** After so long without a question it is said that no more come, ms. */
const REST_MS = 25;

/** A content of this size is read in a few turns. */
const READ_BYTES = 256 * 1024;

export interface ServedLinesOptions {
  send(message: LineFromWorker): void;
  /** Tells what a line does, ahead of its answer, where it is kept even if this thread is ended. */
  tell(line: number, news: LineNews): void;
  make(acting: Acting, calls: readonly FsCall[]): Promise<FsAnswer>;
  /** Something is under way. */
  during<T>(work: () => Promise<T>): Promise<T>;
}

export class ServedLines {
  readonly #options: ServedLinesOptions;
  readonly #lines = new Map<number, ServedLine>();

  constructor(options: ServedLinesOptions) {
    this.#options = options;
  }

  /** Is there once the process can be told that it was let in. It takes the place of the line that it had. */
  async open(message: Opening): Promise<void> {
    // Most worlds have no line, and load nothing for one.
    const [{ connect }, { FrameReader, FrameWriter }, { askSchema }] = await Promise.all([
      import('node:net'),
      import('./frames.ts'),
      import('./protocol.ts'),
    ]);
    this.#lines.get(message.line)?.end();
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const socket = connect({
      path: message.address.socket,
      onread: {
        buffer,
        callback: (bytes) => {
          try {
            reader.take(buffer.subarray(0, bytes));
          } catch (error) {
            socket.destroy(error as Error);
          }
          return true;
        },
      },
    });
    // Other threads have a content without a copy.
    const shared = (length: number): Buffer => Buffer.from(new SharedArrayBuffer(length));
    const reader = new FrameReader(shared, (given) => {
      const { success, data } = askSchema.safeParse(given);
      if (success) line.receive(data);
      else line.refuse(given);
    });
    const line = new ServedLine(message, this.#options, socket, new FrameWriter(socket));
    this.#lines.set(message.line, line);
    await new Promise<void>((resolve, reject) => {
      // Whoever asks meets the end of it, and wants another.
      socket.on('error', reject).on('close', () => {
        reject(new Error('the line was cut before it was there'));
        line.end();
        if (this.#lines.get(message.line) === line) this.#lines.delete(message.line);
      });
      socket.write(Buffer.from(message.address.secret, 'hex'), () => resolve());
    });
  }

  receive(message: Exclude<LineToWorker, Opening>): void {
    const line = this.#lines.get(message.line);
    if (message.type === 'line-go') line?.go(message.context);
    else if (message.type === 'line-abort') line?.abort();
    else line?.end();
  }
}

class ServedLine {
  readonly #line: number;
  readonly #begun: Int32Array;
  readonly #options: ServedLinesOptions;
  readonly #socket: Socket;
  readonly #frames: FrameWriter;
  readonly #rules: PolicyWatch;
  readonly #stopped = new AbortController();
  #state: 'rests' | 'asks' | 'goes' = 'rests';
  #context: Acting['context'] = nobodyYet('host').context;
  /** Questions that wait until they may be answered. */
  #waiting: LineAsk[] = [];
  #underWay = 0;
  /** Has a question come since it was looked last? */
  #isUsed = false;
  #timer: NodeJS.Timeout | undefined;
  #rest: (() => void) | null = null;

  constructor(
    { line, rules, begun }: Opening,
    options: ServedLinesOptions,
    socket: Socket,
    frames: FrameWriter,
  ) {
    this.#line = line;
    this.#begun = begun;
    this.#options = options;
    this.#socket = socket;
    this.#frames = frames;
    this.#rules = new PolicyWatch(rules);
  }

  receive(asked: LineAsk): void {
    if (this.#state === 'goes' && !this.#rules.changed()) return void this.#answer(asked);
    this.#waiting.push(asked);
    if (this.#state === 'asks') return;
    this.#state = 'asks';
    this.#options.send({ type: 'line', line: this.#line, step: 'asks' });
  }

  /** What is no question is answered as one, or ends the line. */
  refuse(given: unknown): void {
    const { id } = given as { id?: unknown };
    if (typeof id !== 'number') throw new Error('what came on a line has no number');
    this.#send({
      id,
      rows: [[]],
      error: { message: 'what was asked on a line is no call of files' },
    });
  }

  /** Nobody else has the world to himself, and the rules are those of now. */
  go(context: Acting['context'] = nobodyYet('host').context): void {
    if (this.#state === 'rests') return;
    this.#context = context;
    this.#state = 'goes';
    for (const asked of this.#waiting.splice(0)) void this.#answer(asked);
    if (this.#rest !== null) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#rest = resolve;
    void this.#options.during(() => promise);
    this.#timer = setInterval(() => this.#look(), REST_MS);
  }

  abort(): void {
    this.#stopped.abort();
  }

  end(): void {
    this.#socket.destroy();
    this.#waiting = [];
    if (this.#underWay === 0) this.#stop();
  }

  #look(): void {
    const isUsed = this.#isUsed || this.#underWay > 0 || this.#state === 'asks';
    this.#isUsed = false;
    if (!isUsed || this.#socket.destroyed) this.#stop();
  }

  #stop(): void {
    if (this.#underWay > 0) return;
    clearInterval(this.#timer);
    const wasUsed = this.#state !== 'rests';
    this.#state = 'rests';
    this.#rest?.();
    this.#rest = null;
    if (wasUsed) this.#options.send({ type: 'line', line: this.#line, step: 'rests' });
  }

  async #answer({ id, rows }: LineAsk): Promise<void> {
    Atomics.store(this.#begun, 0, id);
    this.#isUsed = true;
    this.#underWay += 1;
    const calls: readonly FsCall[] = rows;
    const { tell, make, send } = this.#options;
    const line = this.#line;
    const read = new Set<string>();
    const touched = calls.flatMap(changedPaths);
    if (touched.length > 0) tell(line, { touched });
    const acting: Acting = {
      // Each question that belongs to no turn is one of its own.
      context: { ...this.#context },
      read,
      signal: this.#stopped.signal,
      onParked: () => send({ type: 'line', line, step: 'waits' }),
    };
    const failed = (error: unknown): FsAnswer => ({ values: [], error: wire(error) });
    const { values, error } = await make(acting, calls).catch(failed);
    const changed = changedBy(calls, values);
    const failure = error === undefined ? {} : { error };
    if (changed.length > 0 || read.size > 0 || error !== undefined)
      tell(line, { read: [...read], changed, ...(error === undefined ? {} : { failed: error }) });
    this.#underWay -= 1;
    this.#send({ id, rows: [values], ...failure });
  }

  #send(answer: LineAnswer): void {
    if (!this.#socket.destroyed) this.#frames.send(answer);
  }
}
