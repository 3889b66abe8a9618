/**
 * Writing to stdout and stderr: whole, quiet when nobody reads any more, and
 * nothing that an agent or a service wrote as it came. Into a pipe, too: a
 * pager at its end is a terminal. Only what a command printed is not touched.
 */
import fs from 'node:fs';
import { type VisibleText, visibleJson } from '../visible.ts';
import { NO_STATUS_LINE } from './status-line.ts';

/** Where bytes go; tests have their own. */
export interface Streams {
  /** Resolves when the bytes have left; false when nobody reads any more. */
  out(data: string | Uint8Array): Promise<boolean>;
  err(data: string | Uint8Array): Promise<boolean>;
  /** Is stderr a terminal, for colour and progress? */
  readonly errIsTerminal: boolean;
  readonly outIsTerminal: boolean;
  /** Rows of the terminal that is stdout; undefined where it is none. */
  rows?(): number | undefined;
  /** Cells of a terminal's row; undefined where it is none. */
  columns?(stream: 'stdout' | 'stderr'): number | undefined;
}

/** Is nothing on the line of the terminal any more? So it is as well where a line of progress was taken away. */
const endsLine = (data: string | Uint8Array): boolean =>
  typeof data === 'string'
    ? data.endsWith('\n') || data.endsWith(NO_STATUS_LINE.toString())
    : data.at(-1) === 10;

/** What the command line prints to. */
export class Output {
  readonly #streams: Streams;
  /** While a question is asked: when it will have been. */
  #asked: Promise<void> | null = null;
  #atLineStart = true;

  constructor(streams: Streams) {
    this.#streams = streams;
  }

  /** Resolves when the text has left; false when nobody reads any more. */
  out(text: VisibleText): Promise<boolean> {
    return this.#print('out', text.toString());
  }

  err(text: VisibleText): Promise<boolean> {
    return this.#print('err', text.toString());
  }

  /** A value for programs, on stdout: JSON in which nothing is hidden, and a newline. */
  json(value: unknown, indent?: number): Promise<boolean> {
    return this.#print('out', `${visibleJson(value, indent)}\n`);
  }

  /** What a command of the shell printed, byte by byte: its own affair, as at any shell. */
  bytes(stream: 'stdout' | 'stderr', bytes: Uint8Array): Promise<boolean> {
    return this.#print(stream === 'stdout' ? 'out' : 'err', bytes);
  }

  /**
   * Asks a person something, on a line of its own. Until the work is done
   * whatever else is printed waits: nothing comes between question and answer.
   * @param work prints by what it is handed
   */
  async whileAsking<T>(
    work: (say: (text: VisibleText) => Promise<boolean>) => Promise<T>,
  ): Promise<T> {
    while (this.#asked !== null) await this.#asked;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#asked = promise;
    try {
      if (!this.#atLineStart) await this.#write('err', '\n');
      return await work((text) => this.#write('err', text.toString()));
    } finally {
      this.#asked = null;
      resolve();
    }
  }

  async #print(to: 'out' | 'err', data: string | Uint8Array): Promise<boolean> {
    while (this.#asked !== null) await this.#asked;
    return this.#write(to, data);
  }

  #write(to: 'out' | 'err', data: string | Uint8Array): Promise<boolean> {
    if (data.length > 0) this.#atLineStart = endsLine(data);
    return this.#streams[to](data);
  }

  get errIsTerminal(): boolean {
    return this.#streams.errIsTerminal;
  }

  get outIsTerminal(): boolean {
    return this.#streams.outIsTerminal;
  }

  /** Rows of the screen on stdout; undefined where it is no terminal. */
  rows(): number | undefined {
    return this.#streams.rows?.();
  }

  /** Cells of a row on stdout or stderr; undefined where it is no terminal. */
  columns(stream: 'stdout' | 'stderr'): number | undefined {
    return this.#streams.columns?.(stream);
  }
}

/** How long to wait before a full pipe is tried again, in ms. */
const RETRY_MS = 5;

/**
 * Writes with writev(2) itself: `process.stdout` costs 10 ms of start-up, and
 * `process.exit` cuts off what a pipe has not taken yet.
 */
async function writeAll(descriptor: number, data: string | Uint8Array): Promise<boolean> {
  const bytes = typeof data === 'string' ? Buffer.from(data) : data;
  for (let offset = 0; offset < bytes.length; ) {
    try {
      offset += fs.writeSync(descriptor, bytes, offset);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code === 'EPIPE' || (code === 'EIO' && isDevice(descriptor))) return false;
      // A pipe that another process made non-blocking, and that is full.
      if (code !== 'EAGAIN') throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
  return true;
}

/** A terminal that has gone away answers EIO, and is none any more; a disk that fails answers it, too. */
const isDevice = (descriptor: number): boolean => fs.fstatSync(descriptor).isCharacterDevice();

/** The process's own stdout and stderr. */
export function processOutput(isTerminal: (descriptor: number) => boolean): Output {
  return new Output({
    out: (data) => writeAll(1, data),
    err: (data) => writeAll(2, data),
    get errIsTerminal() {
      return isTerminal(2);
    },
    get outIsTerminal() {
      return isTerminal(1);
    },
    rows: () => (isTerminal(1) ? process.stdout.rows : undefined),
    columns: (stream) =>
      isTerminal(stream === 'stdout' ? 1 : 2) ? process[stream].columns : undefined,
  });
}

/** The terminal that readline draws its prompts on: stderr, as bash's, where it is one. */
export const promptStream = (): NodeJS.WritableStream =>
  process.stderr.isTTY ? process.stderr : process.stdout;

/** For a protocol that is spoken on stdout: nothing else is printed there then. */
export const processStdout = (): NodeJS.WriteStream => process.stdout;
