/** A line on the terminal while something takes long. */
import { control, dim, joined, type VisibleText, visible } from '../visible.ts';
import type { Output } from './output.ts';

/** What takes less needs no line. */
const QUIET_MS = 1000;
const EVERY_MS = 1000;

/** A line that takes the place of the one before it on a terminal. */
export const statusLine = (text: VisibleText): VisibleText =>
  joined([control('line start'), dim(text), control('clear to line end')]);

/** What takes it away. */
export const NO_STATUS_LINE: VisibleText = joined([
  control('line start'),
  control('clear to line end'),
]);

/** Shows the seconds on a terminal's stderr, from the second one on, until it is stopped. */
export function showProgress(output: Output, what = 'running'): { stop(): void } {
  let shown = false;
  const start = Date.now();
  let timer: NodeJS.Timeout | undefined;
  const show = (): void => {
    shown = true;
    const seconds = Math.floor((Date.now() - start) / 1000);
    void output.err(statusLine(visible`${what} ${seconds} s (Ctrl-C stops it)`));
  };
  // Asking whether stderr is a terminal waits until a line is due.
  const delay = setTimeout(() => {
    if (!output.errIsTerminal) return;
    show();
    timer = setInterval(show, EVERY_MS);
  }, QUIET_MS);
  return {
    stop: () => {
      clearTimeout(delay);
      clearInterval(timer);
      // Once: what the command prints is on that line then.
      if (shown) void output.err(NO_STATUS_LINE);
      shown = false;
    },
  };
}
