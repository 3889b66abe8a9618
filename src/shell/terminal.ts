/** The terminal that a line is run at, as far as commands know of it. */

/** What a command asks of the person at the terminal. */
export type TerminalRequest =
  /** One line of the keyboard, without its end. `hidden`: it is not shown as it is typed. */
  | { kind: 'line'; prompt: string; hidden: boolean }
  /** All that is typed until Ctrl-D. */
  | { kind: 'rest' }
  /** Text to look through. The answer has no meaning. */
  | { kind: 'page'; text: string; view: PageView }
  /** A text for the person's own editor; `name` is the file's. */
  | { kind: 'edit'; name: string; text: string }
  /** The lines typed at the prompt, the oldest first, a line each. */
  | { kind: 'history' };

/** How a pager begins. */
export interface PageView {
  /** What is looked through: a file's name. */
  title: string;
  /** Lines are numbered. */
  numbers: boolean;
  /** Long lines are cut, not folded. */
  chop: boolean;
  /** Nothing is asked where all of it fits on the screen. */
  quitIfShort: boolean;
  /** Where it begins: a number of a line, from 1; `end`; or what is searched for. */
  start: number | 'end' | { pattern: string };
}

export interface TerminalLooks {
  /** Cells of a row. */
  columns: number;
  rows: number;
  /** May colours be used? */
  color: boolean;
}

export interface ShellTerminal extends TerminalLooks {
  /**
   * Asks, and waits as long as it takes.
   * @returns null for an end of input, or where the person gave up
   */
  ask(request: TerminalRequest): Promise<string | null>;
}

/** How a terminal looks, for whoever cannot ask it. */
export const looksOf = ({ columns, rows, color }: ShellTerminal): TerminalLooks => ({
  columns,
  rows,
  color,
});
