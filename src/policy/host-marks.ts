/** What is marked of files of the host, for those who read them there and not through a namespace. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { changesFile } from '../changes/file.ts';
import { HOST, hasMarks, type Spot, UntrustedMarks } from './marks.ts';

/** Nobody's session: what is marked on the host is for all. */
const NOBODY = { session: '', ancestors: [], workspace: null };

/**
 * The services whose text is in each of some files, or in its name.
 * @param journal `changes.sqlite` of the state directory
 * @param files by their paths on the host
 */
export function originsOfFiles(
  journal: string,
  files: readonly string[],
): Map<string, readonly string[]> {
  if (files.length === 0 || !hasMarks({ file: journal })) return new Map();
  const marks = new UntrustedMarks({ file: journal, ...NOBODY });
  try {
    return new Map(
      files.map((file) => {
        const names = new Set([file, realPath(file)]);
        const found = [...names].flatMap((path) => textAndNames(marks, path));
        return [file, [...new Set(found)]];
      }),
    );
  } finally {
    marks.close();
  }
}

/** A person vouches for a file in a directory, and for the names on the way to it: they are theirs from now on. */
export function vouchFor(state: string, directory: string, file: string): void {
  withMarks(state, (marks) => {
    const root = realPath(directory);
    const path = realPath(join(directory, file));
    marks.clean({ scope: HOST, path }, 'text');
    for (let up = path; up.startsWith(`${root}/`); up = dirname(up))
      marks.clean({ scope: HOST, path: up }, 'name');
  });
}

/** Files have been taken back to what they were: what was marked in them at some time is again. */
export function reviveMarks(state: string, spot: Spot): void {
  withMarks(state, (marks) => marks.revive(spot));
}

function withMarks(state: string, work: (marks: UntrustedMarks) => void): void {
  const file = changesFile(state);
  if (!hasMarks({ file })) return;
  const marks = new UntrustedMarks({ file, ...NOBODY });
  try {
    work(marks);
  } finally {
    marks.close();
  }
}

/** A file that has gone meanwhile has no text. */
function realPath(file: string): string {
  return existsSync(file) ? realpathSync.native(file) : file;
}

function textAndNames(marks: UntrustedMarks, path: string): readonly string[] {
  const found = [...marks.textOf({ scope: HOST, path })];
  for (let up = path; up !== '/'; up = dirname(up))
    found.push(...marks.nameOf({ scope: HOST, path: up }));
  return found;
}
