/** Looking at memfs's nodes and links: what they are, and what lies below them. */
import type { Link, Node } from '@jsonjoy.com/fs-core';
import type { FileType } from '../../src/mount/contract.ts';
import { WalkedFile } from '../../src/mount/walked-file.ts';
import type { MemoryOp } from './op.ts';

/** memfs keeps `.` and `..` among a directory's children. */
export const isDot = (name: string): boolean => name === '.' || name === '..';

export function typeOf(node: Node): FileType {
  return node.isDirectory() ? 'directory' : node.isSymlink() ? 'symlink' : 'file';
}

/** Its bytes: memfs's `getBuffer` copies; the used part of its buffer does not. */
export function contentOf(node: Node): Uint8Array {
  return node.buf.subarray(0, node.getSize());
}

export function isEmpty(link: Link): boolean {
  for (const name of link.children.keys()) if (!isDot(name)) return false;
  return true;
}

/** A directory in which a walk is: what of it is still to come, the next one last. */
interface Level {
  path: string;
  rest: Link[];
}

/** The files below a directory, depth first, names in code-unit order. */
export function* walkFrom(
  start: Link,
  path: string,
  content: (node: Node) => Uint8Array,
): Generator<WalkedFile> {
  const levels: Level[] = [{ path, rest: childrenBackwards(start) }];
  for (let level = levels.at(-1); level !== undefined; level = levels.at(-1)) {
    const directory = level.path;
    for (let child = level.rest.pop(); ; child = level.rest.pop()) {
      if (child === undefined) {
        levels.pop();
        break;
      }
      const node = child.getNode();
      if (node.isDirectory()) {
        const below = directory === '/' ? `/${child.getName()}` : `${directory}/${child.getName()}`;
        levels.push({ path: below, rest: childrenBackwards(child) });
        break;
      }
      if (node.isFile())
        yield new WalkedFile(directory, child.getName(), {
          bytes: () => content(node),
        });
    }
  }
}

/** Entries with the greatest name first. */
function childrenBackwards(directory: Link): Link[] {
  const links: Link[] = [];
  for (const [name, link] of directory.children) {
    if (link !== undefined && !isDot(name)) links.push(link);
  }
  return links.sort((a, b) => (a.getName() < b.getName() ? 1 : -1));
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
