/**
 * The output of a line. A command whose stdout is the script's own hands it on
 * here as soon as it is done, and gives its caller nothing: so it is seen at
 * once, is kept when the line is stopped, and is not copied and counted again
 * by each function, loop and group around it.
 */
import { DefenseInDepthBox } from 'just-bash';
import { bytesFromText } from './bytes.ts';
import type { CommandResult } from './interpreter-types.ts';

export type Stream = 'stdout' | 'stderr';

/** Called with bytes, as a latin1 string, as soon as a command is done. */
export type OnOutput = (stream: Stream, bytes: string) => void;

/** Both streams of one line. */
export class LiveOutput {
  readonly #onOutput: OnOutput | undefined;
  readonly #onFull: () => void;
  readonly #chunks: Record<Stream, string[]> = { stdout: [], stderr: [] };
  #room: number;
  #closed = false;

  /** `room` is how many bytes may come; `onFull` is called when there are more, which are dropped. */
  constructor(onOutput: OnOutput | undefined, room: number, onFull: () => void) {
    this.#onOutput = onOutput;
    this.#room = room;
    this.#onFull = onFull;
  }

  /** Hands on text, see bytes.ts. */
  handOn(stream: Stream, text: string): void {
    if (text === '') return;
    let bytes = bytesFromText(text);
    if (bytes.length > this.#room) {
      bytes = bytes.slice(0, this.#room);
      this.#onFull();
    }
    this.#room -= bytes.length;
    this.#deliver(stream, bytes);
  }

  /** Hands on a message of the shell's own, for which there is always room. */
  say(text: string): void {
    if (text !== '') this.#deliver('stderr', bytesFromText(text));
  }

  /** The result without what was handed on: the streams named. */
  take(result: CommandResult, stdout: boolean, stderr: boolean): CommandResult {
    const takesOut = stdout && result.stdout !== '';
    const takesErr = stderr && result.stderr !== '';
    if (!takesOut && !takesErr) return result;
    if (takesOut) this.handOn('stdout', result.stdout);
    if (takesErr) this.handOn('stderr', result.stderr);
    const counted = result.internalOutputAccounting;
    return {
      ...result,
      stdout: takesOut ? '' : result.stdout,
      stderr: takesErr ? '' : result.stderr,
      ...(counted === undefined
        ? {}
        : {
            internalOutputAccounting: {
              stdout: takesOut ? 0 : counted.stdout,
              stderr: takesErr ? 0 : counted.stderr,
            },
          }),
    };
  }

  /** Ends it: a command that was given up may still print, to nobody. */
  close(): void {
    this.#closed = true;
  }

  /** All bytes so far. */
  bytes(stream: Stream): Uint8Array {
    return Buffer.from(this.#chunks[stream].join(''), 'latin1');
  }

  #deliver(stream: Stream, bytes: string): void {
    if (this.#closed) return;
    this.#chunks[stream].push(bytes);
    const onOutput = this.#onOutput;
    // The host's code runs outside the sandbox of the script whose output this is.
    if (onOutput !== undefined) DefenseInDepthBox.runTrusted(() => onOutput(stream, bytes));
  }
}
