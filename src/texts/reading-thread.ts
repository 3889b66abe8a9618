/**
 * A thread in which something is read that others wrote, started when it is first needed: what
 * that makes of it, an end without an end or more memory than there is, ends that thread and
 * nothing else.
 */
import { Worker } from 'node:worker_threads';
import type { Errno } from '../errors.ts';
import { broken, DocumentFault } from './fault.ts';

/** What such a thread is. */
export interface ReadingThreadParts {
  /** Its module, which calls `answerEach`; `.ts` or `.js`, as the one that names it. */
  module: URL;
  name: string;
  /** What one answer may take, in ms. */
  longest: number;
  /** What it may take: JavaScript's own heap, and buffers outside of it, in MiB. */
  heap: number;
  buffers: number;
}

/** What the thread is asked, and what it answers. */
export interface Asked<Question> {
  id: number;
  question: Question;
}
export type Answered<Answer> = { id: number } & (
  | { answer: Answer }
  | { fault: { code: Errno; reason: string } }
);

/** How often the thread is asked what it takes, ms. */
const ASK_MS = 50;
/** A thread that had nothing to do for so long ends, ms. */
const IDLE_MS = 10_000;
/**
 * The engine's own limit, as a multiple of what the thread may take: where it is met within a
 * function of the engine's own, it ends the whole process, and so the thread is ended before.
 */
const HEADROOM = 4;
const MIB = 1024 * 1024;

/** Asks one question after another. */
export class ReadingThread<Question, Answer> {
  readonly #parts: ReadingThreadParts;
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #ids = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(parts: ReadingThreadParts) {
    this.#parts = parts;
  }

  /** @throws DocumentFault where it cannot be read; EFBIG and ETIMEDOUT where it took too much */
  async ask(question: Question): Promise<Answer> {
    const mine = this.#last.then(() => this.#next(question));
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  async #next(question: Question): Promise<Answer> {
    clearTimeout(this.#idle);
    const worker = this.#worker ?? this.#start();
    this.#worker = worker;
    const id = ++this.#ids;
    worker.ref();
    try {
      const answer = await this.#answered(worker, { id, question });
      if ('fault' in answer) throw new DocumentFault(answer.fault.code, answer.fault.reason);
      return answer.answer;
    } finally {
      worker.unref();
      this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }

  #answered(worker: Worker, asked: Asked<Question>): Promise<Answered<Answer>> {
    const { longest } = this.#parts;
    const { promise, resolve, reject } = Promise.withResolvers<Answered<Answer>>();
    const end = (fault: DocumentFault): void => {
      if (this.#worker === worker) this.#worker = null;
      void worker.terminate();
      reject(fault);
    };
    const timer = setTimeout(() => end(tooSlow(longest)), longest);
    const watch = setInterval(
      () => void isTooLarge(worker, this.#parts).then((yes) => yes && end(tooLarge())),
      ASK_MS,
    );
    const onMessage = (answer: Answered<Answer>): void => {
      if (answer.id === asked.id) resolve(answer);
    };
    const onError = (error: Error): void =>
      end(
        'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? tooLarge()
          : broken(`cannot be read: ${error.message}`),
      );
    const onExit = (): void => end(tooLarge());
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(asked);
    return promise.finally(() => {
      clearTimeout(timer);
      clearInterval(watch);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    });
  }

  #start(): Worker {
    const { module, name, heap } = this.#parts;
    return new Worker(module, {
      env: {},
      name,
      resourceLimits: { maxOldGenerationSizeMb: heap * HEADROOM },
      // What libraries say of odd documents is for nobody.
      stdout: true,
      stderr: true,
    });
  }
}

async function isTooLarge(
  worker: Worker,
  { heap, buffers }: Pick<ReadingThreadParts, 'heap' | 'buffers'>,
): Promise<boolean> {
  try {
    const { used_heap_size: used, external_memory: outside } = await worker.getHeapStatistics();
    return used > heap * MIB || outside > buffers * MIB;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_NOT_RUNNING')
      return false;
    throw error;
  }
}

const tooSlow = (ms: number): DocumentFault =>
  new DocumentFault('ETIMEDOUT', `takes longer than ${ms / 1000} s to read`);
const tooLarge = (): DocumentFault =>
  new DocumentFault('EFBIG', 'takes more memory to read than a document may');
