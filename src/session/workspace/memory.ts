/** A snapshot as the changes that make a tree in memory equal to it. */
import type { MemoryOp } from '../../memory-tree/op.ts';
import type { BlobStore } from '../blobs.ts';
import { Manifest, type Node } from './manifest.ts';

/** The content of the files stays in the store. A file whose content was not kept is left out, and named. */
export function memoryOps(
  blobs: BlobStore,
  snapshot: string | null,
): { ops: MemoryOp[]; missing: string[] } {
  const ops: MemoryOp[] = [];
  const missing: string[] = [];
  const now = Date.now();
  for (const [path, node] of new Manifest(blobs, snapshot).walk()) {
    const op = opOf(path, node, now);
    if (op === null) missing.push(path);
    else ops.push(op);
  }
  return { ops, missing };
}

/** @param now the time of what a snapshot keeps no time of */
function opOf(path: string, node: Node, now: number): MemoryOp | null {
  switch (node.type) {
    case 'directory':
      return { op: 'mkdir', path, mode: node.mode, at: now };
    case 'symlink':
      return { op: 'symlink', path, target: node.target, at: now };
    case 'file': {
      const { hash, size, mode, mtime } = node;
      return hash === null ? null : { op: 'stored', path, hash, size, mode, at: mtime };
    }
  }
}
