/**
 * The converter in a thread of its own, started when it is first needed: what a
 * document makes of it, an end without an end or more memory than there is, ends
 * that thread and nothing else.
 */
import { Worker } from 'node:worker_threads';
import type { Errno } from '../errors.ts';
import { broken, DocumentFault } from './fault.ts';
import { LARGEST_BUFFERS, LARGEST_HEAP, LONGEST_CONVERSION, LONGEST_TEXT } from './limits.ts';
import type { DocumentFormat } from './names.ts';

/** What the thread is asked, and what it answers. */
export interface ConversionRequest {
  id: number;
  format: DocumentFormat;
  bytes: Uint8Array;
}
export type ConversionAnswer = { id: number } & (
  | { text: string }
  | { fault: { code: Errno; reason: string } }
);

/** How often the thread is asked what it takes, ms. */
const ASK_MS = 50;
/** A thread that had nothing to do for so long ends, ms. */
const IDLE_MS = 10_000;
const MIB = 1024 * 1024;

/** Converts one document after another. */
export class Converter {
  #worker: Worker | null = null;
  #last: Promise<unknown> = Promise.resolve();
  #ids = 0;
  #idle: NodeJS.Timeout | undefined;

  /** @throws DocumentFault where it has no text; EIO and ETIMEDOUT where it took too much */
  async convert(format: DocumentFormat, bytes: Uint8Array): Promise<string> {
    const mine = this.#last.then(() => this.#next(format, bytes));
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = null;
    await worker?.terminate();
  }

  async #next(format: DocumentFormat, bytes: Uint8Array): Promise<string> {
    clearTimeout(this.#idle);
    const worker = this.#worker ?? start();
    this.#worker = worker;
    const id = ++this.#ids;
    worker.ref();
    try {
      const answer = await this.#answered(worker, { id, format, bytes });
      if ('fault' in answer) throw new DocumentFault(answer.fault.code, answer.fault.reason);
      if (answer.text.length > LONGEST_TEXT) throw tooLong();
      return answer.text;
    } finally {
      worker.unref();
      this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
    }
  }

  #answered(worker: Worker, request: ConversionRequest): Promise<ConversionAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<ConversionAnswer>();
    const end = (fault: DocumentFault): void => {
      if (this.#worker === worker) this.#worker = null;
      void worker.terminate();
      reject(fault);
    };
    const timer = setTimeout(() => end(tooSlow()), LONGEST_CONVERSION);
    const watch = setInterval(
      () => void isTooLarge(worker).then((yes) => yes && end(tooLarge())),
      ASK_MS,
    );
    const onMessage = (answer: ConversionAnswer): void => {
      if (answer.id === request.id) resolve(answer);
    };
    const onError = (error: Error): void =>
      end(
        'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
          ? tooLarge()
          : broken(`cannot be read: ${error.message}`),
      );
    const onExit = (): void => end(tooLarge());
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    worker.postMessage(request);
    return promise.finally(() => {
      clearTimeout(timer);
      clearInterval(watch);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    });
  }
}

function start(): Worker {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new Worker(new URL(`./converter-worker.${extension}`, import.meta.url), {
    env: {},
    name: 'dirigent-texts',
    resourceLimits: { maxOldGenerationSizeMb: LARGEST_HEAP },
    // What libraries say of odd documents is for nobody.
    stdout: true,
    stderr: true,
  });
}

/** Buffers are outside of the heap that the engine limits. */
async function isTooLarge(worker: Worker): Promise<boolean> {
  try {
    return (await worker.getHeapStatistics()).external_memory > LARGEST_BUFFERS * MIB;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_NOT_RUNNING')
      return false;
    throw error;
  }
}

const tooSlow = (): DocumentFault =>
  new DocumentFault('ETIMEDOUT', `takes longer than ${LONGEST_CONVERSION / 1000} s to read`);
const tooLarge = (): DocumentFault =>
  new DocumentFault('EFBIG', 'takes more memory to read than a document may');
const tooLong = (): DocumentFault =>
  new DocumentFault('EFBIG', `has more than ${LONGEST_TEXT / MIB} million characters of text`);
