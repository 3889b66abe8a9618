/** Shows a turn while it runs: the answer on stdout, what is done on stderr. */
import { isTransient, type SessionEvent } from '../session/events.ts';
import type { Output } from './output.ts';

/** The longest line about a call. Characters. */
const WIDTH = 100;

const dim = (text: string): string => `\x1b[2m${text}\x1b[0m`;

/** Prints the events of one turn. */
export class TurnPrinter {
  readonly #output: Output;
  readonly #quiet: boolean;
  #queue: Promise<unknown> = Promise.resolve();
  #last = '\n';

  /** @param quiet print nothing: the caller wants the result alone */
  constructor(output: Output, quiet: boolean) {
    this.#output = output;
    this.#quiet = quiet;
  }

  print(event: SessionEvent): void {
    if (this.#quiet || !isTransient(event)) return;
    switch (event.type) {
      case 'text-delta':
        this.#say(String(event['text']));
        break;
      case 'tool-start':
        this.#note(`${event['name']} ${argumentsOf(event['input'])}`);
        break;
      case 'tool-end':
        if (event['failed'] === true)
          this.#note(`  ${firstLine(String(event['text']).replace(/^\[stderr\]\n/, ''))}`);
        break;
      case 'notice':
        this.#note(String(event['text']));
        break;
      default:
        break;
    }
  }

  /** Waits until all has left, and ends the last line. */
  async finish(): Promise<void> {
    if (this.#last !== '\n') this.#say('\n');
    await this.#queue;
  }

  #say(text: string): void {
    if (text === '') return;
    this.#last = text.at(-1) ?? this.#last;
    this.#queue = this.#queue.then(() => this.#output.out(text));
  }

  /** On a terminal only: in a pipe stderr is for what went wrong. */
  #note(text: string): void {
    this.#queue = this.#queue.then(async () => {
      if (!this.#output.errIsTerminal) return;
      const newline = this.#last === '\n' ? '' : '\n';
      this.#last = '\n';
      await this.#output.err(`${newline}${dim(`· ${text.slice(0, WIDTH)}`)}\n`);
    });
  }
}

function argumentsOf(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const values = Object.values(input).map((value) =>
    typeof value === 'string' ? firstLine(value) : JSON.stringify(value),
  );
  return values.join(' ');
}

function firstLine(text: string): string {
  const [line = '', ...more] = text.trim().split('\n');
  return more.length > 0 ? `${line} …` : line;
}
