/** Removes blobs that no session refers to any more, such as those of sessions that were deleted. */
import fs from 'node:fs';
import { join } from 'node:path';
import { FsError, isFsError } from '../errors.ts';
import { type BlobStore, blobRefs } from './blobs.ts';
import { SessionFile, type SessionPlace } from './file.ts';
import { sessionIds } from './mount.ts';
import { Manifest } from './workspace/index.ts';

/** What was found, and removed unless it was a dry run. */
export interface Collected {
  /** Blobs that some session refers to. */
  kept: number;
  /** Blobs that none refers to, too young to be removed: a command that is running may be about to. */
  young: number;
  removed: number;
  bytes: number;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export interface CollectOptions {
  /** Only what nobody has kept or asked for in so many days. At least one. */
  days: number;
  dryRun: boolean;
  now?: () => number;
}

/**
 * Marks what every session refers to, then removes the rest. What a running
 * session keeps anew in the meantime has a new time, and stays.
 * @throws FsError EIO when a session is broken: what its broken lines refer to is not known
 */
export function collectBlobs(place: SessionPlace, options: CollectOptions): Collected {
  const marked = new Marks(place);
  for (const id of sessionIds(place)) marked.session(id);
  const before = (options.now ?? Date.now)() - Math.max(1, options.days) * DAY_MS;
  const found: Collected = { kept: 0, young: 0, removed: 0, bytes: 0 };
  for (const { hash, file } of storedFiles(place.blobs)) {
    const stat = fs.statSync(file, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    if (hash !== null && marked.hashes.has(hash)) found.kept += 1;
    else if (stat.mtimeMs >= before) found.young += 1;
    else {
      found.removed += 1;
      found.bytes += stat.size;
      if (!options.dryRun) fs.rmSync(file, { force: true });
    }
  }
  return found;
}

/** Everything that sessions refer to. */
class Marks {
  readonly hashes = new Set<string>();
  /** Listings that were looked into: a file may have the same content as one. */
  readonly #directories = new Set<string>();
  readonly #place: SessionPlace;

  constructor(place: SessionPlace) {
    this.#place = place;
  }

  session(id: string): void {
    const file = new SessionFile(this.#place, id);
    try {
      file.refresh();
      const [fault] = file.faults;
      if (fault !== undefined) throw broken(id, fault.line, fault.reason);
      if (!file.hasHeader) return;
      this.#snapshot(file.header.workspace);
      for (const entry of file.own()) {
        for (const { $blob } of blobRefs(entry)) this.hashes.add($blob);
        this.#snapshot(entry['workspace']);
        this.#snapshot(entry['leftWorkspace']);
      }
    } finally {
      file.close();
    }
  }

  #snapshot(hash: unknown): void {
    if (typeof hash !== 'string' || this.#directories.has(hash)) return;
    this.#directories.add(hash);
    this.hashes.add(hash);
    for (const node of this.#entries(hash)) {
      if (node.type === 'directory') this.#snapshot(node.hash);
      else if (node.type === 'file' && node.hash !== null) this.hashes.add(node.hash);
    }
  }

  #entries(hash: string) {
    const manifest = new Manifest(this.#place.blobs, hash);
    try {
      return manifest.entries(manifest.root).values();
    } catch (error) {
      // A listing that a power failure took: nobody can reach what was in it through this one.
      if (isFsError(error, 'EIO')) return [];
      throw error;
    }
  }
}

/** Every file of the store; `hash` is null for what a killed writer left. */
function* storedFiles(blobs: BlobStore): Generator<{ hash: string | null; file: string }> {
  if (!fs.existsSync(blobs.directory)) return;
  for (const folder of fs.readdirSync(blobs.directory)) {
    if (!/^[0-9a-f]{2}$/.test(folder)) continue;
    for (const name of fs.readdirSync(join(blobs.directory, folder))) {
      const file = join(blobs.directory, folder, name);
      if (/^[0-9a-f]{62}$/.test(name)) yield { hash: folder + name, file };
      else if (name.endsWith('.tmp')) yield { hash: null, file };
    }
  }
}

function broken(id: string, line: number, reason: string): FsError {
  return new FsError('EIO', {
    path: `sessions/${id}/log.jsonl`,
    op: 'gc',
    rule: 'no blob of a session that exists is removed',
    reason: `line ${line} of session ${id} is broken (${reason}), so that it is not known what it refers to: nothing was removed; delete that session, or keep the blobs`,
  });
}
