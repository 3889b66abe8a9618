/** The tool `bash`: one line of shell, in the world's shell, whose state lives on. */
import { z } from 'zod';
import { defineTool } from '../tool.ts';
import { clipped } from './clip.ts';

const input = z.strictObject({
  command: z.string().min(1).describe('What to run, as typed at a prompt'),
  timeout: z
    .number()
    .positive()
    .max(3600)
    .optional()
    .describe('Seconds after which it is stopped; 120 by default'),
  restart: z
    .boolean()
    .optional()
    .describe('Run it in a new shell, without the variables and the directory of the one so far'),
});

export const bashTool = defineTool({
  name: 'bash',
  description:
    'Runs a command in the shell of this world. Variables, functions and the current directory carry over to the next command. The exit status is given when it is not 0.',
  guideline:
    'Use `bash` to look around and to act: everything here is a file. Prefer one pipeline to many calls.',
  input,
  // The start of the command is an entry of the shell's own.
  loggedFirst: false,
  run: async ({ command, timeout, restart }, { access, callId, signal, onOutput }) => {
    const result = await access.exec(command, {
      signal,
      onOutput,
      toolCallId: callId,
      ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
      ...(restart === undefined ? {} : { fresh: restart }),
    });
    const { stdout, stderr, exitCode } = result;
    const said = [
      clipped(stdout).trimEnd(),
      stderr === '' ? '' : `[stderr]\n${clipped(stderr).trimEnd()}`,
      exitCode === 0 ? '' : `[exit status ${exitCode}]`,
    ].filter((each) => each !== '');
    return {
      text: said.length === 0 ? '[no output]' : said.join('\n'),
      failed: exitCode !== 0,
    };
  },
});
