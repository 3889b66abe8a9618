/** Lines from a terminal, one at a time, with history and Tab. */
import { createInterface, type Interface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { VisibleText } from '../visible.ts';
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

/** What a question got; Esc is Ctrl-C there. `withdrawn`: nobody asks any more. */
export type Asked = Reading | 'withdrawn';

type Listener = (...data: unknown[]) => void;

/** In so many ms what was typed ahead has arrived. */
const SETTLING_MS = 100;

/** Ctrl-U. */
const CLEAR_LINE = { ctrl: true, name: 'u' };

export class LineReader {
  readonly #input: TerminalInput;
  readonly #output: NodeJS.WritableStream;
  readonly #readline: Interface;
  /** Lines that were typed, or pasted, ahead. */
  readonly #ahead: string[] = [];
  #waiting: ((reading: Asked) => void) | null = null;
  #ended = false;
  /** What listened to the terminal until it was lent; null while it is not. */
  #lent: Listener[] | null = null;
  #typed = '';

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
  async read(prompt: VisibleText): Promise<Reading> {
    const reading = await this.#next(prompt);
    return reading === 'withdrawn' ? 'interrupted' : reading;
  }

  #next(prompt: VisibleText): Promise<Asked> {
    const line = this.#ahead.shift();
    if (line !== undefined) return Promise.resolve({ line });
    if (this.#ended) return Promise.resolve('ended');
    this.#readline.setPrompt(prompt.toString());
    this.#readline.resume();
    this.#readline.prompt();
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  /**
   * Leaves the terminal to a command while it runs: Ctrl-C is a signal then,
   * and what is typed stays with the terminal until the next prompt. Whoever
   * reads the keys meanwhile gives back those that were not for it by `typed`.
   */
  async lend<T>(work: () => Promise<T>): Promise<T> {
    this.#lend();
    try {
      return await work();
    } finally {
      this.#takeBack();
      this.#input.setRawMode?.(true);
      const ahead = this.#typed;
      this.#typed = '';
      if (ahead !== '') this.#readline.write(ahead);
    }
  }

  /** Keys that were typed ahead while the terminal was lent. */
  typed(text: string): void {
    this.#typed += text;
  }

  /**
   * Asks something while the terminal is lent to a command. What was typed
   * before the question is no answer to it, and is dropped.
   * @param withdrawn ends the question: it was answered elsewhere
   */
  async ask(question: VisibleText, withdrawn?: AbortSignal): Promise<Asked> {
    if (this.#ended) return 'ended';
    this.#takeBack();
    this.#typed = '';
    this.#input.setRawMode?.(true);
    this.#readline.resume();
    await delay(SETTLING_MS);
    if (withdrawn?.aborted === true) {
      this.#lend();
      return 'withdrawn';
    }
    this.#ahead.length = 0;
    this.#readline.write(null, CLEAR_LINE);
    const onWithdrawn = (): void => {
      this.#readline.write(null, CLEAR_LINE);
      this.#output.write('\n');
      this.#give('withdrawn');
    };
    const onKey = (_: unknown, key?: { name?: string }): void => {
      if (key?.name === 'escape') this.#interrupt();
    };
    withdrawn?.addEventListener('abort', onWithdrawn, { once: true });
    this.#input.on('keypress', onKey);
    try {
      return await this.#next(question);
    } finally {
      withdrawn?.removeEventListener('abort', onWithdrawn);
      this.#input.off('keypress', onKey);
      this.#lend();
    }
  }

  close(): void {
    this.#readline.close();
  }

  /** Leaves the terminal to a command: readline sees no key, not even half of one, until it is taken back. */
  #lend(): void {
    this.#readline.pause();
    this.#input.setRawMode?.(false);
    this.#lent ??= this.#input.listeners('data') as Listener[];
    for (const listener of this.#lent) this.#input.off('data', listener);
  }

  #takeBack(): void {
    const lent = this.#lent ?? [];
    this.#lent = null;
    for (const listener of lent) this.#input.on('data', listener);
  }

  #give(reading: Asked): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    if (waiting !== null) waiting(reading);
    else if (typeof reading === 'object') this.#ahead.push(reading.line);
  }

  /** Forgets the line that is being typed, as shells do. */
  #interrupt(): void {
    this.#ahead.length = 0;
    if (this.#waiting === null) return;
    // What was typed stays to be seen; the prompt is drawn again below it.
    this.#readline.write(null, { ctrl: true, name: 'e' });
    this.#output.write('^C\n');
    // Whoever asks next says what for.
    this.#readline.setPrompt('');
    this.#readline.write(null, CLEAR_LINE);
    this.#give('interrupted');
  }
}
