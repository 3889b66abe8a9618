/** Asking a person at the terminal before something is done that they have just been shown. */
import { type VisibleText, visible } from '../visible.ts';
import { type Asked, answerReader } from './line-reader.ts';
import type { Output } from './output.ts';
import { stdinKind } from './stdin.ts';

/** Shows something, and puts a question about it; true for yes. Nothing else is printed in between. */
export type Confirm = (shown: VisibleText, question: VisibleText) => Promise<boolean>;

/** Reads what is answered to a prompt. */
export type ReadAnswer = (prompt: VisibleText) => Promise<Asked>;

/** Asks at this process's terminal; null where nobody is there to answer. */
export function terminalConfirm(output: Output): Confirm | null {
  if (stdinKind() !== 'terminal' || !output.errIsTerminal) return null;
  return async (shown, question) => {
    const reader = answerReader();
    try {
      return await confirmWith(output, (prompt) => reader.ask(prompt))(shown, question);
    } finally {
      reader.close();
    }
  };
}

/** Asks until the answer is yes or no. */
export function confirmWith(output: Output, read: ReadAnswer): Confirm {
  return (shown, question) =>
    output.whileAsking(async (say) => {
      await say(shown);
      for (;;) {
        const reading = await read(visible`${question} y yes, n no: `);
        // Esc, Ctrl-C and Ctrl-D are no.
        if (typeof reading === 'string') return false;
        const answer = yesOrNo(reading.line);
        if (answer !== null) return answer;
      }
    });
}

/** What was typed; null where it is neither, and is asked again. */
export function yesOrNo(typed: string): boolean | null {
  const word = typed.trim().toLowerCase();
  if (word === 'y' || word === 'yes') return true;
  return word === 'n' || word === 'no' ? false : null;
}
