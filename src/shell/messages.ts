/** What just-bash's messages say wrongly of this shell, put right. */
import type { CommandResult } from './interpreter-types.ts';
import { fileError } from './redirect-guard.ts';

const MISSING = 'No such file or directory';
/** `tac: NAME: No such file or directory`, `bash: NAME: …` */
const LINE = new RegExp(`^([\\w.-]+: )(.+): ${MISSING}$`);
/** These put their errors among their answers. */
const SUMS = new Set(['md5sum', 'sha1sum', 'sha256sum']);
const NO_SUCH_TOOL = /^bash: (\S+): command not available in browser environments\..*$/m;
/** Programs that a deployment can turn on, by their names in its config. */
const PROGRAMS: Readonly<Record<string, string>> = { python: 'Python', node: 'Node.js' };
const NO_PROGRAM = /^bash: (python|node|js-exec)3?(?:: there is no \S+ here|: command not found)$/m;
const ADVICE = /, increase executionLimits\.\w+/g;

/** A command's result with its errors on stderr, and told as what they are. */
export async function withTrueMessages(
  result: CommandResult,
  name: string,
  stat: (operand: string) => Promise<unknown>,
): Promise<CommandResult> {
  if (result.exitCode === 0) return result;
  let { stdout, stderr } = result;
  if (SUMS.has(name)) [stdout, stderr] = withoutErrors(stdout, stderr, name);
  stderr = reworded(stderr);
  if (stderr.includes(MISSING)) {
    const lines = stderr.split('\n');
    for (const [index, line] of lines.entries()) lines[index] = await trueLine(line, stat);
    stderr = lines.join('\n');
  }
  return stdout === result.stdout && stderr === result.stderr
    ? result
    : { ...result, stdout, stderr };
}

/** A message without advice that nobody in the shell can follow. */
export function reworded(message: string): string {
  return message
    .replace(ADVICE, '; this limit cannot be raised from the shell: do the work in smaller parts')
    .replace(NO_SUCH_TOOL, (_all, tool: string) => `bash: ${tool}: there is no ${tool} here`)
    .replace(NO_PROGRAM, (line, command: string) => {
      const name = command === 'js-exec' ? 'node' : command;
      return `${line}\ndirigent: this world has no ${PROGRAMS[name]}; who deploys it turns it on with programs: { ${name}: true }`;
    });
}

function withoutErrors(stdout: string, stderr: string, name: string): [string, string] {
  const lines = stdout.split(/(?<=\n)/);
  const isError = (line: string) => line.startsWith(`${name}: `) && line.endsWith(`: ${MISSING}\n`);
  return [lines.filter((line) => !isError(line)).join(''), stderr + lines.filter(isError).join('')];
}

async function trueLine(line: string, stat: (operand: string) => Promise<unknown>) {
  const [, speaker, operand] = LINE.exec(line) ?? [];
  if (speaker === undefined || operand === undefined) return line;
  try {
    await stat(operand);
  } catch (error) {
    const known = fileError(error);
    if (known === null) throw error;
    return `${speaker}${operand}: ${known.strerror}`;
  }
  // It is there now: what went wrong was something else, or is over.
  return line;
}
