/** What sqlite3 reads: statements and dot commands, from its arguments or by lines. */
import { runDot } from './dots.ts';
import { SqlError } from './engine.ts';
import { DotError, FailedRead, type Outcome, type Session } from './session.ts';

const GOES_ON: Outcome = { ends: false, failed: false };
const FAILED: Outcome = { ends: false, failed: true };

/** Runs one argument: a dot command, or statements. An error is told, and its code is the status. */
export function runArgument(session: Session, text: string): Outcome & { code: number } {
  if (text.startsWith('.')) {
    const outcome = runDotLine(session, text);
    return { ...outcome, code: outcome.ends || !outcome.failed ? 0 : 1 };
  }
  try {
    session.run(text);
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    session.warn(`Error: ${error.phase}, ${described(error)}\n`);
    return { ...FAILED, code: error.code & 0xff };
  }
  return { ...GOES_ON, code: 0 };
}

/** Runs a text line by line, as it stands in a file or comes from stdin. */
export function runLines(session: Session, text: string): Outcome {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  let sql = '';
  let startLine = 0;
  let failed = false;
  for (const [at, line] of lines.entries()) {
    if (failed && session.switches.bail) break;
    const isBetween = sql === '';
    if (isBetween && (line.trim() === '' || line.startsWith('#'))) continue;
    if (isBetween && line.startsWith('.')) {
      if (session.switches.echo) session.print(`${line}\n`);
      const outcome = runDotLine(session, line);
      if (outcome.ends) return outcome;
      failed ||= outcome.failed;
      continue;
    }
    if (isBetween) startLine = at + 1;
    // A line with `go` or `/` alone ends a statement, too.
    const isEnd = /^\s*(?:\/|go)\s*$/i.test(line) && session.engine.isComplete(`${sql};`);
    if (!isBetween) sql += '\n';
    sql += isEnd ? ';' : line;
    if (!sql.includes(';') || !session.engine.isComplete(sql)) continue;
    failed = !runStatements(session, sql, startLine) || failed;
    sql = '';
  }
  if (sql.trim() !== '' && !(failed && session.switches.bail)) {
    failed = !runStatements(session, sql, startLine) || failed;
  }
  return { ends: false, failed };
}

function runStatements(session: Session, sql: string, line: number): boolean {
  try {
    session.runRead(sql);
    return true;
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    const kind = error.phase === 'in prepare' ? 'Parse error' : 'Runtime error';
    session.warn(`${kind} near line ${line}: ${described(error)}\n`);
    return false;
  } finally {
    session.endOnce();
  }
}

function runDotLine(session: Session, line: string): Outcome {
  try {
    const status = runDot(session, line, runLines);
    return status === undefined ? GOES_ON : { ends: true, status };
  } catch (error) {
    if (error instanceof DotError)
      session.warn(
        `${/^(?:Usage:|Cannot)/.test(error.message) ? '' : 'Error: '}${error.message}\n`,
      );
    else if (error instanceof SqlError) session.warn(`Error: ${error.message}\n`);
    else if (!(error instanceof FailedRead)) throw error;
    return FAILED;
  }
}

/** An error's message, with the place in the text that it is about. */
function described({ message, code, place }: SqlError): string {
  const text = code > 1 ? `${message} (${code & 0xff})` : message;
  if (place === undefined || place.offset >= place.text.length) return text;
  const { offset } = place;
  const bytes = Buffer.from(place.text);
  // Long ones are shown from some 50 characters before the place on.
  let start = Math.max(0, offset - 50);
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  let end = Math.min(bytes.length, start + 78);
  while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  const shown = bytes.subarray(start, end).toString().replace(/\s/g, ' ');
  const at = offset - start;
  const mark =
    at < 25 ? `${' '.repeat(at)}^--- error here` : `${' '.repeat(at - 14)}error here ---^`;
  return `${text}\n  ${shown}\n  ${mark}`;
}
