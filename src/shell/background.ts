/**
 * Jobs that outlive their line: what the shell asks of whoever carries them out. A job runs in a shell
 * of its own, with a copy of all that the shell that starts it knows.
 */
import type { StatementNode } from 'just-bash';
import type { InterpreterState } from './interpreter-types.ts';

/** A job to be begun. It crosses to another thread. */
export interface BackgroundStart {
  /** What it runs. */
  node: StatementNode;
  /** A copy of the shell that starts it. */
  state: InterpreterState;
  /** As it was written, without its `&`. */
  text: string;
}

/** A job that was begun. */
export interface BackgroundJob {
  /** Of all jobs of the session; `%N`, and `/session/jobs/N/`. */
  number: number;
  /** What `$!` is. */
  pid: number;
  text: string;
  /** Null as long as it runs. */
  status: number | null;
  /** The signal that ended it; 0 where none did. */
  signal: number;
  /** Services whose text it had read: how it ended may tell of that. */
  origins: readonly string[];
}

/** Carries jobs out. Each sees the jobs that whoever runs the line has begun; the person in charge sees all. */
export interface Background {
  /** @throws FsError EAGAIN where no more may run */
  begin(start: BackgroundStart): Promise<BackgroundJob>;
  /** Those that the shell has in its table: that run, or whose end was not told. */
  list(): Promise<BackgroundJob[]>;
  /** Waits for the end of one, by its number or its pid. Null where there is none. */
  ended(id: number): Promise<BackgroundJob | null>;
  /** Sends a signal to one that runs. */
  signal(number: number, signal: number): Promise<void>;
  /** The shell needs to hear of them no more: what has ended was told, what runs was disowned. */
  forget(numbers: readonly number[]): Promise<void>;
}

/** Is a command of that name somewhere in a script, its functions and substitutions included? */
export function runsCommand(script: unknown, name: string): boolean {
  if (typeof script !== 'object' || script === null) return false;
  if (Array.isArray(script)) return script.some((each) => runsCommand(each, name));
  if ('type' in script && script.type === 'SimpleCommand' && 'name' in script) {
    const { parts = [] } = (script.name ?? {}) as { parts?: { type: string; value?: string }[] };
    if (parts.length === 1 && parts[0]?.type === 'Literal' && parts[0].value === name) return true;
  }
  return Object.values(script).some((each) => runsCommand(each, name));
}

/** A job as `jobs` lists it. */
export function jobLine(job: Omit<BackgroundJob, 'origins'>, sign: string, long = false): string {
  const { number, pid, text, status } = job;
  const state = status === null ? 'Running' : stateOf(job, status);
  const head = `[${number}]${sign} ${long ? `${pid} ` : ' '}${state.padEnd(24)}`;
  return `${head}${text}${status === null ? ' &' : ''}\n`;
}

function stateOf({ signal }: Pick<BackgroundJob, 'signal'>, status: number): string {
  if (signal !== 0) return signal === 9 ? 'Killed' : 'Terminated';
  return status === 0 ? 'Done' : `Exit ${status}`;
}
