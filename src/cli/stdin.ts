/** The process's stdin, as a command's. */
import fs from 'node:fs';
import { isatty } from 'node:tty';
import { visible } from '../visible.ts';
import type { Output } from './output.ts';

/** What is on descriptor 0. A pipe may stay open for ever; a file ends. */
export type StdinKind = 'terminal' | 'pipe' | 'file' | 'none';

/** For so long a pipe may be silent before the script is looked at. */
const PATIENCE_MS = 100;
/** When the user is told what is being waited for. */
const NOTICE_MS = 2000;

/** What is on descriptor 0? */
export function stdinKind(): StdinKind {
  if (isatty(0)) return 'terminal';
  let stat: fs.Stats;
  try {
    stat = fs.fstatSync(0);
  } catch (error) {
    // Closed by whoever started us: `<&-`.
    if (error instanceof Error && 'code' in error && error.code === 'EBADF') return 'none';
    throw error;
  }
  if (stat.isFile()) return 'file';
  return stat.isFIFO() || stat.isSocket() ? 'pipe' : 'none';
}

/** All of stdin. */
export async function readToEnd(kind = stdinKind()): Promise<Uint8Array> {
  if (kind === 'none') return new Uint8Array();
  if (kind === 'file') return fs.readFileSync(0);
  const chunks: Uint8Array[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

/**
 * The stdin of a script, all of it; undefined if there is none.
 *
 * bash hands its stdin on and waits only when a command reads. Here the bytes
 * are needed beforehand. Harnesses leave a pipe open that nobody writes to, so
 * waiting for its end before `ls` would hang; running `cat` without what comes
 * late would lose it in silence. So a pipe that stays open is waited for
 * exactly when the script may read its stdin.
 */
export async function stdinFor(script: string, output: Output): Promise<Uint8Array | undefined> {
  const kind = stdinKind();
  if (kind === 'terminal' || kind === 'none') return undefined;
  if (kind === 'file') return fs.readFileSync(0);
  const all = readToEnd(kind);
  if (await endsWithin(all, PATIENCE_MS)) return all;
  const { mayReadStdin } = await import('../shell/may-read-stdin.ts');
  if (!mayReadStdin(script)) {
    // Nobody reads it: it must not keep the process from ending, nor fail it.
    all.catch(() => undefined);
    process.stdin.pause();
    return undefined;
  }
  if (!(await endsWithin(all, NOTICE_MS))) {
    await output.err(
      visible`dirigent: waiting for the end of stdin, which the command may read; "< /dev/null" gives it none\n`,
    );
  }
  return all;
}

async function endsWithin(all: Promise<unknown>, ms: number): Promise<boolean> {
  const late = Symbol('late');
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise((resolve) => {
    // Modules that were loaded meanwhile held the loop up: what had come by then is read first.
    timer = setTimeout(() => setImmediate(() => setImmediate(resolve, late)), ms);
  });
  try {
    return (await Promise.race([all, timeout])) !== late;
  } finally {
    clearTimeout(timer);
  }
}
