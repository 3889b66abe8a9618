/** What mounts ask of the program that has their files open: between the worker and its supervisor. */
import type { Buffers } from '../disk/buffers.ts';
import type { BufferRequest, FromWorker, ToWorker } from './protocol.ts';
import { revive, wire } from './wire-errors.ts';

/** The worker's side: it asks, and others know how. */
export class BufferCalls {
  readonly #send: (message: FromWorker) => void;
  readonly #asked = new Map<number, PromiseWithResolvers<string>>();
  #last = 0;

  constructor(send: (message: FromWorker) => void) {
    this.#send = send;
  }

  /** The buffers as a mount has them. @param able what the program can be asked for */
  buffers({ reads, writes }: Pick<Buffers, 'reads' | 'writes'>): Buffers {
    return {
      reads,
      writes,
      read: (path) => this.#ask({ op: 'read', path }),
      write: async (path, text) => void (await this.#ask({ op: 'write', path, text })),
    };
  }

  receive(message: Extract<ToWorker, { type: 'buffer-answer' | 'buffer-failed' }>): void {
    const asked = this.#asked.get(message.ask);
    this.#asked.delete(message.ask);
    if (message.type === 'buffer-answer') asked?.resolve(message.text);
    else asked?.reject(revive(message.error));
  }

  #ask(request: BufferRequest): Promise<string> {
    const ask = ++this.#last;
    const asked = Promise.withResolvers<string>();
    this.#asked.set(ask, asked);
    this.#send({ type: 'buffer', ask, request });
    return asked.promise;
  }
}

/** The supervisor's side: asks the program, and passes its answer on. */
export async function answerBuffer(
  buffers: Buffers | undefined,
  { ask, request }: Extract<FromWorker, { type: 'buffer' }>,
  post: (answer: ToWorker) => void,
): Promise<void> {
  try {
    if (buffers === undefined) throw new Error('whoever opened this world has no files open');
    let text = '';
    if (request.op === 'read') text = await buffers.read(request.path);
    else await buffers.write(request.path, request.text);
    post({ type: 'buffer-answer', ask, text });
  } catch (error) {
    post({ type: 'buffer-failed', ask, error: wire(error) });
  }
}
