/** The kernel's questions are answered with a value, or an errno: at once, or by a promise. */
import { constants } from 'node:os';
import { FsError, isErrno } from '../../errors.ts';
import type { FileSystem } from '../files/file-system.ts';

/** Answers with what comes of some work at a path. */
export type Put = <T>(
  path: string,
  answer: (result: number, value?: T) => void,
  work: () => T | Promise<T>,
) => void;

/** The errno of a failure, below 0. */
export function errnoOf(error: unknown): number {
  const code = (error as { code?: unknown }).code;
  const known: Readonly<Record<string, number>> = constants.errno;
  return -((isErrno(code) ? known[code] : undefined) ?? constants.errno.EIO);
}

export interface PutterOptions {
  files: Pick<FileSystem, 'refused'>;
  onTrouble(message: string): void;
}

/** What no errno can say is kept for whoever asks, or told. */
export function putter({ files, onTrouble }: PutterOptions): Put {
  const failed = (path: string, error: unknown): number => {
    if (error instanceof FsError) files.refused(path, error);
    else onTrouble(`${path}: ${(error as Error).stack ?? String(error)}`);
    return errnoOf(error);
  };
  return (path, answer, work) => {
    let done: ReturnType<typeof work>;
    try {
      done = work();
    } catch (error) {
      return answer(failed(path, error));
    }
    // Most of what the kernel asks is known: a promise for each would cost as much as the answer.
    if (!(done instanceof Promise)) return answer(0, done);
    done.then(
      (value) => answer(0, value),
      (error: unknown) => answer(failed(path, error)),
    );
  };
}
