/**
 * The terminal of an SSH client. It has no kernel behind it: what a terminal's
 * line discipline does between keys and programs is done here.
 */
import { EventEmitter } from 'node:events';
import type { ServerChannel } from 'ssh2';

export interface TerminalSize {
  columns: number;
  rows: number;
}

const INTERRUPT = 0x03;
const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** No screen is larger, whatever a client says. */
const LARGEST = 1000;
const DEFAULT: TerminalSize = { columns: 80, rows: 24 };

const within = (value: number, or: number): number =>
  Number.isInteger(value) && value > 0 ? Math.min(value, LARGEST) : or;

/** What is typed, as `data`, while somebody listens and it is not paused; Ctrl-C at a command is `interrupt`. */
export class SshTerminal extends EventEmitter {
  readonly #channel: ServerChannel;
  readonly term: string;
  #size: TerminalSize;
  #raw = false;
  #paused = true;
  /** What was typed while nobody read. */
  #held: Buffer[] = [];
  #ended = false;
  #last = 0;

  constructor(channel: ServerChannel, term: string, size: TerminalSize) {
    super();
    this.#channel = channel;
    this.term = term;
    this.#size = DEFAULT;
    this.resize(size);
    channel.on('data', (bytes: Buffer) => this.#typed(bytes));
    channel.on('end', () => this.#end());
    channel.on('close', () => this.#end());
  }

  get size(): TerminalSize {
    return this.#size;
  }

  resize({ columns, rows }: TerminalSize): void {
    this.#size = {
      columns: within(columns, this.#size.columns),
      rows: within(rows, this.#size.rows),
    };
    this.emit('resize');
  }

  /** Are keys for whoever reads, Ctrl-C too? Else it interrupts the command. */
  setRawMode(raw: boolean): this {
    this.#raw = raw;
    return this;
  }

  pause(): this {
    this.#paused = true;
    return this;
  }

  resume(): this {
    this.#paused = false;
    queueMicrotask(() => this.#give());
    return this;
  }

  /** Prints. @returns false when nobody looks any more */
  async write(data: string | Uint8Array): Promise<boolean> {
    if (this.#channel.destroyed || !this.#channel.writable) return false;
    const bytes = this.#withReturns(typeof data === 'string' ? Buffer.from(data) : data);
    if (this.#channel.write(bytes)) return true;
    // A client that does not read is waited for: the command is held up, and not the memory filled.
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#channel.once('drain', resolve);
    this.#channel.once('close', resolve);
    await promise;
    this.#channel.off('drain', resolve).off('close', resolve);
    return this.#channel.writable;
  }

  /** A new line begins at the first column. */
  #withReturns(bytes: Uint8Array): Uint8Array {
    const out: number[] = [];
    let last = this.#last;
    if (!bytes.includes(NEWLINE)) {
      this.#last = bytes.at(-1) ?? last;
      return bytes;
    }
    for (const byte of bytes) {
      if (byte === NEWLINE && last !== RETURN) out.push(RETURN);
      out.push(byte);
      last = byte;
    }
    this.#last = last;
    return Uint8Array.from(out);
  }

  #typed(bytes: Buffer): void {
    const at = this.#raw ? -1 : bytes.lastIndexOf(INTERRUPT);
    // What was typed before it is forgotten, as a terminal flushes it.
    if (at >= 0) {
      this.#held = [];
      this.emit('interrupt');
    }
    this.#held.push(bytes.subarray(at + 1));
    this.#give();
  }

  #give(): void {
    if (this.#paused) return;
    const held = Buffer.concat(this.#held);
    this.#held = [];
    if (held.length > 0) this.emit('data', held);
    if (this.#ended) this.emit('end');
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.emit('hangup');
    this.#give();
  }
}
