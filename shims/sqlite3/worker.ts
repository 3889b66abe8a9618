/** The thread of one run of sqlite3: SQLite as WebAssembly, over the files of the namespace. */
import { workerData } from 'node:worker_threads';
import { UsageError } from '../support/getopt.ts';
import { Guest, type GuestStart } from '../support/program/guest.ts';
import { Engine, SqlError } from './engine.ts';
import { type CommandLine, readCommandLine } from './options.ts';
import { runArgument, runLines } from './script.ts';
import { MEMORY, type Outcome, Session } from './session.ts';

/** Output is handed on in pieces of so many bytes. */
const CHUNK = 64 * 1024;

const HELP = `Usage: sqlite3 [OPTIONS] [FILENAME [SQL]]
FILENAME is the name of an SQLite database. A new database is created
if the file does not previously exist. Defaults to :memory:.
OPTIONS include: -ascii -bail -box -cmd COMMAND -column -csv -echo -header -html -init FILE
-json -line -list -markdown -newline SEP -noheader -nullvalue TEXT -quote -readonly
-separator SEP -table -tabs -version
`;

async function run(start: GuestStart): Promise<void> {
  const guest = new Guest(start);
  let pending: string[] = [];
  let size = 0;
  const flush = (): void => {
    if (size > 0) guest.say({ stream: 'stdout', bytes: Buffer.from(pending.join(''), 'latin1') });
    pending = [];
    size = 0;
  };
  const stdout = (bytes: string): void => {
    pending.push(bytes);
    size += bytes.length;
    if (size >= CHUNK) flush();
  };
  const stderr = (text: string): void => {
    if (text !== '') guest.say({ stream: 'stderr', bytes: Buffer.from(text) });
  };
  const status = await statusOf(guest, start, { stdout, stderr });
  flush();
  guest.end(status);
}

interface Output {
  stdout(bytes: string): void;
  stderr(text: string): void;
}

async function statusOf(guest: Guest, start: GuestStart, output: Output): Promise<number> {
  let line: CommandLine;
  try {
    line = readCommandLine(start.args);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    output.stderr(`sqlite3: ${error.message}\n`);
    return 1;
  }
  if (line.help) {
    output.stdout(HELP);
    return 0;
  }
  const engine = await Engine.load(guest, start, output.stderr);
  if (line.version) {
    output.stdout(`${engine.version}\n`);
    return 0;
  }
  const session = new Session(engine, { bridge: guest.bridge, cwd: start.cwd, ...output });
  const status = runAll(session, line, Buffer.from(start.stdin).toString('latin1'));
  session.endOutput();
  session.database?.close();
  // What could not be stored is not there, whatever the statements said.
  for (const fault of engine.files.faults) output.stderr(`Error: ${fault}\n`);
  return engine.files.faults.length > 0 ? status || 1 : status;
}

function runAll(session: Session, line: CommandLine, stdin: string): number {
  try {
    session.open(line.file ?? MEMORY, { readonly: line.readonly });
  } catch (error) {
    if (!(error instanceof SqlError)) throw error;
    session.warn(`Error: unable to open database "${line.file}": ${error.message}\n`);
    const refusal = session.engine.files.takeRefusal();
    if (refusal !== undefined) session.warn(`dirigent: ${refusal}\n`);
    return 1;
  }
  line.setStyle(session.style);
  session.switches.bail = line.bail;
  session.switches.echo = line.echo;
  if (line.init !== undefined) runLines(session, session.read(line.init));
  for (const text of line.before) {
    const outcome = runArgument(session, text);
    if (outcome.ends) return outcome.status;
    if (outcome.failed && line.bail) return outcome.code;
  }
  for (const text of line.inputs) {
    const outcome = runArgument(session, text);
    session.endOnce();
    if (outcome.ends) return outcome.status;
    if (outcome.failed) return outcome.code;
  }
  return line.inputs.length > 0 ? 0 : statusOfLines(runLines(session, stdin));
}

function statusOfLines(outcome: Outcome): number {
  if (outcome.ends) return outcome.status;
  return outcome.failed ? 1 : 0;
}

await run(workerData as GuestStart);
