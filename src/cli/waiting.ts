/** At a terminal: that something is under way, and for how long, until there is something to show. */
import { visible } from '../visible.ts';
import type { Output } from './output.ts';
import { NO_STATUS_LINE, statusLine } from './status-line.ts';

/** Before this nobody wonders. ms. */
const SHOWN_AFTER_MS = 1_000;
const EVERY_MS = 120;
const FRAMES = [...'⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏'];

/** One line on stderr that is drawn again and again, and leaves nothing. */
export class Waiting {
  readonly #output: Output;
  #since = 0;
  #timer: NodeJS.Timeout | null = null;
  #drawn = false;
  #drawing: Promise<unknown> = Promise.resolve();

  constructor(output: Output) {
    this.#output = output;
  }

  /** Begins to count, where nothing is shown at the moment. */
  start(): void {
    if (!this.#output.errIsTerminal || this.#timer !== null) return;
    this.#since = Date.now();
    this.#timer = setInterval(() => this.#draw(), EVERY_MS);
    this.#timer.unref();
  }

  /** Takes the line away; whatever is printed then stands in its place. */
  async stop(): Promise<void> {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
    await this.#drawing;
    if (!this.#drawn) return;
    this.#drawn = false;
    await this.#output.err(NO_STATUS_LINE);
  }

  #draw(): void {
    const ms = Date.now() - this.#since;
    if (ms < SHOWN_AFTER_MS) return;
    this.#drawn = true;
    const frame = FRAMES[Math.trunc(ms / EVERY_MS) % FRAMES.length] ?? '';
    this.#drawing = this.#output.err(statusLine(visible`${frame} ${Math.round(ms / 1_000)} s`));
  }
}
