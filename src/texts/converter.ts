/** The converter, in a thread of its own. */
import { DocumentFault } from './fault.ts';
import { LARGEST_BUFFERS, LARGEST_HEAP, LONGEST_CONVERSION, LONGEST_TEXT } from './limits.ts';
import type { DocumentFormat } from './names.ts';
import { ReadingThread } from './reading-thread.ts';

/** What the thread is asked. */
export interface Conversion {
  format: DocumentFormat;
  bytes: Uint8Array;
}

const MIB = 1024 * 1024;
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/** Converts one document after another. */
export class Converter {
  readonly #thread = new ReadingThread<Conversion, string>({
    module: new URL(`./converter-worker.${EXTENSION}`, import.meta.url),
    name: 'dirigent-texts',
    longest: LONGEST_CONVERSION,
    heap: LARGEST_HEAP,
    buffers: LARGEST_BUFFERS,
  });

  /** @throws DocumentFault where it has no text; EFBIG and ETIMEDOUT where it took too much */
  async convert(format: DocumentFormat, bytes: Uint8Array): Promise<string> {
    const text = await this.#thread.ask({ format, bytes });
    if (text.length > LONGEST_TEXT) throw tooLong();
    return text;
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

const tooLong = (): DocumentFault =>
  new DocumentFault('EFBIG', `has more than ${LONGEST_TEXT / MIB} million characters of text`);
