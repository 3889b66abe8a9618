/** In the supervisor: the memory mounts as the worker left them, so that they outlive it. */
import type { MemoryOp } from '../memory-tree/op.ts';
import { type LoadStored, MemoryTree } from '../memory-tree/tree.ts';
import type { MountSpec } from './protocol.ts';

export class Mirrors {
  readonly #trees = new Map<string, MemoryTree>();
  /** Paths changed, by mount point, until they are asked for. */
  readonly #touched = new Map<string, Set<string>>();

  /** @param load gives the content of `stored` files */
  constructor(mounts: readonly MountSpec[], load: LoadStored | undefined) {
    for (const { point, source } of mounts) {
      if (source.kind !== 'memory') continue;
      const tree = new MemoryTree(load);
      for (const change of source.initial) tree.apply(change);
      this.#trees.set(point, tree);
      this.#touched.set(point, new Set());
    }
  }

  apply(point: string, change: MemoryOp): void {
    this.#trees.get(point)?.apply(change);
    const touched = this.#touched.get(point);
    touched?.add(change.path);
    if (change.op === 'rename') touched?.add(change.to);
  }

  at(point: string): MemoryTree | undefined {
    return this.#trees.get(point);
  }

  /** The paths in a mount that were changed since the last call. */
  takeTouched(point: string): string[] {
    const touched = this.#touched.get(point);
    const paths = [...(touched ?? [])];
    touched?.clear();
    return paths;
  }

  /** The mounts, those in memory with what they hold now. */
  filled(mounts: readonly MountSpec[]): MountSpec[] {
    return mounts.map((mount) => {
      const tree = this.#trees.get(mount.point);
      if (tree === undefined || mount.source.kind !== 'memory') return mount;
      return { ...mount, source: { ...mount.source, initial: [...tree.dump()] } };
    });
  }
}
