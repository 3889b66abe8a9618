/** The kernel's questions are answered by promises: a value, or an errno. */
import { constants } from 'node:os';
import { FsError, isErrno } from '../../errors.ts';
import type { FileSystem } from '../files/file-system.ts';

/** Answers with what comes of some work at a path. */
export type Put = <T>(
  path: string,
  answer: (result: number, value?: T) => void,
  work: () => Promise<T>,
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
  return (path, answer, work) => {
    const done = async () => work();
    done().then(
      (value) => answer(0, value),
      (error: unknown) => {
        if (error instanceof FsError) files.refused(path, error);
        else onTrouble(`${path}: ${(error as Error).stack ?? String(error)}`);
        answer(errnoOf(error));
      },
    );
  };
}
