/** Results of commands, between the forms that just-bash knows and the one of bytes.ts. */
import type { CommandNode } from 'just-bash';
import { bytesFromText, textFromBytes } from './bytes.ts';
import type { Frame } from './frame.ts';
import type { CommandResult } from './interpreter-types.ts';

/**
 * An assignment alone succeeds, unless it says otherwise or runs a substitution.
 * just-bash gives it the status of the command before, maybe a line before.
 */
export function withOwnStatus(
  result: CommandResult,
  node: CommandNode,
  frame: Frame,
): CommandResult {
  const alone = node.type === 'SimpleCommand' && node.name === null;
  const own = !alone || frame.substituted || result.stderr !== '' || node.redirections.length > 0;
  return own ? result : { ...result, exitCode: 0 };
}

/** The result with its stdout as text; as it is if it goes into a pipe as bytes. */
export function asText(result: CommandResult, raw: boolean): CommandResult {
  if (raw || !isBytes(result)) return result;
  const { stdoutEncoding: _legacy, ...rest } = result;
  return { ...rest, stdout: textFromBytes(result.stdout), stdoutKind: 'text' };
}

/** Its stdout as text. */
export function textOf(result: CommandResult): string {
  return isBytes(result) ? textFromBytes(result.stdout) : result.stdout;
}

/** As it goes into a pipe: bytes, its stderr before its stdout for `|&`. */
export function intoPipe(result: CommandResult, stderrToo: boolean): CommandResult {
  const bytes = isBytes(result) ? result.stdout : bytesFromText(result.stdout);
  const piped: CommandResult = {
    ...result,
    stdout: stderrToo ? bytesFromText(result.stderr) + bytes : bytes,
    stdoutKind: 'bytes',
  };
  return stderrToo ? { ...piped, stderr: '' } : piped;
}

/** Both streams as one. @param traced what is on stderr comes first: `set -x` */
export function joined(result: CommandResult, traced: boolean): CommandResult {
  if (result.stderr === '') return result;
  const counted = result.internalOutputAccounting;
  return {
    ...result,
    stdout: traced ? result.stderr + result.stdout : result.stdout + result.stderr,
    stderr: '',
    ...(counted === undefined
      ? {}
      : { internalOutputAccounting: { stdout: counted.stdout + counted.stderr, stderr: 0 } }),
  };
}

/**
 * just-bash notes how much of a result it has counted towards the limit on
 * output, and takes a note of more than there is for an attack: it must not
 * survive a stream that has become shorter.
 */
export function recounted(result: CommandResult): CommandResult {
  const counted = result.internalOutputAccounting;
  if (counted === undefined) return result;
  const stdout = isBytes(result) ? result.stdout.length : Buffer.byteLength(result.stdout);
  return {
    ...result,
    internalOutputAccounting: {
      stdout: Math.min(counted.stdout, stdout),
      stderr: Math.min(counted.stderr, Buffer.byteLength(result.stderr)),
    },
  };
}

function isBytes(result: CommandResult): boolean {
  return (
    result.stdoutKind === 'bytes' ||
    (result.stdoutKind === undefined && result.stdoutEncoding === 'binary')
  );
}
