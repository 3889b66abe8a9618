/** A line at the end of what is on a terminal, which is drawn again and again, and leaves nothing. */
import { control, dim, joined, type VisibleText } from '../visible.ts';

/** A line that takes the place of the one before it on a terminal. */
export const statusLine = (text: VisibleText): VisibleText =>
  joined([control('line start'), dim(text), control('clear to line end')]);

/** What takes it away. */
export const NO_STATUS_LINE: VisibleText = joined([
  control('line start'),
  control('clear to line end'),
]);
