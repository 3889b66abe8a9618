/** How the command line is called for a world, so that what a message suggests can be pasted as it is. */

import { shellWord as escapedWord, isVisibleLine } from './visible.ts';

/** The two ends of a suggested command. */
export interface CommandLine {
  /** Words for a shell: `dirigent`, `npx dirigent` … */
  program: string;
  /** What names the world, behind the command: ` --deployment ./here`; empty where nothing is needed. */
  options: string;
}

/** Where nothing is known of how the command line is called. */
export const PLAIN: CommandLine = { program: 'dirigent', options: '' };

/** The line that runs a command of the command line: `dirigent changes list --deployment ./here`. */
export const suggestion = ({ program, options }: CommandLine, command: string): string =>
  `${program} ${command}${options}`;

/** A text as one word of a shell, in quotes only where it needs them. */
export function shellWord(text: string): string {
  if (/^[\w./:=@%+,-]+$/.test(text)) return text;
  if (!isVisibleLine(text)) return escapedWord(text);
  return `'${text.replaceAll("'", "'\\''")}'`;
}
