/** Reads mails in a thread of its own: no mail stalls the server, or takes its memory. */
import { LARGEST_BUFFERS, LARGEST_HEAP } from '../../src/texts/limits.ts';
import { ReadingThread } from '../../src/texts/reading-thread.ts';
import type { Content } from './content.ts';

/** What the thread is asked: what is in a mail, or one of its files. */
export interface ReaderQuestion {
  source: Uint8Array;
  file: number | null;
}
export type ReaderAnswer = { content: Content } | { file: Uint8Array | null };

/** How long one mail may take, in ms. */
const LONGEST = 60_000;
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

export class Reader {
  readonly #thread = new ReadingThread<ReaderQuestion, ReaderAnswer>({
    module: new URL(`./reader-worker.${EXTENSION}`, import.meta.url),
    name: 'dirigent-mails',
    longest: LONGEST,
    heap: LARGEST_HEAP,
    buffers: LARGEST_BUFFERS,
  });

  /** What is in a mail. @throws DocumentFault where it cannot be read, or takes too much */
  async content(source: Uint8Array): Promise<Content> {
    const answer = await this.#thread.ask({ source, file: null });
    if (!('content' in answer)) throw new Error('the reader has answered another question');
    return answer.content;
  }

  /** One of its files. @returns null where it has none at that place @throws DocumentFault */
  async file(source: Uint8Array, index: number): Promise<Uint8Array | null> {
    const answer = await this.#thread.ask({ source, file: index });
    if (!('file' in answer)) throw new Error('the reader has answered another question');
    return answer.file;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}
