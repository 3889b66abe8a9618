/** Files as every sandbox has them: relative paths begin in one place, and a file's directory is made with it. */
import { parentOf, resolvePath } from '../../paths.ts';
import type { Visit } from '../door.ts';

/** Where relative paths begin. */
export const HOME = '/workspace';

export const fromHome = (path: string): string => resolvePath(HOME, path);

/** Writes a file whole: whoever writes a file there counts on its directory. @returns its path @throws FsError */
export async function writeFromHome(
  { fs }: Pick<Visit, 'fs'>,
  path: string,
  content: string | Uint8Array,
): Promise<string> {
  const whole = fromHome(path);
  await fs.mkdir(parentOf(whole), { recursive: true });
  await fs.writeFile(whole, content);
  return whole;
}
