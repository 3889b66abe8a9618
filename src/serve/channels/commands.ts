/** What a message begins with, where it is a command. */

const COMMAND = /^\/(stop|steer|plan|answer|new|again|help|start)(?:@\S+)?(?:\s+|$)/;

/** The command of a message, if it is one, and what is said with it. */
export function commandIn(text: string): { command: string | undefined; said: string } {
  const [all = '', command] = COMMAND.exec(text) ?? [];
  return { command, said: text.slice(all.length) };
}

/** Is it to answer what the agent asks? */
export const isAnswer = (text: string): boolean => commandIn(text).command === 'answer';
