/** Failures of file operations as others throw them: another copy of this package, Node, a plain object with a code. */
import { FsError, isErrno } from '../errors.ts';

/** What failed, where the error does not say so itself. */
interface Failed {
  path: string;
  op: string;
}

/** `ENOENT: no such file or directory, open '/p'`, as Node and just-bash write it. */
const CANONICAL = /^([A-Z]+): [^,]*?(?:, (\w+))?(?: '([^']*)')?(?: -> '[^']*')?$/;

/** These answer "is it there?", but Node says them of a program or of a host, too. */
const NOT_OF_FILES = /^(spawn|getaddrinfo|connect|bind|listen|kill)/;

const text = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/**
 * The failed file operation that an error tells of; null where it tells of none.
 * An `FsError` keeps its path, rule and reason. Of any other error the path is
 * the one that was asked for, since its own would be one of the host's.
 */
export function fsErrorOf(error: unknown, { path, op }: Failed): FsError | null {
  // This copy's own class, by its prototype.
  if (error instanceof FsError && Object.getPrototypeOf(error) === FsError.prototype) return error;
  if (typeof error !== 'object' || error === null) return null;
  const told = error as Record<string, unknown>;
  const message = text(told['message']) ?? '';
  const canonical = CANONICAL.exec(message);
  const code = told['code'] ?? canonical?.[1];
  if (!isErrno(code)) return null;
  if (error instanceof FsError) {
    const rule = text(told['rule']);
    const reason = text(told['reason']);
    return new FsError(code, {
      path: text(told['path']) ?? path,
      op: text(told['op']) ?? op,
      ...(rule === undefined ? {} : { rule }),
      ...(reason === undefined ? {} : { reason }),
      cause: told['cause'],
    });
  }
  if (NOT_OF_FILES.test(text(told['syscall']) ?? '')) return null;
  const silent = new FsError(code, { path, op, cause: error });
  // What Node's own text says is in the errno; a sentence of the mount's author is passed on
  // where the errno is no plain answer, which a command may ask for without a word.
  if (!silent.loud || canonical !== null || message === '') return silent;
  return new FsError(code, { path, op, reason: message, cause: error });
}
