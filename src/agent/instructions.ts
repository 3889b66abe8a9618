/**
 * The instructions that lie where the agent works: AGENTS.md of the current
 * directory, or of the nearest one above it, up to home.
 */
import { posix } from 'node:path';
import { isFsError } from '../errors.ts';
import { isWithin } from '../paths.ts';
import type { Instructions } from './harness-view.ts';
import { clipped } from './tools/clip.ts';
import type { WorldAccess } from './world-access.ts';

const HOME = '/workspace';
const FILE = 'AGENTS.md';

/**
 * The nearest one wins. Text of a service gives no orders: it is left out, by
 * whatever link it is reached. What the deployer wrote in /harness is added by
 * the caller in any case, since what an agent can write does not hide it.
 * @throws FsError of the disk
 */
export async function nearestInstructions(access: WorldAccess): Promise<Instructions[]> {
  for (const directory of upFrom(access.cwd)) {
    const path = posix.join(directory, FILE);
    const call = access.forCall();
    const text = await readIfThere(call.files, path);
    // Where it lies is told, too: a name may be a service's words.
    if (text !== null && call.origins().length === 0) return [{ path, text: clipped(text) }];
  }
  return [];
}

/**
 * The current directory as the prompt may name it.
 * @throws FsError of the disk
 */
export async function namedDirectory(access: WorldAccess): Promise<string> {
  const call = access.forCall();
  try {
    await call.files.realpath(access.cwd);
  } catch (error) {
    if (isFsError(error) && NOT_HERE.has(error.code)) return 'not there any more';
    throw error;
  }
  const origins = call.origins();
  if (origins.length === 0) return access.cwd;
  return `one whose name came from ${origins.join(', ')}: \`pwd\` prints it`;
}

/** From a directory up to home; none where it lies elsewhere. */
function upFrom(cwd: string): string[] {
  if (!isWithin(HOME, cwd)) return [];
  return cwd === HOME ? [cwd] : [cwd, ...upFrom(posix.dirname(cwd))];
}

/** null where there is no such file, or the agent may not read it. */
async function readIfThere(files: WorldAccess['files'], path: string): Promise<string | null> {
  try {
    const text = new TextDecoder().decode(await files.readFileBuffer(path));
    await files.realpath(path);
    return text;
  } catch (error) {
    if (isFsError(error) && NOT_HERE.has(error.code)) return null;
    throw error;
  }
}

const NOT_HERE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'ELOOP']);
