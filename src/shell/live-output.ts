/** The output of a line as it comes: handed on at once, and kept in case the line is stopped. */
import { DefenseInDepthBox } from 'just-bash';
import { bytesFromText } from './bytes.ts';

export type Stream = 'stdout' | 'stderr';

/** Called with the bytes, as a latin1 string, as soon as a command is done. */
export type OnOutput = (stream: Stream, bytes: string) => void;

/** A place in the output so far. */
export interface Position {
  chunks: number;
  length: number;
}

/** One stream of one line. Texts are as bytes.ts describes, lengths in chars. */
class LiveStream {
  readonly #stream: Stream;
  readonly #onOutput: OnOutput | undefined;
  readonly #chunks: string[] = [];
  #length = 0;

  constructor(stream: Stream, onOutput: OnOutput | undefined) {
    this.#stream = stream;
    this.#onOutput = onOutput;
  }

  position(): Position {
    return { chunks: this.#chunks.length, length: this.#length };
  }

  /** All that was handed on. */
  text(): string {
    return this.#chunks.join('');
  }

  /**
   * `total` is the whole output of something that began at `start`. What of it
   * was not handed on yet is. A command may add before (a trace) or after (a
   * message) what the commands inside it have printed; where it did neither,
   * nothing can be said before the end.
   */
  handOnRest(total: string, start: Position): void {
    const done = this.#length - start.length;
    if (total.length <= done) return;
    if (done === 0) {
      this.#handOn(total);
      return;
    }
    const inner = this.#chunks.slice(start.chunks).join('');
    if (total.startsWith(inner)) this.#handOn(total.slice(done));
    else if (total.endsWith(inner)) this.#handOn(total.slice(0, total.length - done));
  }

  /** The output of the finished line. `total` is shorter than what was handed on only if some was dropped. */
  finish(total: string): string {
    this.handOnRest(total, { chunks: 0, length: 0 });
    return total.length >= this.#length ? total : this.text();
  }

  #handOn(text: string): void {
    this.#chunks.push(text);
    this.#length += text.length;
    const onOutput = this.#onOutput;
    if (onOutput === undefined) return;
    const bytes = bytesFromText(text);
    // The host's code runs outside the sandbox of the script whose output this is.
    DefenseInDepthBox.runTrusted(() => onOutput(this.#stream, bytes));
  }
}

/** Both streams of one line. */
export class LiveOutput {
  readonly stdout: LiveStream;
  readonly stderr: LiveStream;

  constructor(onOutput: OnOutput | undefined) {
    this.stdout = new LiveStream('stdout', onOutput);
    this.stderr = new LiveStream('stderr', onOutput);
  }
}
