/** Shows a turn while it runs: the answer on stdout, what is done on stderr. */
import { isTransient, type SessionEvent } from '../session/events.ts';
import { dim, VisibleStream, type VisibleText, visible } from '../visible.ts';
import type { Output } from './output.ts';

/** The longest line about a call. Characters. */
const WIDTH = 100;

/** Prints the events of one turn. */
export class TurnPrinter {
  readonly #output: Output;
  readonly #quiet: boolean;
  readonly #answer = new VisibleStream();
  #queue: Promise<unknown> = Promise.resolve();
  #last = '\n';

  /** @param quiet print nothing: the caller wants the result alone */
  constructor(output: Output, quiet: boolean) {
    this.#output = output;
    this.#quiet = quiet;
  }

  print(event: SessionEvent): void {
    if (this.#quiet || !isTransient(event)) return;
    if (event.type !== 'text-delta') this.#say(this.#answer.end());
    switch (event.type) {
      case 'text-delta':
        this.#say(this.#answer.push(String(event['text'])));
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
    this.#say(this.#answer.end());
    if (this.#last !== '\n') this.#say(visible`\n`);
    await this.#queue;
  }

  #say(text: VisibleText): void {
    const last = text.toString().at(-1);
    if (last === undefined) return;
    this.#last = last;
    this.#queue = this.#queue.then(() => this.#output.out(text));
  }

  /** On a terminal only: in a pipe stderr is for what went wrong. */
  #note(text: string): void {
    this.#queue = this.#queue.then(async () => {
      if (!this.#output.errIsTerminal) return;
      const newline = this.#last === '\n' ? visible`` : visible`\n`;
      this.#last = '\n';
      await this.#output.err(visible`${newline}${dim(visible`· ${text.slice(0, WIDTH)}`)}\n`);
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
