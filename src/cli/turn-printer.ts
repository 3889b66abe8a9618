/** Shows a turn while it runs: the answer on stdout, what is done on stderr. */
import { isTransient, type SessionEvent } from '../session/events.ts';
import { dim, VisibleStream, type VisibleText, visible } from '../visible.ts';
import { MarkdownStream } from './markdown.ts';
import type { Output } from './output.ts';
import { Waiting } from './waiting.ts';

/** The longest line about a call. Characters. */
const WIDTH = 100;
/** The longest line of a reason, which is to be read whole. Characters. */
const REASON_WIDTH = 400;
/** Lines of a reason. */
const REASON_LINES = 3;

/** What of a turn is not printed. */
export interface PrintedParts {
  /** Nothing: the caller wants the result alone. */
  quiet?: boolean;
  /** Not the answer: the caller prints it once it is known to stand. */
  withheld?: boolean;
}

/** In a pipe the answer is what the model wrote. */
const answerStream = (output: Output): Pick<VisibleStream, 'push' | 'end'> =>
  output.outIsTerminal && !process.env['NO_COLOR'] ? new MarkdownStream() : new VisibleStream();

/** Prints a whole answer. */
export async function printAnswer(output: Output, text: string): Promise<void> {
  const stream = answerStream(output);
  await output.out(stream.push(text));
  await output.out(stream.end());
}

/** Prints the events of one turn. */
export class TurnPrinter {
  readonly #output: Output;
  readonly #quiet: boolean;
  readonly #withheld: boolean;
  readonly #answer: Pick<VisibleStream, 'push' | 'end'>;
  readonly #waiting: Waiting;
  #queue: Promise<unknown> = Promise.resolve();
  #last = '\n';
  /** What the model has said since its last call. */
  #said = '';

  constructor(output: Output, { quiet = false, withheld = false }: PrintedParts = {}) {
    this.#output = output;
    this.#quiet = quiet;
    this.#withheld = withheld;
    this.#waiting = new Waiting(output);
    this.#answer = answerStream(output);
    if (!quiet) this.#waiting.start();
  }

  print(event: SessionEvent): void {
    if (this.#quiet || !isTransient(event)) return;
    if (event.type !== 'text-delta') this.#say(this.#answer.end());
    switch (event.type) {
      case 'text-delta':
        this.#said += String(event['text']);
        if (!this.#withheld) this.#say(this.#answer.push(String(event['text'])));
        break;
      case 'tool-start':
        this.#said = '';
        this.#note(`${event['name']} ${argumentsOf(event['input'])}`);
        break;
      case 'tool-end':
        if (event['failed'] === true)
          for (const line of reasonOf(String(event['text']))) this.#note(`  ${line}`, REASON_WIDTH);
        break;
      case 'notice':
        this.#note(String(event['text']));
        break;
      default:
        break;
    }
  }

  /** Prints what of an answer has not come as it was said: whole, where that goes on from nothing. */
  complete(answer: string): void {
    if (this.#quiet || this.#withheld || answer === this.#said) return;
    const goesOn = answer.startsWith(this.#said);
    if (!goesOn) {
      this.#say(this.#answer.end());
      if (this.#last !== '\n') this.#say(visible`\n`);
    }
    this.#say(this.#answer.push(goesOn ? answer.slice(this.#said.length) : answer));
    this.#said = answer;
  }

  /** Waits until all has left, and ends the last line. */
  async finish(): Promise<void> {
    this.#say(this.#answer.end());
    if (this.#last !== '\n') this.#say(visible`\n`);
    this.#queue = this.#queue.then(() => this.#waiting.stop());
    await this.#queue;
  }

  #say(text: VisibleText): void {
    const last = text.toString().at(-1);
    if (last === undefined) return;
    this.#last = last;
    this.#queue = this.#queue.then(async () => {
      await this.#waiting.stop();
      await this.#output.out(text);
      this.#waitOn();
    });
  }

  /** Only at the beginning of a line: what stands in it would be drawn over. */
  #waitOn(): void {
    if (this.#last === '\n') this.#waiting.start();
  }

  /** On a terminal only: in a pipe stderr is for what went wrong. */
  #note(text: string, width = WIDTH): void {
    if (!this.#output.errIsTerminal) return;
    // What was said before it has been handed over, though it may not have left yet.
    const newline = this.#last === '\n' ? visible`` : visible`\n`;
    this.#last = '\n';
    this.#queue = this.#queue.then(async () => {
      await this.#waiting.stop();
      const cut = text.length > width ? `${text.slice(0, width)}…` : text;
      await this.#output.err(visible`${newline}${dim(visible`· ${cut}`)}\n`);
      this.#waitOn();
    });
  }
}

/** Why a call failed: what the world says of it, or else the last that was said. */
function reasonOf(text: string): string[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== '[stderr]' && !/^\[exit status \d+\]$/.test(line));
  const own = lines.filter((line) => line.startsWith('dirigent: '));
  if (own.length > 0) return own.slice(0, REASON_LINES);
  return lines.slice(-1);
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
