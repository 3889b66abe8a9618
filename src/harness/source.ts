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
}

/** The files that have a meaning, by path; the deployment's in place of the package's. */
export function scanHarness({ own, defaults }: HarnessDirectories): Map<string, HarnessFile> {
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
    return { path, file, stamp: `${ino}:${size}:${mtimeMs}:${ctimeMs}`, mtimeMs, outside };
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
