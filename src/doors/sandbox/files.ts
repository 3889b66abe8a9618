/** Files as every sandbox has them: relative paths begin in one place, and a file's directory is made with it. */
import { isFsError } from '../../errors.ts';
import { parentOf, resolvePath } from '../../paths.ts';
import type { SandboxVisit } from './parking.ts';

/** Where relative paths begin. */
export const HOME = '/workspace';

export const fromHome = (path: string): string => resolvePath(HOME, path);

/** Writes a file whole: whoever writes a file there counts on its directory. @returns its path @throws FsError */
export async function writeFromHome(
  { fs }: Pick<SandboxVisit, 'fs'>,
  path: string,
  content: string | Uint8Array,
): Promise<string> {
  const whole = fromHome(path);
  await fs.mkdir(parentOf(whole), { recursive: true });
  await fs.writeFile(whole, content);
  return whole;
}

/**
 * Does work whose failure is told by its message alone: of an error a harness tells its model
 * nothing else, neither the rule nor what to do.
 */
export async function inWords<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!isFsError(error) || error.reason === undefined) throw error;
    const failure = error.at(error.path);
    failure.message = `${error.message}: ${error.reason}`;
    throw failure;
  }
}
