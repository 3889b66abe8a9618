/** What is marked of files of the host, for those who read them there and not through a namespace. */
import { existsSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { HOST, hasMarks, UntrustedMarks } from './marks.ts';

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

/** A person vouches for a file: it is nobody's but theirs from now on. */
export function vouchFor(journal: string, file: string): void {
  if (!hasMarks({ file: journal })) return;
  const marks = new UntrustedMarks({ file: journal, ...NOBODY });
  try {
    marks.clean({ scope: HOST, path: file }, 'text');
    marks.clean({ scope: HOST, path: file }, 'name');
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
