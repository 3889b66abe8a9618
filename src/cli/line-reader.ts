/** Lines from a terminal, one at a time, with history and Tab. */
import { createInterface, type Interface } from 'node:readline';
import { StringDecoder } from 'node:string_decoder';
import { setTimeout as delay } from 'node:timers/promises';
import { type VisibleText, visible } from '../visible.ts';
import type { Completion } from './completion.ts';
import { HistorySearch } from './history-search.ts';
import { FedKeys, firstKey, type TerminalInput } from './keys.ts';
import { promptStream } from './output.ts';

export type { TerminalInput } from './keys.ts';

export interface LineReaderOptions {
  input: TerminalInput;
  output: NodeJS.WritableStream;
  /** Newest first. */
  history: string[];
  historySize: number;
  complete(text: string): Promise<Completion>;
  /** Is the terminal to mark what is pasted, so that its lines are told from lines that were sent? */
  marksPastes?: boolean;
}

/** What a prompt got: a line, Ctrl-C, or Ctrl-D. A `pasted` line ended within a paste: more of it follows. */
export type Reading = { line: string; pasted?: true } | 'interrupted' | 'ended';

/** What a question got; Esc is Ctrl-C there. `withdrawn`: nobody asks any more. */
export type Asked = Reading | 'withdrawn';

/** In so many ms what was typed ahead has arrived. */
const SETTLING_MS = 100;

/** Ctrl-U. */
const CLEAR_LINE = { ctrl: true, name: 'u' };

/** The first line of what was typed, with its end. */
const FIRST_LINE = /^[^\r\n]*(?:\r\n?|\n)/;

/** What a terminal sends before and after a paste, and a part of that at the end of a piece. */
const PASTE = /\x1b\[20([01])~/;
const PART_OF_PASTE = /\x1b\[(?:2(?:0[01]?)?)?$/;
/** Ctrl-R. */
const SEARCH = '\x12';

/** Reads answers at this process's terminal: nothing is completed, and none is remembered. */
export const answerReader = (): LineReader =>
  new LineReader({
    input: process.stdin,
    output: promptStream(),
    history: [],
    historySize: 0,
    complete: async (text) => [[], text],
  });

export class LineReader {
  readonly #input: TerminalInput;
  readonly #output: NodeJS.WritableStream;
  readonly #readline: Interface;
  /** What readline reads: no more than the line that is asked for. */
  readonly #keys: FedKeys;
  readonly #decoder = new StringDecoder('utf8');
  /** Keys that were typed, or pasted, ahead. */
  #held = '';
  /** Newest first. */
  #history: readonly string[];
  #search: HistorySearch | null = null;
  /** May the history be searched: is a command read, and no answer? */
  #searches = false;
  #prompt = '';
  readonly #marksPastes: boolean;
  #pasting = false;
  #waiting: ((reading: Asked) => void) | null = null;
  #ended = false;
  #inputEnded = false;

  constructor(options: LineReaderOptions) {
    const { input, output, history, historySize, complete, marksPastes = false } = options;
    this.#marksPastes = marksPastes;
    this.#input = input;
    this.#output = output;
    this.#history = [...history];
    this.#keys = new FedKeys(input, () => this.#feed());
    this.#readline = createInterface({
      // It has what readline needs of a terminal's input.
      input: this.#keys as unknown as NodeJS.ReadableStream,
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
    this.#readline.on('line', (line) =>
      this.#give(this.#pasting ? { line, pasted: true } : { line }),
    );
    this.#readline.on('SIGINT', () => this.#interrupt());
    this.#readline.on('history', (lines: string[]) => {
      // An answer to a question is no command.
      if (!this.#searches && lines[0] !== this.#history[0]) lines.shift();
      this.#history = [...lines];
    });
    this.#readline.on('close', () => {
      this.#ended = true;
      this.#give('ended');
    });
    this.#listen();
  }

  /** Prompts, and waits for the next line. */
  async read(prompt: VisibleText): Promise<Reading> {
    this.#searches = true;
    const reading = await this.#next(prompt);
    this.#searches = false;
    return reading === 'withdrawn' ? 'interrupted' : reading;
  }

  #next(prompt: VisibleText): Promise<Asked> {
    if (this.#ended) return Promise.resolve('ended');
    this.#prompt = prompt.toString();
    this.#readline.setPrompt(this.#prompt);
    this.#readline.resume();
    this.#readline.prompt();
    const { promise, resolve } = Promise.withResolvers<Asked>();
    this.#waiting = resolve;
    this.#feed();
    return promise;
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
      this.#listen();
    }
  }

  /** The lines typed before, newest first. */
  lines(): readonly string[] {
    return this.#history;
  }

  /** Keys that were typed ahead while the terminal was lent. */
  typed(text: string): void {
    this.#held += text;
  }

  /** The keys that were typed ahead, for whoever the terminal is lent to. */
  takeTyped(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }

  /**
   * Asks something while the terminal is lent to a command. What was typed
   * before the question is no answer to it, and is dropped.
   * @param withdrawn ends the question: it was answered elsewhere
   */
  async ask(question: VisibleText, withdrawn?: AbortSignal): Promise<Asked> {
    if (this.#ended) return 'ended';
    this.#listen();
    await delay(SETTLING_MS);
    if (withdrawn?.aborted === true) {
      this.#lend();
      return 'withdrawn';
    }
    this.#held = '';
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
    this.#keys.on('keypress', onKey);
    try {
      return await this.#next(question);
    } finally {
      withdrawn?.removeEventListener('abort', onWithdrawn);
      this.#keys.off('keypress', onKey);
      this.#lend();
    }
  }

  close(): void {
    this.#lend();
    this.#readline.close();
  }

  #listen(): void {
    // The terminal is asked to mark pastes, and below not to any more.
    if (this.#marksPastes) this.#output.write('\x1b[?2004h');
    this.#input.setRawMode?.(true);
    this.#input.off('data', this.#onData).off('end', this.#onEnd);
    this.#input.on('data', this.#onData).on('end', this.#onEnd);
    this.#input.resume();
  }

  /** Leaves the terminal to a command: no key is read, not even half of one, until it is listened to again. */
  #lend(): void {
    if (!this.#ended) this.#readline.pause();
    this.#input.off('data', this.#onData).off('end', this.#onEnd);
    this.#input.pause();
    if (this.#marksPastes) this.#output.write('\x1b[?2004l');
    this.#input.setRawMode?.(false);
  }

  readonly #onData = (data: Buffer | string): void => {
    this.#held += typeof data === 'string' ? data : this.#decoder.write(data);
    this.#feed();
  };

  readonly #onEnd = (): void => {
    this.#inputEnded = true;
    this.#feed();
  };

  /** Gives readline the line that is asked for; what follows is for whoever asks next. */
  #feed(): void {
    while (this.#held !== '' && this.#waiting !== null && !this.#keys.paused) {
      if (this.#search !== null) this.#searchOn(this.#search);
      else {
        const at = this.#searches ? this.#held.indexOf(SEARCH) : -1;
        const mark = this.#marksPastes ? this.#pasteMark() : null;
        if (mark === 'half') return;
        if (mark?.index === 0) {
          this.#pasting = mark[1] === '0';
          this.#held = this.#held.slice(mark[0].length);
          continue;
        }
        const upTo = mark === null ? this.#held : this.#held.slice(0, mark.index);
        const line = FIRST_LINE.exec(upTo)?.[0] ?? upTo;
        const piece = at >= 0 && at < line.length ? this.#held.slice(0, at) : line;
        this.#held = this.#held.slice(at === 0 ? SEARCH.length : piece.length);
        // A tab that is pasted completes nothing.
        if (piece !== '') this.#keys.feed(this.#pasting ? piece.replaceAll('\t', '    ') : piece);
        else this.#beginSearch();
      }
    }
    if (this.#inputEnded && this.#held === '' && this.#waiting !== null) this.#keys.end();
  }

  /** Where the next mark of a paste is; `half` where the rest of one is still to come. */
  #pasteMark(): RegExpExecArray | 'half' | null {
    const mark = PASTE.exec(this.#held);
    return mark === null && PART_OF_PASTE.test(this.#held) ? 'half' : mark;
  }

  #beginSearch(): void {
    this.#search = new HistorySearch(this.#history, this.#readline.line);
    this.#showSearch(this.#search);
  }

  #searchOn(search: HistorySearch): void {
    const key = firstKey(this.#held);
    this.#held = this.#held.slice(key.length);
    const step = search.key(key);
    if (!step.done) return this.#showSearch(search);
    this.#search = null;
    this.#readline.setPrompt(this.#prompt);
    this.#replaceLine(step.line);
    this.#held = step.key + this.#held;
  }

  #showSearch({ failed, query, found }: HistorySearch): void {
    const words = visible`(${failed ? 'failed search' : 'search'})\`${query}': `;
    this.#readline.setPrompt(words.toString());
    this.#replaceLine(found);
  }

  #replaceLine(line: string): void {
    this.#readline.write(null, { ctrl: true, name: 'e' });
    this.#readline.write(null, CLEAR_LINE);
    if (line === '') this.#readline.prompt(true);
    else this.#readline.write(line);
  }

  #give(reading: Asked): void {
    const waiting = this.#waiting;
    this.#waiting = null;
    waiting?.(reading);
  }

  /** Forgets the line that is being typed, as shells do. */
  #interrupt(): void {
    this.#held = '';
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
