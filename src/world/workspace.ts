/** Follows /workspace from command to command, and keeps a snapshot of each state. */
import { join } from 'node:path';
import type { BlobStore } from '../session/blobs.ts';
import type { FileChange } from '../session/entry.ts';
import {
  diskFiles,
  memoryFiles,
  StatCache,
  WorkspaceSnapshots,
} from '../session/workspace/index.ts';
import { inSlices } from '../slices.ts';
import type { MountSpec } from './protocol.ts';
import type { Supervisor } from './supervisor.ts';

const POINT = '/workspace';

/** Snapshots of one world's /workspace. After a failure all of it is looked at again. */
export interface WorkspaceTracker {
  /** A path of the namespace was changed from outside a command. */
  touched(path: string): void;
  /** The snapshot before a command; null while there is nothing to keep. */
  before(): Promise<string | null>;
  /** The snapshot after it, and the files that it changed; paths outside /workspace have no hashes. */
  after(
    changed: readonly string[],
    stopped: boolean,
  ): Promise<{ snapshot: string | null; changed: FileChange[] }>;
  close(): void;
}

/** @param from the snapshot that a workspace in memory was made of */
export function trackWorkspace(
  mount: MountSpec | undefined,
  supervisor: Supervisor,
  blobs: BlobStore,
  state: string,
  from: string | null,
): WorkspaceTracker | null {
  const source = mount?.source;
  if (source?.kind === 'disk') {
    const cache = new StatCache(join(state, 'workspace.index.json'));
    return trackDisk(new WorkspaceSnapshots(diskFiles(source.root, source.hidden), blobs, cache));
  }
  const mirror = source?.kind === 'memory' ? supervisor.mirror(POINT) : undefined;
  if (mirror === undefined) return null;
  const snapshots = new WorkspaceSnapshots(
    memoryFiles(mirror),
    blobs,
    undefined,
    from ?? undefined,
  );
  return trackMemory(snapshots, () => supervisor.takeTouched(POINT), from);
}

/** Every change of a memory mount is told, whoever made it. */
function trackMemory(
  snapshots: WorkspaceSnapshots,
  takeTouched: () => string[],
  from: string | null,
): WorkspaceTracker {
  let snapshot = from;
  let inStep = true;
  const take = async (): Promise<FileChange[]> => {
    const touched = takeTouched();
    if (inStep && touched.length === 0) return [];
    const known = inStep;
    inStep = false;
    if (!known) await inSlices(snapshots.takeAll());
    const changes = known ? await inSlices(snapshots.take(outermost(touched))) : [];
    snapshot = await inSlices(snapshots.seal());
    inStep = true;
    return changes;
  };
  return {
    touched: () => undefined,
    before: async () => {
      await take();
      return snapshot;
    },
    after: async (changed) => ({ changed: describe(changed, await take()), snapshot }),
    close: () => undefined,
  };
}

/** A directory can be changed by anyone: all of it is looked at when the session begins. */
function trackDisk(snapshots: WorkspaceSnapshots): WorkspaceTracker {
  let snapshot: string | null = null;
  let touched: string[] = [];
  const take = async (paths: readonly string[]): Promise<FileChange[]> => {
    const own = paths.filter((path) => path.startsWith(`${POINT}/`));
    if (own.length === 0) return [];
    snapshot = null;
    const inside = outermost(own.map((path) => path.slice(POINT.length)));
    const changes = await inSlices(snapshots.take(inside));
    snapshot = await inSlices(snapshots.seal());
    return changes;
  };
  return {
    touched: (path) => touched.push(path),
    before: async () => {
      // What is touched meanwhile is looked at the next time.
      const paths = touched;
      touched = [];
      if (snapshot === null) {
        snapshot = await inSlices(snapshots.takeAll());
        // Here, since a process may end without closing its world.
        snapshots.save();
      } else await take(paths);
      return snapshot;
    },
    after: async (changed, stopped) => {
      // Without a snapshot to go on from, as after a kill, nothing tells what was changed.
      const known = snapshot !== null && !stopped;
      const changes = known ? await take(changed) : [];
      if (!known) {
        snapshot = null;
        snapshot = await inSlices(snapshots.takeAll());
      }
      return { snapshot, changed: describe(changed, changes) };
    },
    close: () => {
      snapshots.save();
      snapshots.release();
    },
  };
}

/** Paths without those below another one, which is looked at as a whole. */
function outermost(paths: readonly string[]): string[] {
  const all = new Set(paths);
  return [...all].filter((path) => {
    for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1))
      if (all.has(path.slice(0, cut))) return false;
    return true;
  });
}

/** What was changed: files of the snapshot with their hashes, and the other paths. */
function describe(paths: readonly string[], changes: readonly FileChange[]): FileChange[] {
  const known = changes.map((change) => ({ ...change, path: POINT + change.path }));
  const named = new Set(known.map(({ path }) => path));
  return [...known, ...paths.filter((path) => !named.has(path)).map((path) => ({ path }))];
}
