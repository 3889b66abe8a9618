/** Looking at memfs's nodes and links: what they are, and what lies below them. */
import type { FileType } from '../mount/contract/contract.ts';
import type { Link, Node } from './memfs.ts';
import type { MemoryOp } from './op.ts';

/** memfs keeps `.` and `..` among a directory's children. */
export const isDot = (name: string): boolean => name === '.' || name === '..';

export function typeOf(node: Node): FileType {
  return node.isDirectory() ? 'directory' : node.isSymlink() ? 'symlink' : 'file';
}

/** Its bytes: memfs's `getBuffer` copies; the used part of its buffer does not. */
export function contentOf(node: Node): Uint8Array {
  const size = node.getSize();
  return node.buf.length === size ? node.buf : node.buf.subarray(0, size);
}

export function isEmpty(link: Link): boolean {
  for (const name of link.children.keys()) if (!isDot(name)) return false;
  return true;
}

/** The changes that make what is below a directory; a file's other names become links to its first. */
export function* dumpFrom(
  directory: Link,
  prefix: string,
  seen: Map<number, string>,
  make: (path: string, node: Node) => MemoryOp,
): Generator<MemoryOp> {
  for (const [name, child] of directory.children) {
    if (child === undefined || isDot(name)) continue;
    const path = `${prefix}/${name}`;
    const node = child.getNode();
    const at = node.mtime.getTime();
    const first = seen.get(node.ino);
    if (first !== undefined) {
      yield { op: 'link', existing: first, path, at };
      continue;
    }
    if (node.isDirectory()) {
      yield { op: 'mkdir', path, at, mode: node.perm };
      yield* dumpFrom(child, path, seen, make);
      yield { op: 'utimes', path, at };
    } else if (node.isSymlink()) {
      seen.set(node.ino, path);
      yield { op: 'symlink', path, target: node.symlink, at };
    } else {
      seen.set(node.ino, path);
      yield make(path, node);
    }
  }
}
