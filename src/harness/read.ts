/** One file of a harness, read where it lies. */
import fs from 'node:fs';
import { ConfinedDirectory } from '../disk/confined.ts';

/**
 * What a file of a harness says, by links that do not lead out of it.
 * @returns null where there is none
 * @throws FsError EACCES where a link leads out
 */
export function readInHarness(root: string, path: string, most?: number): Uint8Array | null {
  if (!fs.existsSync(root)) return null;
  return ConfinedDirectory.within(root, (harness) => {
    const within = harness.resolve(`/${path}`);
    return within === null ? null : harness.read(within, most);
  });
}

/** Is there nothing, or nothing any more? */
export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP';
}
