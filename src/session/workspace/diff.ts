/** What differs between two snapshots, as people read it. */
import { twoFilesPatch } from '../../patch.ts';
import { escapeName } from '../../visible.ts';
import type { BlobStore } from '../blobs.ts';
import type { FileChange } from '../entry.ts';
import { type Difference, differences, Manifest, type Node } from './manifest.ts';

/** Unified patches of all files that differ; one line for what is no text. */
export function diffSnapshots(blobs: BlobStore, before: string, after: string): string {
  const all = differences(new Manifest(blobs, before), new Manifest(blobs, after));
  return [...all].map((difference) => patchOf(blobs, difference)).join('');
}

function patchOf(blobs: BlobStore, { path, before, after }: Difference): string {
  const file = `workspace${path}`;
  const name = escapeName(file);
  const modes =
    before !== undefined && after !== undefined && modeOf(before) !== modeOf(after)
      ? `mode of ${name}: ${modeOf(before)} → ${modeOf(after)}\n`
      : '';
  const old = contentOf(blobs, before);
  const fresh = contentOf(blobs, after);
  const isSame = old === null || fresh === null ? isSameFile(before, after) : old === fresh;
  if (isSame && before?.type === after?.type) return modes;
  const directories = before?.type === 'directory' || after?.type === 'directory';
  if (directories || old === null || fresh === null) {
    const what = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed';
    const kind = (after ?? before)?.type === 'directory' ? 'directory' : 'file';
    return `${kind} ${name} ${what}\n${modes}`;
  }
  const from = before === undefined ? '/dev/null' : `a/${file}`;
  const to = after === undefined ? '/dev/null' : `b/${file}`;
  return `${modes}${twoFilesPatch(from, to, old, fresh)}`;
}

/**
 * A unified patch of a file that a command changed, by what the log says of it.
 * @returns null for what is no text, and for what no snapshot has
 * @throws FsError EIO where its content is lost
 */
export function changedPatch(blobs: BlobStore, { path, before, after }: FileChange): string | null {
  if (before === undefined || after === undefined) return null;
  const [old, fresh] = [before, after].map((hash) =>
    hash === null ? '' : textOf(blobs.get(hash)),
  );
  if (old === null || fresh === null || old === undefined || fresh === undefined) return null;
  const from = before === null ? '/dev/null' : `a${path}`;
  return twoFilesPatch(from, after === null ? '/dev/null' : `b${path}`, old, fresh);
}

/** What is no text is the same by its hash; what was not kept, by its size and time. */
const isSameFile = (before: Node | undefined, after: Node | undefined): boolean =>
  before?.type === 'file' &&
  after?.type === 'file' &&
  before.hash === after.hash &&
  (before.hash !== null || (before.size === after.size && before.mtime === after.mtime));

const modeOf = (node: Node): string => (node.type === 'symlink' ? '' : node.mode.toString(8));

/** The text of a node; null where it is none. */
function contentOf(blobs: BlobStore, node: Node | undefined): string | null {
  if (node === undefined || node.type === 'directory') return '';
  if (node.type === 'symlink') return `link to ${node.target}\n`;
  if (node.hash === null) return null;
  return textOf(blobs.get(node.hash));
}

/** null for what is none. */
function textOf(bytes: Buffer): string | null {
  const text = bytes.toString('utf8');
  return text.includes('\0') || !Buffer.from(text).equals(bytes) ? null : text;
}
