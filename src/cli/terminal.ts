/** The terminal that a command of the interactive shell is run at: keyboard, pager, editor. */
import type { ShellTerminal, TerminalRequest } from '../shell/terminal.ts';
import { visible, visibleLines } from '../visible.ts';
import { editText } from './editor.ts';
import { type Typed, typedLine } from './keyboard.ts';
import { RawKeys, type TerminalInput } from './keys.ts';
import type { LineReader } from './line-reader.ts';
import type { Output } from './output.ts';
import { page } from './pager.ts';

export interface TerminalOptions {
  input: TerminalInput;
  output: Output;
  /** From which the terminal is lent, and what was typed ahead is taken. */
  reader: LineReader;
  env: Readonly<Record<string, string | undefined>>;
  /** Is the person's own editor at this terminal? */
  editor: boolean;
  /** Ends the command, and says that it has ended. */
  stop: AbortController;
  /** Lets what the command has printed so far leave, before something is asked below it. */
  settle(): Promise<void>;
}

/** An editor would be a program of the host. */
const NO_EDITOR = visible`dirigent: there is no editor at this terminal; use sed -i or a redirection, or edit the file by sftp\n`;
const DEFAULT_COLUMNS = 80;
const DEFAULT_ROWS = 24;

/** The terminal as one command sees it. */
export class CommandTerminal implements ShellTerminal {
  readonly columns: number;
  readonly rows: number;
  readonly color: boolean;
  readonly #options: TerminalOptions;
  #queue: Promise<unknown> = Promise.resolve();
  #ownsKeys = false;

  constructor(options: TerminalOptions) {
    this.#options = options;
    const { output, env } = options;
    this.columns = output.columns('stdout') ?? DEFAULT_COLUMNS;
    this.rows = output.rows() ?? DEFAULT_ROWS;
    // https://no-color.org
    this.color = (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  }

  /** Is a program of the person's own at the terminal, which takes Ctrl-C itself? */
  get ownsKeys(): boolean {
    return this.#ownsKeys;
  }

  ask(request: TerminalRequest): Promise<string | null> {
    const next = this.#queue.then(async () => {
      await this.#options.settle();
      return this.#answer(request);
    });
    this.#queue = next.catch(() => undefined);
    return next;
  }

  async #answer(request: TerminalRequest): Promise<string | null> {
    const { reader, env, output, stop } = this.#options;
    switch (request.kind) {
      case 'history':
        return reader.lines().toReversed().join('\n');
      case 'line': {
        await output.err(visibleLines(request.prompt));
        const typed = await this.#withKeys((keys) => this.#line(keys, request.hidden));
        return typeof typed === 'string' ? null : typed.line;
      }
      case 'rest':
        return this.#withKeys((keys) => this.#rest(keys));
      case 'page': {
        const { columns, rows } = this;
        const screen = {
          columns,
          rows,
          print: (text: Parameters<Output['out']>[0]) => output.out(text),
        };
        await this.#withKeys((keys) => page(request.text, request.view, keys, screen, stop.signal));
        return null;
      }
      case 'edit':
        if (!this.#options.editor) {
          await output.err(NO_EDITOR);
          return null;
        }
        this.#ownsKeys = true;
        try {
          return await editText(request.name, request.text, env);
        } finally {
          this.#ownsKeys = false;
        }
    }
  }

  async #rest(keys: RawKeys): Promise<string> {
    let text = '';
    for (;;) {
      const typed = await this.#line(keys, false);
      if (typeof typed === 'string') return text;
      text += `${typed.line}\n`;
    }
  }

  async #line(keys: RawKeys, hidden: boolean): Promise<Typed> {
    const { output, stop } = this.#options;
    const typed = await typedLine(keys, (text) => void output.err(text), hidden, stop.signal);
    if (typed === 'interrupted') stop.abort();
    return typed;
  }

  async #withKeys<T>(work: (keys: RawKeys) => Promise<T>): Promise<T> {
    const { input, reader } = this.#options;
    const keys = new RawKeys(input, reader.takeTyped());
    keys.start();
    try {
      return await work(keys);
    } finally {
      keys.stop();
      reader.typed(keys.takePending());
    }
  }
}
