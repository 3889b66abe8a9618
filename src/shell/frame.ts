/** Where an interpreter stands while it runs: the command at hand, and what it inherited. */
import type { CommandNode, PipelineNode, StatementNode } from 'just-bash';
import type { Inbox } from './inbox.ts';
import type { InterpreterContext } from './interpreter-types.ts';
import type { Jobs } from './jobs.ts';
import type { Line } from './line.ts';
import type { Aliasing } from './reading.ts';
import type { Rewrites } from './rewrites.ts';
import type { Traps } from './trap.ts';

/** Where a command stands in a pipeline of several. Fixed by the script's text. */
export interface Place {
  /** Its stdin is a pipe. */
  piped: boolean;
  /** Its stdout is a pipe. */
  pipes: boolean;
  /** So is its stderr: `|&`. */
  pipesStderr: boolean;
}

/** The command being run, with what it inherited from those around it. */
export interface Frame {
  /** Null outside of all commands. */
  node: CommandNode | null;
  /** Does its stdout reach the script's own? */
  stdout: boolean;
  stderr: boolean;
  /** Do both go to one and the same place? Then each pipeline in it joins them, in the order of things. */
  joined: boolean;
  /** Is its stdin a pipe, a file or a here-document? */
  stdin: boolean;
  /** Is that stdin given by a command of this very shell, and not the one that the shell began with? */
  fed: boolean;
  /** Are its words being expanded? A script run now is a substitution. */
  expanding: boolean;
  /** Its output goes into a pipe untouched: keep it as bytes. */
  raw: boolean;
  /** The file system's mark when it began. */
  mark: number;
  /** What was opened for writing before it began. */
  held: number;
  /** The name under which it runs, once known. */
  name: string;
  /** Output of what it ran, kept while a failing redirection may drop it. */
  kept: { stdout: string; stderr: string } | null;
  /** An `exit` or an abort that came from inside. */
  flow: Error | null;
  /** Did its expansion run a substitution? */
  substituted: boolean;
  /** What `eval` is given. */
  script: string | null;
  /** Is it, or what it is in, a stage of a pipeline? */
  stage: boolean;
  /** Is its stdin a file, in which a command that stops early goes back to where it stopped? */
  seekable: boolean;
  /** What ends the shell after this command: `exec` has put the command in its place. */
  replaced: FlowError | null;
}

/** A loop that is running. */
export interface Loop {
  body: readonly StatementNode[];
  /** Was it `break` or `continue` that it ran last? */
  steered: boolean;
}

/** An interpreter's part of a line. */
export interface Run {
  line: Line;
  ctx: InterpreterContext;
  /** The interpreter of the line itself, not of `bash -c` or the like. */
  top: boolean;
  frame: Frame;
  places: WeakMap<CommandNode, Place>;
  /** Pipelines before `&&` or `||`. */
  conditions: WeakSet<PipelineNode>;
  traps: Traps;
  /** The loops that are running, those of functions that are running included. */
  loops: Loop[];
  aliasing: Aliasing;
  jobs: Jobs;
  /** What it shares with the other shells of its job. */
  inbox: Inbox;
  /** Signals that have come and whose traps have not yet run. */
  signalled: string[];
  /** Commands as they are rewritten for what the variables here hold. */
  rewrites: Rewrites;
  /** The last line of what an error of expansion has ended, in the script that runs: see discard.ts. */
  discarded: number | null;
  /** The unset variable that has ended it, under `set -u`. */
  unbound: FlowError | null;
  /** The status with which it ends, while its EXIT trap runs. */
  exiting: number | null;
}

/** An error of just-bash's that carries output. */
export interface FlowError extends Error {
  stdout?: string;
  stderr?: string;
  exitCode?: number;
  /** Was it decided whether the trap on ERR runs for it? */
  settled?: boolean;
  /** How much of it just-bash has counted towards its limit. */
  internalOutputAccounting?: { stdout: number; stderr: number };
}
