/** What the grep family prints when something fails, in one place. */
import { type Errno, FsError, STRERROR } from '../../src/errors.ts';

/** A file that an option names, and what had been said by then. */
export interface NamedRead {
  file: string;
  warnings: string;
}

/** A command line that cannot be run. The message is complete, lines and all. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  /** What the command exits with. */
  readonly status: number;
  /** Files that were to be read before the mistake was met; one that is missing comes first. */
  reads: readonly NamedRead[] = [];

  constructor(message: string, status = 2) {
    super(message);
    this.status = status;
  }
}

/** The strerror text of a failed file operation, whoever raised it. */
function strerror(error: unknown): string {
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
