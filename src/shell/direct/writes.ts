/**
 * `echo … >> FILE`: what is printed is one write. just-bash looks whether the file is there, opens it,
 * and writes once the command has run.
 */
import type { CommandNode } from 'just-bash';
import { bytesFromText } from '../bytes.ts';
import { type CommandHost, runCommandNode } from '../command-run.ts';
import type { Run } from '../frame.ts';
import type { CommandResult, InterpreterState } from '../interpreter-types.ts';
import type { Text } from './compiled.ts';
import type { Words } from './words.ts';

type SimpleCommand = Extract<CommandNode, { type: 'SimpleCommand' }>;

/** Where the output of a command goes. */
export interface Target {
  appends: boolean;
  /** As it is written; null where the interpreter must find it. */
  path: (state: InterpreterState) => string | null;
}

/** A file that a command names as its stdout and nothing else; null for all other redirections. */
export function targetOf({ redirections }: SimpleCommand, words: Words): Target | null {
  const [only, ...more] = redirections;
  if (only === undefined || more.length > 0 || only.target.type !== 'Word') return null;
  if (only.operator !== '>' && only.operator !== '>>') return null;
  if ((only.fd ?? 1) !== 1 || only.fdVariable !== undefined) return null;
  const text: Text | null = words.argument(only.target);
  if (text === null) return null;
  const appends = only.operator === '>>';
  return {
    appends,
    path: (state) => {
      if (!appends && state.options['noclobber'] === true) return null;
      const written = text(state);
      // A directory, a device, or nothing.
      return written === null || /(?:^|\/)\.{0,2}$/.test(written) ? null : written;
    },
  };
}

/** Writes what a command printed. A refusal is told as that of any redirection. */
export async function writeOutput(
  host: CommandHost,
  run: Run,
  node: SimpleCommand,
  path: string,
  printed: string,
  appends: boolean,
): Promise<CommandResult> {
  const { fs } = host;
  const held = fs.heldMark();
  const bytes = Buffer.from(bytesFromText(printed), 'latin1');
  try {
    await (appends ? fs.appendFile(path, bytes) : fs.writeFile(path, bytes));
    if (fs.heldMark() !== held) await fs.flush(held);
    return { stdout: '', stderr: '', exitCode: 0 };
  } catch (error) {
    return runCommandNode(host, run, node, { stdin: '', owned: undefined }, () =>
      Promise.reject(error),
    );
  }
}
