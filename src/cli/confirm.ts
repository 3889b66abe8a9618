/** Asking a person at the terminal before something is done that they have just been shown. */
import { type VisibleText, visible } from '../visible.ts';
import { LineReader } from './line-reader.ts';
import { type Output, promptStream } from './output.ts';
import { stdinKind } from './stdin.ts';

/** Puts a question; true for yes. */
export type Confirm = (question: VisibleText) => Promise<boolean>;

/** Asks at this process's terminal; null where nobody is there to answer. */
export function terminalConfirm(output: Output): Confirm | null {
  if (stdinKind() !== 'terminal' || !output.errIsTerminal) return null;
  return async (question) => {
    const reader = new LineReader({
      input: process.stdin,
      output: promptStream(),
      history: [],
      historySize: 0,
      complete: async (text) => [[], text],
    });
    try {
      for (;;) {
        const reading = await reader.ask(visible`${question} y yes, n no: `);
        // Esc, Ctrl-C and Ctrl-D are no.
        if (typeof reading === 'string') return false;
        const answer = yesOrNo(reading.line);
        if (answer !== null) return answer;
      }
    } finally {
      reader.close();
    }
  };
}

/** What was typed; null where it is neither, and is asked again. */
export function yesOrNo(typed: string): boolean | null {
  const word = typed.trim().toLowerCase();
  if (word === 'y' || word === 'yes') return true;
  return word === 'n' || word === 'no' ? false : null;
}
