/** Why a command was ended from outside, and the status it then has. */
import { isOutOfMemory } from './memory-watch.ts';

/** A command was ended from outside. */
export class Stopped extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Whoever ran it did not want to wait. */
export const interrupted = (): Stopped => new Stopped(130, 'interrupted');

/** It ran past its deadline, of so many ms. */
export const overdue = (deadlineMs: number): Stopped =>
  new Stopped(124, `stopped after ${deadlineMs / 1000} s, its deadline`);

/** @param limit in bytes; null where the engine itself had no more to give */
export function memoryUsedUp(limit: number | null): Stopped {
  const most = limit === null ? '' : ` (${Math.round(limit / 1024 / 1024)} MiB)`;
  return new Stopped(
    137,
    `stopped: the memory of this world's worker was used up${most}; take less at a time, or raise maxMemoryBytes in the config`,
  );
}

/** Its worker ended by itself. */
export const workerFailed = (error: Error): Stopped =>
  isOutOfMemory(error) ? memoryUsedUp(null) : new Stopped(137, `stopped: ${error.message}`);
