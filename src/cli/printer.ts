/** Prints what a command prints while it runs, and in the end what is still missing. */
import type { ExecResult } from '../world/world.ts';
import type { Output } from './output.ts';

type Stream = 'stdout' | 'stderr';

/** Prints one command's output. */
export class Printer {
  readonly #output: Output;
  readonly #onClosed: () => void;
  readonly #printed: Record<Stream, number> = { stdout: 0, stderr: 0 };
  #queue: Promise<void> = Promise.resolve();
  #last: number | undefined;
  #closed = false;

  /** `onClosed` is called when nobody reads stdout any more. */
  constructor(output: Output, onClosed: () => void) {
    this.#output = output;
    this.#onClosed = onClosed;
  }

  /** The last byte that was printed. */
  get last(): number | undefined {
    return this.#last;
  }

  /** Nobody reads stdout any more. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Prints bytes after those before. */
  print(stream: Stream, bytes: Uint8Array): void {
    this.#printed[stream] += bytes.length;
    this.#last = bytes.at(-1) ?? this.#last;
    this.#queue = this.#queue.then(async () => {
      if (bytes.length === 0) return;
      const read = await this.#output.bytes(stream, bytes);
      if (stream === 'stdout' && !read) this.#close();
    });
    // It is awaited in the end; until then a failure is nobody's.
    this.#queue.catch(() => undefined);
  }

  /** Waits until what was handed over so far has left. */
  async settle(): Promise<void> {
    await this.#queue;
  }

  /** Prints what the result has beyond what was printed, and waits until all has left. */
  async finish(result: ExecResult): Promise<void> {
    this.print('stdout', result.stdoutBytes.subarray(this.#printed.stdout));
    this.print('stderr', result.stderrBytes.subarray(this.#printed.stderr));
    await this.#queue;
  }

  #close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#onClosed();
  }
}
