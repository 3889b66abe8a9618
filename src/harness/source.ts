/**
 * The files of a harness on the host: the deployment's over the package's. A
 * name that begins with `_` or `.` is skipped. Links that lead out of the
 * directory are not followed: an agent that may write here could read the host.
 */
import fs from 'node:fs';
import { join, sep } from 'node:path';

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
    const real = realDirectory(root);
    if (real === null) continue;
    for (const path of candidates(root)) {
      const found = look(root, real, path);
      if (found !== null) files.set(path, found);
    }
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

/** Paths that may be files of a harness. */
function candidates(root: string): string[] {
  const named = (directory: string): string[] =>
    list(join(root, directory)).map((name) => `${directory}/${name}`);
  return [
    'AGENTS.md',
    'policy.yaml',
    ...named('agents').filter((path) => path.endsWith('.md')),
    ...named('prompts').filter((path) => path.endsWith('.md')),
    ...named('tools'),
    ...named('skills').map((path) => `${path}/SKILL.md`),
  ];
}

function list(directory: string): string[] {
  try {
    return fs
      .readdirSync(directory)
      .filter((name) => !/^[_.]/.test(name))
      .sort();
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function look(root: string, real: string, path: string): HarnessFile | null {
  const file = join(root, path);
  try {
    const stat = fs.statSync(file);
    if (!stat.isFile()) return null;
    const { ino, size, mtimeMs, ctimeMs } = stat;
    const outside = !fs.realpathSync.native(file).startsWith(real + sep);
    return {
      path,
      file,
      stamp: `${ino}:${size}:${mtimeMs}:${ctimeMs}`,
      mtimeMs,
      outside,
      origins: [],
    };
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

function realDirectory(root: string): string | null {
  try {
    return fs.realpathSync.native(root);
  } catch (error) {
    if (isAbsent(error)) return null;
    throw error;
  }
}

export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP';
}
