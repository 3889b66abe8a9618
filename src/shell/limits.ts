/** How much one line of an agent may use. */
import type { BashOptions } from 'just-bash';

export type ShellLimits = NonNullable<BashOptions['executionLimits']>;

const MiB = 1024 * 1024;

/** What `exec` allows when it is given no deadline. Milliseconds. */
export const DEFAULT_DEADLINE_MS = 600_000;

/**
 * just-bash's 'hardened' profile, relaxed where ordinary work ran into it. The
 * deadline, the worker's heap limit and its termination are the last guards,
 * so a count may be generous where time bounds it too.
 */
export const SHELL_LIMITS: ShellLimits = {
  // Loops are ended by time alone: bash does a million rounds in a second or two.
  maxCommandCount: 10_000_000_000,
  // bash has no limit; at 100, a walk over a tree of directories stops.
  maxCallDepth: 5_000,
  maxLoopIterations: 10_000_000_000,
  maxAwkIterations: 1_000_000,
  maxSedIterations: 1_000_000,
  maxJqIterations: 10_000_000,
  // Aggregate over a whole line; 100,000 is one medium CSV file.
  maxWorkUnits: 100_000_000,
  maxQueryTokens: 100_000,
  maxQueryDepth: 1_000,
  maxQueryElements: 1_000_000,
  maxCsvRows: 1_000_000,
  maxCsvCells: 10_000_000,
  // Trees of the size of a repository with its node_modules.
  maxGlobOperations: 1_000_000,
  maxTraversalEntries: 1_000_000,
  maxTraversalWork: 4_000_000,
  // Files are read whole, and `cat *` makes one argument of each name.
  maxArrayElements: 1_000_000,
  // What a pipe carries is one string; the worker's memory is the guard behind this one.
  // V8 makes none of 512 MiB, and says so less clearly: two that are allowed can be joined.
  maxStringLength: 255 * MiB,
  maxOutputSize: 256 * MiB,
  maxHeredocSize: 64 * MiB,
  maxSourceBytes: 64 * MiB,
  maxInputBytes: 512 * MiB,
  maxLiveBytes: 512 * MiB,
  maxBraceExpansionResults: 1_000_000,
  maxSqliteTimeoutMs: 30_000,
  // Our own deadline comes first, with the output kept and a message.
  maxExecutionTimeMs: 3_600_000,
};
