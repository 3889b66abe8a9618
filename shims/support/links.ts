/** Names that a command is about to make a file of: a link is there, wherever it leads. */
import type { Tool } from './tool.ts';
import { errnoOf } from './tool.ts';

type Files = Tool['fs'];

/** Is there a link at a path? */
export async function isLink(fs: Files, path: string): Promise<boolean> {
  try {
    return (await fs.lstat(path)).isSymbolicLink;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/** Is there anything at a path, be it a link that leads nowhere? `exists` follows links. */
export const isThere = async (fs: Files, path: string): Promise<boolean> =>
  (await isLink(fs, path)) || (await fs.exists(path));
