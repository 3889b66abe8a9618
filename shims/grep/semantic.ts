/** grep without a flag where text can be searched by meaning. */
import type { NamespaceFs } from '../../src/namespace/types.ts';
import type { SearchAnswer, SearchResult } from '../../src/search/contract.ts';
import type { ShimHost } from '../../src/shell/command.ts';
import { documentFormat, pagePath } from '../../src/texts/names.ts';
import { fileMessage } from './errors.ts';
import { hasOption } from './options.ts';
import { toBytes } from './output.ts';
import type { Outcome, Surroundings } from './run.ts';

/** How many lines an answer has. */
const LIMIT = 10;

/** A line is shown so that it can be read: minified code has lines of a megabyte. Characters. */
const LONGEST_LINE = 300;

/**
 * A line as an answer shows it: one line, and not too long.
 * @param from where in a long line to begin, so that what tells is seen
 */
export function shownLine(text: string, from = 0): string {
  const line = text.replace(/[\r\n]+/g, ' ');
  if (line.length <= LONGEST_LINE) return line;
  const start = Math.max(0, Math.min(from, line.length - LONGEST_LINE));
  const end = start + LONGEST_LINE;
  return `${start > 0 ? '…' : ''}${line.slice(start, end)}${end < line.length ? '…' : ''}`;
}

/** A place to search. */
export interface Scope {
  /** As the user wrote it, '' for the current directory. */
  given: string;
  path: string;
}

export function scopesOf(fs: NamespaceFs, operands: readonly string[], cwd: string): Scope[] {
  if (operands.length === 0) return [{ given: '', path: cwd }];
  return operands.map((given) => ({ given, path: fs.resolvePath(cwd, given) }));
}

/**
 * Is this command line a question to the search service? Only without any
 * flag, with a query, not on a pipe, and where every place may be searched.
 */
export function isSemantic(args: readonly string[], host: ShimHost, io: Surroundings): boolean {
  const [query, ...operands] = args;
  if (query === undefined || query.trim() === '' || hasOption(args)) return false;
  if (operands.length === 0 && (io.stdin !== '' || io.piped)) return false;
  if (operands.includes('-')) return false;
  return scopesOf(host.fs, operands, io.cwd).every(({ path }) => host.fs.searchable(path));
}

/**
 * Are all its places files that were named? Then lines with the words
 * themselves come first, as GNU grep prints them: such a file may be none of
 * the documents that are searched by meaning, or staged and newer than them.
 */
export async function namesFiles(
  args: readonly string[],
  { fs }: ShimHost,
  io: Surroundings,
): Promise<boolean> {
  const operands = args.slice(1);
  if (operands.length === 0) return false;
  for (const { path } of scopesOf(fs, operands, io.cwd)) {
    // Its bytes are no lines.
    if (documentFormat(path) !== null) return false;
    try {
      if (!(await fs.stat(path)).isFile) return false;
    } catch {
      // The search, or the walk, says what is wrong with it.
      return false;
    }
  }
  return true;
}

/** The path of a hit the way the user names the place it was found in. */
export function shownPath(path: string, scopes: readonly Scope[]): string {
  let best: Scope | undefined;
  for (const scope of scopes) {
    const inside = path === scope.path || path.startsWith(`${scope.path}/`.replace('//', '/'));
    if (inside && (best === undefined || scope.path.length > best.path.length)) best = scope;
  }
  if (best === undefined) return path;
  const rest = path.slice(best.path.length).replace(/^\//, '');
  if (rest === '') return best.given;
  if (best.given === '') return rest;
  return best.given.endsWith('/') ? best.given + rest : `${best.given}/${rest}`;
}

/** Where an answer stands: `a.md:12`; `a.pdf:p3` for a document, which is the path of that page. */
export function shownPlace({ path, line, page }: SearchAnswer, scopes: readonly Scope[]): string {
  const shown = shownPath(path, scopes);
  return page === undefined ? `${shown}:${line}` : pagePath(shown, page);
}

/** What of the question is nowhere, a line; '' where all of it is somewhere. */
export function missingLine(missing: readonly string[] = []): string {
  return missing.length === 0 ? '' : `no document has: ${missing.join(', ')}\n`;
}

/** A line for each reason why something in scope was not searched. */
export function unsearchedLines(
  tool: string,
  { unsearched = [] }: SearchResult,
  scopes: readonly Scope[],
): string {
  return unsearched
    .map(({ count, example, what, why, how }) => {
      const shown = shownPath(example, scopes);
      const skipped = count === 1 ? shown : `${count} ${what} such as ${shown}`;
      return `${tool}: skipped ${skipped}: ${why[count === 1 ? 0 : 1]}; ${how}\n`;
    })
    .join('');
}

/** 1 says that there is nothing: only where all that is in scope was searched. */
export function statusOf({
  answers,
  trouble = [],
  unsearched = [],
  complete = true,
}: SearchResult): number {
  if (trouble.length > 0 || unsearched.some(({ fails }) => fails)) return 2;
  return answers.length > 0 ? 0 : complete ? 1 : 2;
}

/** Asks the search service and prints its answer as grep prints lines. */
export async function searchByMeaning(
  args: readonly string[],
  host: ShimHost,
  io: Surroundings,
): Promise<Outcome> {
  const [query = '', ...operands] = args;
  const scopes: Scope[] = [];
  let stderr = '';
  for (const scope of scopesOf(host.fs, operands, io.cwd)) {
    try {
      await host.fs.stat(scope.path);
      scopes.push(scope);
    } catch (error) {
      stderr += fileMessage('grep', scope.given || scope.path, error);
    }
  }
  const failed = stderr !== '';
  if (scopes.length === 0) return { stdout: '', stderr, exitCode: 2 };
  try {
    const paths = scopes.map((scope) => scope.path);
    const question = { query, paths, limit: LIMIT };
    const found = await host.search.ask(question);
    const { answers, note, missing, trouble = [] } = found;
    let stdout = '';
    for (const answer of answers) {
      stdout += `${shownPlace(answer, scopes)}:${shownLine(answer.text, answer.from)}\n`;
    }
    if (note !== '') stderr += note.endsWith('\n') ? note : `${note}\n`;
    stderr += missingLine(missing);
    for (const error of trouble) stderr += fileMessage('grep', error.path, error);
    stderr += unsearchedLines('grep', found, scopes);
    return { stdout: toBytes(stdout), stderr, exitCode: failed ? 2 : statusOf(found) };
  } catch (error) {
    stderr += fileMessage('grep', 'search by meaning', error);
    stderr += 'dirigent: any flag makes grep literal, e.g. grep -rn PATTERN PATH\n';
    return { stdout: '', stderr, exitCode: 2 };
  }
}
