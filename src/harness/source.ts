/**
 * The files of a harness on the host: the deployment's over the package's. A
 * name that begins with `_` or `.` is skipped. Links that lead out of the
 * directory are not followed: an agent that may write here could read the host,
 * be it by exchanging a directory while it is looked at.
 */
import fs from 'node:fs';
import { join, sep } from 'node:path';
import { ConfinedDirectory } from '../disk/confined.ts';
import { isFsError } from '../errors.ts';
import { KINDS, type Kind, kindNames } from './kinds.ts';

/** Larger files are no text for a model to read. Bytes. */
export const LARGEST = 1024 * 1024;

/** Where a harness is. */
export interface HarnessDirectories {
  /** The deployment's own; null without one. */
  own: string | null;
  /** The package's, which lies under it. */
  defaults: string;
  /** The services whose text files of the deployment's may hold, by their paths on the host. */
  originsOf?: (files: readonly string[]) => ReadonlyMap<string, readonly string[]>;
}

/** A file of the harness. */
export interface HarnessFile {
  /** Relative to /harness, with `/`. */
  path: string;
  /** On the host. */
  file: string;
  /** Changes when the file does. */
  stamp: string;
  mtimeMs: number;
  /** It lies elsewhere, through a link. */
  outside: boolean;
  /**
   * What it says; null where it vanished. Links that were put on its way meanwhile are not followed.
   * @param most bytes; what is longer is EFBIG
   */
  read(most: number): Uint8Array | null;
  /** The services whose text it may hold: such text gives no orders. */
  origins: readonly string[];
}

/** The files that have a meaning, by path; the deployment's in place of the package's. */
export function scanHarness({
  own,
  defaults,
  originsOf,
}: HarnessDirectories): Map<string, HarnessFile> {
  const files = new Map<string, HarnessFile>();
  for (const root of [defaults, own]) {
    if (root === null) continue;
    if (!fs.existsSync(root)) continue;
    ConfinedDirectory.within(root, (directory) => {
      for (const path of candidates(directory)) {
        const found = look(root, directory, path);
        if (found !== null) files.set(path, found);
      }
    });
  }
  if (own === null || originsOf === undefined) return files;
  const written = [...files.values()].filter(({ file }) => file.startsWith(join(own, sep)));
  const marked = originsOf(written.map(({ file }) => file));
  for (const each of written) {
    const origins = marked.get(each.file) ?? [];
    const stamp = `${each.stamp} ${origins.join()}`;
    if (origins.length > 0) files.set(each.path, { ...each, origins, stamp });
  }
  return files;
}

/** Paths that may be files of a harness; a directory that is a link which leads out stands for itself. */
function candidates(harness: ConfinedDirectory): string[] {
  const named = (directory: string, fits: (path: string) => boolean): string[] => {
    const within = placeIn(harness, directory);
    if (within === OUTSIDE) return [directory];
    const names = within === null ? [] : (harness.list(within) ?? []).map(({ name }) => name);
    return names
      .filter((name) => !/^[_.]/.test(name))
      .map((name) => `${directory}/${name}`)
      .filter(fits);
  };
  const ofKind = (kind: Kind): string[] => {
    const { place, modules } = KINDS[kind];
    const [, below = ''] = /^NAME(\/.*)$/.exec(place) ?? [];
    // Where code of the host may lie, whatever else lies there is told.
    const fits = below !== '' || modules !== undefined ? () => true : hasSuffix(place.slice(4));
    return named(kind, fits).map((path) => (path === kind ? path : `${path}${below}`));
  };
  return ['AGENTS.md', 'policy.yaml', ...kindNames.flatMap(ofKind)];
}

const hasSuffix =
  (suffix: string) =>
  (path: string): boolean =>
    path.endsWith(suffix);

const OUTSIDE = Symbol('outside of the harness');

/** Where a path of a harness leads, without links; null where there is nothing. */
function placeIn(harness: ConfinedDirectory, path: string): string | null | typeof OUTSIDE {
  try {
    return harness.resolve(`/${path}`);
  } catch (error) {
    if (isFsError(error, 'EACCES')) return OUTSIDE;
    throw error;
  }
}

function look(root: string, harness: ConfinedDirectory, path: string): HarnessFile | null {
  const file = join(root, path);
  const within = placeIn(harness, path);
  const none = { path, file, origins: [] };
  if (within === OUTSIDE)
    return { ...none, stamp: 'outside', mtimeMs: 0, outside: true, read: () => null };
  const stat = within === null ? null : harness.stat(within);
  if (within === null || stat?.isFile() !== true) return null;
  const { ino, size, mtimeMs, ctimeMs } = stat;
  const read = (most: number) =>
    ConfinedDirectory.within(root, (directory) => directory.read(within, most));
  const stamp = `${ino}:${size}:${mtimeMs}:${ctimeMs}`;
  return { ...none, stamp, mtimeMs, outside: false, read };
}
