/** Searches for a sandbox's tools, by the shell's own commands: literally, and by names. */
import { shellWord } from '../../visible.ts';
import type { Visit } from '../door.ts';
import { fromHome } from './files.ts';

/** Searches run in a shell of their own: what was defined in the visit's shell is none of theirs. */
const FRESH = { fresh: true } as const;

export interface Match {
  path: string;
  /** From 1. */
  line: number;
  text: string;
}

export interface Matches {
  matches: Match[];
  /** There may be more: there were too many, or some files could not be searched. */
  truncated: boolean;
}

/**
 * Finds a text literally, below a path.
 * @param glob names of the files that are searched; all, if null
 * @returns the matches, or what went wrong where there are none
 */
export async function findText(
  visit: Visit,
  text: string,
  path: string,
  glob: string | null,
  maxCount: number | null,
): Promise<Matches | { error: string }> {
  const include = glob === null ? '' : ` --include=${shellWord(glob)}`;
  const command = `grep -rnHFZ${include} -e ${shellWord(text)} -- ${shellWord(fromHome(path))}`;
  const { stdout, stderr, exitCode } = await visit.exec(command, FRESH);
  const matches = stdout.split('\n').flatMap((row) => {
    const [file, rest] = row.split('\0');
    const colon = rest?.indexOf(':') ?? -1;
    if (file === undefined || rest === undefined || colon < 0) return [];
    return [{ path: file, line: Number(rest.slice(0, colon)), text: rest.slice(colon + 1) }];
  });
  if (exitCode > 1 && matches.length === 0) return { error: stderr };
  const most = maxCount ?? matches.length;
  return { matches: matches.slice(0, most), truncated: exitCode > 1 || matches.length > most };
}

/** The paths that a glob names, below a directory. */
export async function findNames(
  visit: Visit,
  pattern: string,
  directory: string,
): Promise<{ names: string[] } | { error: string }> {
  const command = `shopt -s globstar nullglob; cd ${shellWord(directory)} && printf '%s\\0' ${globWord(pattern)}`;
  const { stdout, stderr, exitCode } = await visit.exec(command, FRESH);
  if (exitCode !== 0) return { error: stderr };
  return { names: stdout.split('\0').filter((name) => name !== '') };
}

/** A glob as a word of the shell: only its wildcards mean something. */
const globWord = (pattern: string): string =>
  pattern.replaceAll(/[^\w*?[\]{},./-]/g, (character) => `\\${character}`);
