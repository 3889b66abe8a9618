/** What words and commands are once they are compiled. */
import type { InterpreterContext, InterpreterState } from '../interpreter-types.ts';

/** The text of a word, or null where the interpreter must expand it. Nothing has changed then. */
export type Text = (state: InterpreterState) => string | null;

/** The status of a command that is left to the interpreter: nothing has been done. */
export const LEFT = -1;

/** Runs a command. Its status, or {@link LEFT}. */
export type Action = (context: InterpreterContext, print: (text: string) => void) => number;

/** A command that has been compiled. */
export interface Compiled {
  run: Action;
  /** Its name, by which a function, an alias or a shim may take its place; null for syntax. */
  name: string | null;
}

/** The texts of words; null where the interpreter must expand one. */
export function valuesOf(texts: readonly Text[], state: InterpreterState): string[] | null {
  const values: string[] = [];
  for (const text of texts) {
    const value = text(state);
    if (value === null) return null;
    values.push(value);
  }
  return values;
}
