/** What the grep family prints when something fails, in one place. */
import { type Errno, FsError, STRERROR } from '../../src/errors.ts';

/** A command line that cannot be run. The message is complete, lines and all. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The strerror text of a failed file operation, whoever raised it. */
export function strerror(error: unknown): string {
  if (error instanceof FsError) return error.strerror;
  const message = error instanceof Error ? error.message : String(error);
  const code = /^([A-Z]+)\b/.exec(message)?.[1];
  return code !== undefined && Object.hasOwn(STRERROR, code) ? STRERROR[code as Errno] : message;
}

/** `: No such file or directory` and the like; a reason follows on a line of its own. */
export function fileMessage(tool: string, name: string, error: unknown): string {
  const reason = error instanceof FsError && error.reason !== undefined ? error.reason : undefined;
  const line = `${tool}: ${name}: ${strerror(error)}\n`;
  return reason === undefined ? line : `${line}dirigent: ${reason}\n`;
}

/** ripgrep's form: with the number of the error, as Rust prints it. */
export function rgFileMessage(name: string, error: unknown): string {
  const text = strerror(error);
  const number = text === STRERROR.ENOENT ? 2 : text === STRERROR.EACCES ? 13 : undefined;
  const reason = error instanceof FsError ? error.reason : undefined;
  const line = `${name}: ${text}${number === undefined ? '' : ` (os error ${number})`}\n`;
  return reason === undefined ? line : `${line}dirigent: ${reason}\n`;
}
