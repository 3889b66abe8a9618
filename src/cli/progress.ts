/** A line on the terminal while something takes long. */
import { visible } from '../visible.ts';
import type { Output } from './output.ts';
import { NO_STATUS_LINE, statusLine } from './status-line.ts';

/** What takes less needs no line. */
const QUIET_MS = 1000;
const EVERY_MS = 1000;

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
