/** One run of Python: its thread, what it asks of the world, and its end. */
import { AsyncResource } from 'node:async_hooks';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { type Tool, toBuffer } from '../support/tool.ts';
import { answer, type Call } from './bridge.ts';
import type { PythonNews, PythonStart } from './worker.ts';
import { CallAnswers } from './world-calls.ts';

/** What Python may take of memory. Bytes. */
const MEMORY_LIMIT = 512 * 1024 * 1024;
/** What its part in JavaScript may take, beside that. MiB. */
const HEAP_MIB = 256;
/** The most that it prints, which is what the shell takes. Bytes. */
const OUTPUT_LIMIT = 64 * 1024 * 1024;
/** As the shell says of a program that was ended by SIGPIPE. */
const PIPE_STATUS = 141;

/** How many may run at once in a world, each started by another. */
const MOST_AT_ONCE = 4;

/** The program, compiled once a world. */
export interface Compiled {
  module: object | null;
  /** How many run now. */
  running: number;
}

type Message = Call | { news: PythonNews };

/** Runs Python to its end, an abort or its limits; the tool has its output and status then. */
export async function runPython(tool: Tool, compiled: Compiled): Promise<void> {
  // One that starts itself again and again would take the machine's memory, thread by thread.
  if (compiled.running >= MOST_AT_ONCE) {
    tool.fail(
      `Resource temporarily unavailable: ${MOST_AT_ONCE} are running, each started by another, and no more may`,
      126,
    );
    return;
  }
  compiled.running += 1;
  try {
    await new PythonRun(tool, compiled).ended;
  } finally {
    compiled.running -= 1;
  }
}

class PythonRun {
  readonly ended: Promise<void>;
  readonly #tool: Tool;
  readonly #compiled: Compiled;
  readonly #port: MessagePort;
  readonly #awake = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #worker: Worker;
  readonly #calls: CallAnswers;
  readonly #onAbort = (): void => this.#fail(this.#tool.ctx.signal?.reason);
  readonly #settle: PromiseWithResolvers<void>;
  #isEnding = false;
  #printed = 0;

  constructor(tool: Tool, compiled: Compiled) {
    this.#tool = tool;
    this.#compiled = compiled;
    this.#calls = new CallAnswers(tool);
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
    this.#worker.on('exit', () => this.#fail(new Error('the thread of Python ended early')));
    tool.ctx.signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (tool.ctx.signal?.aborted === true) this.#onAbort();
  }

  #spawn(port: MessagePort): Worker {
    const tool = this.#tool;
    const start: PythonStart = {
      port,
      awake: this.#awake,
      args: tool.args,
      cwd: tool.ctx.cwd,
      env: { ...tool.ctx.exportedEnv },
      stdin: toBuffer(tool.stdin),
      module: this.#compiled.module,
      directory: cpythonDirectory(),
      memoryLimit: MEMORY_LIMIT,
    };
    return new Worker(workerModule(), {
      workerData: start,
      transferList: [port],
      env: {},
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
      // Streams of its own: what it printed past ours would reach the host's terminal.
      stdin: true,
      stdout: true,
      stderr: true,
      name: 'dirigent-python',
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

  #hear(news: PythonNews): void {
    if ('compiled' in news) {
      this.#compiled.module = news.compiled;
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

function workerModule(): URL {
  const isSource = import.meta.url.endsWith('.ts');
  return new URL(isSource ? './worker.ts' : './worker.js', import.meta.url);
}

/** The directory of CPython in the package of just-bash. */
function cpythonDirectory(): string {
  const entry = fileURLToPath(import.meta.resolve('just-bash'));
  return `${dirname(dirname(dirname(entry)))}/vendor/cpython-emscripten`;
}
