/** What tests of this room share. */
import type { FsError } from '../errors.ts';

/** `done`, or the errno of what was thrown. */
export async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return 'done';
  } catch (error) {
    return (error as FsError).code;
  }
}
