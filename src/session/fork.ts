/** Forking: into a session of its own, or in place, with /workspace as it was. */
import { FsError } from '../errors.ts';
import { atOnce } from '../slices.ts';
import type { Entry } from './entry.ts';
import { SessionFile, type SessionPlace } from './file.ts';
import type { Log } from './log.ts';
import { createSession } from './open.ts';
import { diskFiles } from './workspace/files.ts';
import {
  exactSnapshotAt,
  Manifest,
  restoreDirectory,
  WorkspaceSnapshots,
} from './workspace/index.ts';
import type { StatCache } from './workspace/snapshots.ts';

/** What a fork gave. */
export interface Forked {
  log: Log;
  /** The snapshot that its /workspace is; null where none was taken before the entry. */
  workspace: string | null;
  /** What the snapshot could not keep, such as files that were too long: the fork is without it. */
  missing: string[];
}

/**
 * Begins a session that goes on from an entry of another one. Nothing is
 * copied: its log names the entry, its /workspace the snapshot.
 *
 * @throws FsError ENOENT when there is no such entry, EIO when no snapshot could be taken at it
 */
export function forkSession(place: SessionPlace, from: SessionFile, at: string): Forked {
  const entry = requireEntry(from, at);
  const workspace = exactSnapshotAt(from, at);
  const log = createSession(place, {
    parent: owner(from, entry),
    ...(workspace === null ? {} : { workspace }),
  });
  log.begin();
  const missing = workspace === null ? [] : new Manifest(place.blobs, workspace).missing();
  return { log, workspace, missing };
}

/** The session whose own file an entry is in: a fork of a fork may go on from the first. */
function owner(from: SessionFile, entry: Entry): { session: string; entry: Entry } {
  let file = from;
  const opened: SessionFile[] = [];
  try {
    while (file.tree.place(file.tree.row(entry.id) ?? 0).source !== 0) {
      file = new SessionFile(file.place, file.header.parentSession ?? '').refresh();
      opened.push(file);
    }
    return { session: file.id, entry };
  } finally {
    for (const each of opened) each.close();
  }
}

/** What became of a directory that was taken back. */
export interface Travelled {
  entry: Entry;
  /** The paths that were changed in it. */
  restored: string[];
}

/**
 * Goes on from an earlier entry in the same session, and gives a directory the
 * files that it had then. What is in it now is kept in a snapshot first.
 *
 * @param root the directory on the host that is /workspace; null where it is none
 * @param hidden directories that are no part of it
 */
export function travelInPlace(
  log: Log,
  place: SessionPlace,
  at: string,
  root: string | null,
  hidden: readonly string[],
  cache: StatCache,
): Travelled {
  const workspace = exactSnapshotAt(log, at);
  if (root === null || workspace === null) {
    return { entry: log.travel(at), restored: [] };
  }
  const snapshots = new WorkspaceSnapshots(diskFiles(root, hidden), place.blobs, cache);
  try {
    const left = atOnce(snapshots.takeAll());
    const entry = log.travel(at, { workspace, leftWorkspace: left });
    const restored = restoreDirectory(root, place.blobs, left, workspace);
    snapshots.save();
    return { entry, restored };
  } finally {
    snapshots.release();
  }
}

function requireEntry(file: SessionFile, id: string): Entry {
  const entry = file.get(id);
  if (entry !== undefined) return entry;
  throw new FsError('ENOENT', {
    path: `/session/entries/${id}.json`,
    op: 'fork',
    reason: `session ${file.id} has no entry ${id}`,
  });
}
