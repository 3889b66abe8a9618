/** A snapshot as the changes that make a tree in memory equal to it. */
import type { MemoryOp } from '../../../mounts/memory/tree.ts';
import type { BlobStore } from '../blobs.ts';
import { Manifest, type Node } from './manifest.ts';

/** The content of the files stays in the store. A file whose content was not kept is left out, and named. */
export function memoryOps(
  blobs: BlobStore,
  snapshot: string | null,
): { ops: MemoryOp[]; missing: string[] } {
  const ops: MemoryOp[] = [];
  const missing: string[] = [];
  for (const [path, node] of new Manifest(blobs, snapshot).walk()) {
    const op = opOf(path, node);
    if (op === null) missing.push(path);
    else ops.push(op);
  }
  return { ops, missing };
}

function opOf(path: string, node: Node): MemoryOp | null {
  switch (node.type) {
    case 'directory':
      return { op: 'mkdir', path, mode: node.mode, at: 0 };
    case 'symlink':
      return { op: 'symlink', path, target: node.target, at: 0 };
    case 'file': {
      const { hash, size, mode, mtime } = node;
      return hash === null ? null : { op: 'stored', path, hash, size, mode, at: mtime };
    }
  }
}
