/** Programs of mounts, which are run by their path as scripts are, and carried out by a service. */
import type { NamespaceFs } from '../namespace/types.ts';
import type { Run } from './frame.ts';
import type { CommandResult } from './interpreter-types.ts';
import { fileError } from './redirect-guard.ts';

/**
 * Calls the program at a path; null where the file there is a script.
 * @param called as it was typed
 * @param path absolute
 * @param stdin as bytes
 */
export async function callProgram(
  { line, ctx }: Run,
  fs: NamespaceFs,
  called: string,
  path: string,
  args: readonly string[],
  stdin: string,
): Promise<CommandResult | null> {
  const refused = (error: unknown, what: string, exitCode: number): CommandResult => {
    const known = fileError(error);
    if (known === null) throw error;
    return { stdout: '', stderr: `bash: ${what}: ${known.strerror}\n`, exitCode };
  };
  const input = { name: called, args, stdin: Buffer.from(stdin, 'latin1') };
  let output: Awaited<ReturnType<NonNullable<NamespaceFs['call']>>>;
  try {
    output = (await fs.call?.(path, input, line.signal)) ?? null;
  } catch (error) {
    return refused(error, called, 126);
  }
  if (output === null) return null;
  for (const { path: file, data } of output.files ?? []) {
    try {
      await fs.writeFile(fs.resolvePath(ctx.state.cwd, file), data);
    } catch (error) {
      return refused(error, file, 1);
    }
  }
  return {
    stdout: Buffer.from(output.stdout).toString('latin1'),
    stdoutKind: 'bytes',
    stderr: output.stderr,
    exitCode: output.exitCode,
    internalStdinConsumed: output.tookStdin === true ? stdin.length : 0,
  };
}
