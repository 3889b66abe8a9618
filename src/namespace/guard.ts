/**
 * The guarded call: the one way from the namespace into a mount. It runs in
 * trusted context, ends in time, asks the gate before a change, and fails with
 * an error that names the path as the caller did and is kept in the side channel.
 */
import { DefenseInDepthBox } from 'just-bash';
import { FsError } from '../errors.ts';
import type { Mount } from '../mount/contract.ts';
import type { Gate, Operation, Origin } from '../policy/gate.ts';
import { Faults } from './faults.ts';
import type { Place } from './table.ts';

/** The methods of a mount that change something; any of them may be absent. */
export type Mutator =
  | 'write'
  | 'append'
  | 'mkdir'
  | 'unlink'
  | 'rmdir'
  | 'rename'
  | 'symlink'
  | 'link'
  | 'chmod'
  | 'utimes';

/** What a guard is made with. */
export interface GuardOptions {
  gate: Gate;
  /** Who the operations come from. */
  origin: Origin;
  /** An operation on a mount that waits for something outside ends after this many ms. */
  timeoutMs: number;
}

/** PATH_MAX of Linux, its final NUL included. */
const LONGEST_PATH = 4096;

/** Guards the calls of one namespace. */
export class Guard {
  readonly faults = new Faults();
  /** Paths changed, in order of their first change. */
  readonly changed = new Set<string>();
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /**
   * Runs one operation of the namespace in trusted context and keeps its failure.
   * @param paths what the caller named; the first is the one to blame when a mount breaks
   */
  async run<T>(op: string, paths: readonly string[], operation: () => Promise<T>): Promise<T> {
    try {
      for (const path of paths) checkPath(path, op);
      return await DefenseInDepthBox.runTrustedAsync(operation);
    } catch (error) {
      throw this.fault(error, op, paths[0] ?? '/');
    }
  }

  /** Keeps a failure, made an `FsError` if it is none. */
  fault(error: unknown, op: string, path: string): FsError {
    const failure = error instanceof FsError ? error : broken(error, op, path);
    this.faults.record(failure);
    return failure;
  }

  /**
   * Asks the mount of a place, and waits no longer than allowed. Its error gets
   * the place's name; that of `other`, if the mount names that one.
   */
  async ask<T>(
    place: Place,
    op: string,
    question: (mount: Mount, inside: string) => Promise<T>,
    other?: Place,
  ): Promise<T> {
    const { mount } = place.at;
    try {
      if (mount.local === true) return await question(mount, place.inside);
      return await this.#inTime(place, op, () => question(mount, place.inside));
    } catch (error) {
      if (!(error instanceof FsError)) throw broken(error, op, place.named);
      const named = other !== undefined && error.path === other.inside ? other.named : place.named;
      throw error.path === named ? error : error.at(named);
    }
  }

  /** Changes a place by one call of its mount; EPERM where the mount has no such call. */
  async change<K extends Mutator>(
    place: Place,
    op: string,
    method: K,
    args: Parameters<NonNullable<Mount[K]>>,
    other?: Place,
  ): Promise<void> {
    this.possible(place, op, method);
    try {
      await this.ask(
        place,
        op,
        // `args` are those of `method`; a union of methods cannot say so.
        async (mount) => (mount[method] as (...all: unknown[]) => Promise<void>).apply(mount, args),
        other,
      );
    } catch (error) {
      // What did not answer in time may have been done all the same.
      if (error instanceof FsError && error.code === 'ETIMEDOUT') this.#note(place, method, other);
      throw error;
    }
    this.#note(place, method, other);
  }

  /** @throws FsError EPERM where the mount has no such method */
  possible(place: Place, op: string, method: Mutator): void {
    const { mount, point } = place.at;
    if (mount[method] !== undefined) return;
    throw new FsError('EPERM', {
      path: place.named,
      op,
      rule: `${mount.kind} mounts have no ${method}`,
      reason: `${method} is not possible in ${point} (${mount.kind})`,
    });
  }

  /** Asks the gate. @throws FsError EACCES with the rule that refused */
  allow(op: Operation, place: Place): void {
    const { gate, origin } = this.#options;
    const answer = gate({ op, path: place.path, mount: place.at.point, origin });
    if (answer.decision === 'allow') return;
    const { rule, reason } = answer;
    throw new FsError('EACCES', { path: place.named, op, rule, reason });
  }

  #note(place: Place, method: Mutator, other: Place | undefined): void {
    this.changed.add(place.path);
    if (method === 'rename' && other !== undefined) this.changed.add(other.path);
  }

  async #inTime<T>(place: Place, op: string, question: () => Promise<T>): Promise<T> {
    const { timeoutMs } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(lateness(place, op, timeoutMs)), timeoutMs);
    });
    try {
      return await Promise.race([question(), late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function checkPath(path: string, op: string): void {
  if (path.includes('\0')) throw new FsError('EINVAL', { path, op });
  // A UTF-16 code unit is at most three bytes of UTF-8: short paths need no count.
  if (path.length * 3 >= LONGEST_PATH && Buffer.byteLength(path) >= LONGEST_PATH)
    throw new FsError('ENAMETOOLONG', { path, op });
}

function lateness(place: Place, op: string, timeoutMs: number): FsError {
  const { kind } = place.at.mount;
  return new FsError('ETIMEDOUT', {
    path: place.named,
    op,
    rule: 'time-out of a mount operation',
    reason: `${kind} did not answer within ${timeoutMs / 1000} s; try again, or look at something smaller`,
  });
}

/** What is no `FsError` is a fault of the mount, said as such. */
function broken(error: unknown, op: string, path: string): FsError {
  const reason = `the mount failed: ${error instanceof Error ? error.message : String(error)}`;
  return new FsError('EIO', { path, op, reason, cause: error });
}
