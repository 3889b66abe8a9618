/** Whose work a change is: tells what a process that ended left unfinished. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';

/** A journal object of this process, as one word for the database. */
export function newOwner(): string {
  return `${hostname()} ${process.pid} ${randomUUID()}`;
}

/** After this, in ms, nobody works on a change any more: longer than any request may take. */
const ABANDONED_MS = 120_000;

/**
 * Has the owner of a change that began at `since` (ms) stopped working on it?
 * Of another machine, and of another worker of this process, only time tells.
 */
export function isGone(owner: string | null, self: string, since: number, now: number): boolean {
  if (owner === self) return false;
  if (owner === null || now - since > ABANDONED_MS) return true;
  const [host = '', pid = ''] = owner.split(' ');
  if (host !== hostname() || Number(pid) === process.pid) return false;
  return !isAlive(Number(pid));
}

/** Is a process of this machine there? */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, and somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
