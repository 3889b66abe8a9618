/**
 * True errors on stderr. Many of just-bash's commands print any failure as "No
 * such file or directory" or say nothing; the file system keeps the true ones,
 * and a command's stderr and status are mended with them afterwards.
 */
import { type FsError, STRERROR } from '../errors.ts';
import type { CommandResult } from './interpreter-types.ts';

/** What is needed to put errors into a command's own words. */
export interface Blame {
  /** Who says so: `cat`, `bash: cd`, `bash`. */
  speaker: string;
  cwd: string;
  /** Words of the command; one that names the path is how the path is printed. */
  words: readonly string[];
  resolve: (base: string, path: string) => string;
  /** The status for a command that failed but said it did not; null leaves it alone. */
  failure: number | null;
}

const MASKS = [
  'No such file or directory',
  'cannot open redirect target',
  'cannot access redirect target',
];
/** cp and mv, when they could not look at their target. */
const UNSURE = /cannot safely determine whether .* are the same file/;
/** just-bash's sanitizer writes this for paths below /home, /tmp, /var … */
const SANITIZED = '<path>';

/** A result whose stderr tells the given errors, each once, with the reasons of refusals. */
export function withTrueErrors(
  result: CommandResult,
  errors: readonly FsError[],
  blame: Blame,
): CommandResult {
  if (errors.length === 0) return result;
  let { stderr } = result;
  const told = new Set<string>();
  const reasons = new Set<string>();
  for (const error of errors) {
    const key = `${error.code} ${error.path}`;
    if (!told.has(key)) stderr = tell(stderr, error, blame);
    told.add(key);
    if (error.reason !== undefined) reasons.add(error.reason);
  }
  for (const reason of reasons) {
    const line = `dirigent: ${reason}\n`;
    if (!stderr.includes(line)) stderr = endLine(stderr) + line;
  }
  const exitCode =
    result.exitCode === 0 && blame.failure !== null ? blame.failure : result.exitCode;
  return { ...result, stderr, exitCode };
}

/** The line that bash prints for a redirection that failed, and the reason if there is one. */
export function redirectMessage(target: string, error: FsError): string {
  const reason = error.reason === undefined ? '' : `dirigent: ${error.reason}\n`;
  return `bash: ${target}: ${error.strerror}\n${reason}`;
}

function tell(stderr: string, error: FsError, blame: Blame): string {
  const names = [...namesOf(error, blame), ...namesBelow(error, blame)];
  const lines = stderr.split('\n');
  let mended = false;
  for (const [index, line] of lines.entries()) {
    const name = names.find((candidate) => mentions(line, candidate));
    if (name === undefined) continue;
    const truth = mendLine(line, name, error);
    if (truth === null) continue;
    lines[index] = truth;
    mended = true;
  }
  if (mended) return lines.join('\n');
  return `${endLine(stderr)}${blame.speaker}: ${names[0] ?? error.path}: ${error.strerror}\n`;
}

/** The line with the truth in it; null if it is about something else. */
function mendLine(line: string, name: string, error: FsError): string | null {
  const shown = name === SANITIZED ? line.replaceAll(SANITIZED, error.path) : line;
  if (UNSURE.test(shown)) return shown.replace(UNSURE, () => `${name}: ${error.strerror}`);
  const raw = new RegExp(`${error.code}: [^']*'[^']*'(?: -> '[^']*')?`);
  if (raw.test(shown)) {
    // A message of Node's kind: `EACCES: permission denied, mkdir '/p'`.
    const before = shown.slice(0, shown.search(raw));
    const path = before.includes(error.path) ? '' : `${error.path}: `;
    return shown.replace(raw, () => `${path}${error.strerror}`);
  }
  if (shown.toLowerCase().includes(error.strerror.toLowerCase())) return shown;
  if (Object.values(STRERROR).every((text) => !shown.includes(text) || MASKS.includes(text))) {
    const mask = MASKS.find((text) => shown.includes(text));
    if (mask !== undefined) return shown.replace(mask, error.strerror);
  }
  return null;
}

/** How a message may name the path, the likeliest first. */
function namesOf(error: FsError, blame: Blame): string[] {
  const names = blame.words.filter(
    (word) => word !== '' && blame.resolve(blame.cwd, word) === error.path,
  );
  names.push(error.path);
  const prefix = blame.cwd === '/' ? '/' : `${blame.cwd}/`;
  if (error.path.startsWith(prefix)) names.push(error.path.slice(prefix.length));
  names.push(SANITIZED);
  return names.filter((name) => name !== '');
}

/** Words of the command for what lies below: `cd /a/b` fails, too, when nothing is known of `/a`. */
function namesBelow(error: FsError, blame: Blame): string[] {
  const below = error.path === '/' ? '/' : `${error.path}/`;
  return blame.words.filter(
    (word) => word !== '' && blame.resolve(blame.cwd, word).startsWith(below),
  );
}

/** Is the name there as a whole word? `/a` is not in `/a/b`. */
function mentions(line: string, name: string): boolean {
  for (let at = line.indexOf(name); at !== -1; at = line.indexOf(name, at + 1)) {
    const before = line[at - 1] ?? ' ';
    const after = line[at + name.length] ?? ' ';
    if (!/[\w./-]/.test(before) && !/[\w/-]/.test(after)) return true;
  }
  return false;
}

function endLine(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}
