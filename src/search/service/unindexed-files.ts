/** Files in scope that the index does not have and that are read for the question: large ones, and those that were named. */
import { decoded } from '../../decoded.ts';
import { type FsError, isFsError } from '../../errors.ts';
import type { NamespaceFs } from '../../namespace/types.ts';
import type { Unsearched } from '../contract.ts';
import type { Pending } from './source.ts';

/** So much is read for one question. Bytes. */
const MOST_READ = 64_000_000;

/** What was read, and what was not. */
export interface ReadFiles {
  texts: Pending[];
  unsearched: Unsearched[];
  trouble: FsError[];
}

/** @param paths files of the namespace */
export async function readFiles(fs: NamespaceFs, paths: readonly string[]): Promise<ReadFiles> {
  const read: ReadFiles = { texts: [], unsearched: [], trouble: [] };
  let bytes = 0;
  for (const path of paths) {
    try {
      const { size, mtime } = await fs.stat(path);
      if (bytes + size > MOST_READ) {
        read.unsearched.push(tooMuch(path));
        continue;
      }
      bytes += size;
      const content = await fs.readFileBuffer(path);
      if (content.includes(0)) read.unsearched.push(noText(path));
      else read.texts.push(textOf(path, content, mtime));
    } catch (error) {
      if (!isFsError(error)) throw error;
      read.trouble.push(error);
    }
  }
  return read;
}

function textOf(path: string, content: Uint8Array, mtime: Date): Pending {
  const text = decoded(content);
  return { path, text: () => text, context: () => '', changed: mtime.toISOString() };
}

/** What is searched by its bytes alone. */
export const noText = (example: string): Unsearched => ({
  count: 1,
  example,
  what: 'files',
  why: ['it is no text', 'they are no text'],
  how: 'grep -r looks for bytes in them',
  fails: false,
});

const tooMuch = (example: string): Unsearched => ({
  count: 1,
  example,
  what: 'files',
  why: ['it is too large', 'they are too large'],
  how: 'grep -rn searches them',
  fails: true,
});
