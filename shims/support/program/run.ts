/** One run of a program in a thread of its own: what it asks of the world, and its end. */
import { AsyncResource } from 'node:async_hooks';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { DefenseInDepthBox } from 'just-bash';
import { type Tool, toBuffer } from '../tool.ts';
import { answer, type Call } from './bridge.ts';
import type { GuestNews, GuestStart } from './guest.ts';
import { CallAnswers } from './world-calls.ts';

/** The most that a program prints, which is what the shell takes. Bytes. */
const OUTPUT_LIMIT = 64 * 1024 * 1024;
/** As the shell says of a program that was ended by SIGPIPE. */
/** Of a program that was stopped from outside, as timeout has it. */
const ABORTED = 124;
const PIPE_STATUS = 141;

/** What a program is. */
export interface Program {
  /** As people call it. */
  title: string;
  /** The module of its thread, which takes a {@link GuestStart} with `extra`. */
  worker: URL;
  /** What it is started with besides. Must be cloneable. */
  extra?: object;
  /** What its part in JavaScript may take. MiB. */
  heapMib: number;
  /** Options of Node.js for its thread. */
  flags?: readonly string[];
  /** What its part in JavaScript may take of stack; 4 unless told. MiB. */
  stackMib?: number;
  /** How many may run at once in a world, each started by another. */
  mostAtOnce: number;
}

/** What the runs of a program in one world share. */
export interface ProgramState {
  /** The program, compiled once. */
  module: object | null;
  /** How many run now. */
  running: number;
}

type Message = Call | { news: GuestNews };

/** Runs a program to its end, an abort or its limits; the tool has its output and status then. */
export async function runProgram(tool: Tool, program: Program, state: ProgramState): Promise<void> {
  const endless = tool.fs.endlessRead();
  tool.enough();
  // One that starts itself again and again would take the machine's memory, thread by thread.
  if (state.running >= program.mostAtOnce) {
    tool.fail(
      `Resource temporarily unavailable: ${program.mostAtOnce} are running, each started by another, and no more may`,
      126,
    );
    return;
  }
  state.running += 1;
  try {
    // Commands may start no thread: this is code of ours.
    await DefenseInDepthBox.runTrustedAsync(
      () => new ProgramRun(tool, program, state, endless).ended,
    );
  } finally {
    state.running -= 1;
  }
}

/** The module of a thread beside the module that asks, in the checkout and in the package. */
export function besideModule(url: string, name: string): URL {
  return new URL(`./${name}.${url.endsWith('.ts') ? 'ts' : 'js'}`, url);
}

class ProgramRun {
  readonly ended: Promise<void>;
  readonly #tool: Tool;
  readonly #program: Program;
  readonly #state: ProgramState;
  readonly #port: MessagePort;
  readonly #awake = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #worker: Worker;
  readonly #calls: CallAnswers;
  /** Its command goes on at once where `timeout` has stopped it: what comes late would end the whole line. */
  readonly #onAbort = (): void => {
    this.#tool.status = ABORTED;
    this.#settle.resolve();
    this.#end(() => undefined);
  };
  readonly #settle: PromiseWithResolvers<void>;
  #isEnding = false;
  #printed = 0;

  /** @param endless what never ends and comes by standard input, or null */
  constructor(tool: Tool, program: Program, state: ProgramState, endless: string | null) {
    this.#tool = tool;
    this.#program = program;
    this.#state = state;
    this.#calls = new CallAnswers(tool, endless);
    this.#settle = Promise.withResolvers<void>();
    this.ended = this.#settle.promise;
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#worker = this.#spawn(port2);
    // What it asks for is done on behalf of the command that runs, whatever runs beside it.
    port1.on(
      'message',
      AsyncResource.bind((message: Message) => this.#take(message)),
    );
    this.#worker.on('error', (error) => this.#fail(error));
    this.#worker.on('exit', () =>
      this.#fail(new Error(`the thread of ${program.title} ended early`)),
    );
    tool.ctx.signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (tool.ctx.signal?.aborted === true) this.#onAbort();
  }

  #spawn(port: MessagePort): Worker {
    const tool = this.#tool;
    const start: GuestStart = {
      port,
      awake: this.#awake,
      args: tool.args,
      cwd: tool.ctx.cwd,
      env: { ...tool.ctx.exportedEnv },
      stdin: toBuffer(tool.stdin),
      module: this.#state.module,
      ...this.#program.extra,
    };
    return new Worker(this.#program.worker, {
      workerData: start,
      transferList: [port],
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning', ...(this.#program.flags ?? [])],
      resourceLimits: {
        maxOldGenerationSizeMb: this.#program.heapMib,
        ...(this.#program.stackMib === undefined ? {} : { stackSizeMb: this.#program.stackMib }),
      },
      // Streams of its own: what it printed past ours would reach the host's terminal.
      stdin: true,
      stdout: true,
      stderr: true,
      name: `dirigent-${this.#program.title.toLowerCase()}`,
    });
  }

  #take(message: Message): void {
    if ('news' in message) {
      this.#hear(message.news);
      return;
    }
    this.#calls.answer(message).then(
      (reply) => answer({ port: this.#port, awake: this.#awake }, reply),
      (error: unknown) => this.#fail(error),
    );
  }

  #hear(news: GuestNews): void {
    if ('compiled' in news) {
      this.#state.module = news.compiled;
    } else if ('status' in news) {
      this.#tool.status = news.status;
      this.#end(() => this.#settle.resolve());
    } else {
      this.#print(news.stream, Buffer.from(news.bytes));
    }
  }

  #print(stream: 'stdout' | 'stderr', bytes: Buffer): void {
    const tool = this.#tool;
    if (stream === 'stderr') tool.stderr += bytes.toString();
    else tool.write(bytes.toString('latin1'));
    this.#printed += bytes.length;
    if (this.#printed > OUTPUT_LIMIT && !this.#isEnding) {
      tool.fail(`output exceeds ${OUTPUT_LIMIT / 2 ** 20} MiB`, PIPE_STATUS);
      this.#end(() => this.#settle.resolve());
    }
  }

  #fail(error: unknown): void {
    this.#end(() => this.#settle.reject(error));
  }

  /** Nothing of it goes on once the command has ended. */
  #end(finish: () => void): void {
    if (this.#isEnding) return;
    this.#isEnding = true;
    this.#tool.ctx.signal?.removeEventListener('abort', this.#onAbort);
    this.#port.close();
    this.#worker.terminate().then(finish, this.#settle.reject);
  }
}
