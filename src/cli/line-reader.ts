/** Lines from a terminal, one at a time, with history and Tab. */
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { Completion } from './completion.ts';

/** The part of a terminal's input that is needed; tests hand in a stream. */
export interface TerminalInput extends NodeJS.ReadableStream {
  setRawMode?(raw: boolean): unknown;
}

export interface LineReaderOptions {
  input: TerminalInput;
  output: NodeJS.WritableStream;
  /** Newest first. */
  history: string[];
  historySize: number;
  complete(text: string): Promise<Completion>;
}

/** What a prompt got: a line, Ctrl-C, or Ctrl-D. */
export type Reading = { line: string } | 'interrupted' | 'ended';

/** In so many ms what was typed ahead has arrived. */
const SETTLING_MS = 100;

export class LineReader {
  readonly #input: TerminalInput;
  readonly #output: NodeJS.WritableStream;
  readonly #readline: Interface;
  /** Lines that were typed, or pasted, ahead. */
  readonly #ahead: string[] = [];
  #waiting: ((reading: Reading) => void) | null = null;
  #ended = false;

  constructor({ input, output, history, historySize, complete }: LineReaderOptions) {
    this.#input = input;
    this.#output = output;
    this.#readline = createInterface({
      input,
      output,
      terminal: true,
      history,
      historySize,
      removeHistoryDuplicates: true,
      completer: (text: string, done: (error: Error | null, result: Completion) => void) => {
        complete(text).then(
          (result) => done(null, result),
          () => done(null, [[], text]),
        );
      },
    });
    this.#readline.on('line', (line) => this.#give({ line }));
    this.#readline.on('SIGINT', () => this.#interrupt());
    this.#readline.on('close', () => {
      this.#ended = true;
      this.#give('ended');
    });
  }

  /** Prompts, and waits for the next line. */
  read(prompt: string): Promise<Reading> {
    const line = this.#ahead.shift();
    if (line !== undefined) return Promise.resolve({ line });
    if (this.#ended) return Promise.resolve('ended');
    this.#readline.setPrompt(prompt);
    this.#readline.resume();
    this.#readline.prompt();
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /**
   * Leaves the terminal to a command while it runs: Ctrl-C is a signal then,
   * and what is typed stays with the terminal until the next prompt.
   */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#readline.pause();
    this.#input.setRawMode?.(false);
    try {
      return await work();
    } finally {
      this.#input.setRawMode?.(true);
    }
  }

  /**
   * Asks something while the terminal is lent to a command. What was typed
   * before the question is no answer to it, and is dropped.
   */
  async ask(question: string): Promise<Reading> {
    if (this.#ended) return 'ended';
    this.#input.setRawMode?.(true);
    this.#readline.resume();
    await delay(SETTLING_MS);
    this.#ahead.length = 0;
    try {
      return await this.read(question);
    } finally {
      this.#readline.pause();
      this.#input.setRawMode?.(false);
    }
  }

  close(): void {
    this.#readline.close();
  }

  #give(reading: Reading): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting !== null) waiting(reading);
    else if (typeof reading === 'object') this.#ahead.push(reading.line);
  }

  /** Forgets the line that is being typed, as shells do. */
  #interrupt(): void {
    // What was typed stays to be seen; the prompt is drawn again below it.
    this.#readline.write(null, { ctrl: true, name: 'e' });
    this.#output.write('^C\n');
    this.#readline.write(null, { ctrl: true, name: 'u' });
    this.#ahead.length = 0;
    this.#give('interrupted');
  }
}
