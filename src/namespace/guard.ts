/**
 * The guarded call: the one way from the namespace into a mount. It runs in
 * trusted context, ends in time, asks the gate before a change, and fails with
 * an error that names the path as the caller did and is kept in the side channel.
 */
import { DefenseInDepthBox } from 'just-bash';
import type { Conceal } from '../conceal.ts';
import { FsError, isFsError } from '../errors.ts';
import type { Mount } from '../mount/contract/contract.ts';
import type { PlannedCall, ProgramOutput } from '../mount/contract/program.ts';
import type { MountWatch } from '../mount/contract/watch.ts';
import { NOWHERE } from '../paths.ts';
import type {
  CallFacts,
  Gate,
  GateDecision,
  GateKeeper,
  Operation,
  Origin,
} from '../policy/gate.ts';
import { type Asked, consider, operationOf, refusal, type Survey } from './consider.ts';
import { Faults } from './faults.ts';
import { fsErrorOf } from './foreign-errors.ts';
import { sha256 } from './states.ts';
import { Strands } from './strands.ts';
import type { Place } from './table.ts';
import { readOnlyText } from './text-file.ts';
import type { Intent, Permission, Wish } from './wish.ts';

/** The methods of a mount that change something; any of them may be absent. */
export type Mutator =
  | 'write'
  | 'append'
  | 'mkdir'
  | 'unlink'
  | 'rmdir'
  | 'removeTree'
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
  /** What decides instead of the gate alone, while there is more than the modes to go by. */
  keeper?: () => GateKeeper | null;
  /** Takes credentials of mounts out of what their failures say. */
  conceal?: Conceal;
  /** Who watches the call that is served now; null where nobody does. */
  watch?: () => MountWatch | null;
}

/** PATH_MAX of Linux, its final NUL included. */
const LONGEST_PATH = 4096;

/** Guards the calls of one namespace. */
export class Guard {
  /** The jobs that call, told apart. */
  readonly strands = new Strands();
  readonly faults = new Faults(this.strands);
  /** Paths changed, in order of their first change. */
  readonly changed = new Set<string>();
  /** Operations of the namespace that have not ended. */
  #running = 0;
  /** Set by the namespace, which is made with the guard. */
  survey: Survey | null = null;
  readonly #options: GuardOptions;

  constructor(options: GuardOptions) {
    this.#options = options;
  }

  /**
   * Runs one operation of the namespace in trusted context and keeps its failure.
   * @param paths what the caller named; the first is the one to blame when a mount breaks
   */
  async run<T>(op: string, paths: readonly string[], operation: () => Promise<T>): Promise<T> {
    this.#running += 1;
    try {
      for (const path of paths) checkPath(path, op);
      return await DefenseInDepthBox.runTrustedAsync(operation);
    } catch (error) {
      throw this.fault(error, op, paths[0] ?? '/');
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.keeper?.settle();
    }
  }

  /** Keeps a failure, made an `FsError` if it is none. */
  fault(error: unknown, op: string, path: string): FsError {
    const failure = fsErrorOf(error, { path, op }) ?? broken(error, op, path);
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
    const work = (): Promise<T> => question(mount, place.inside);
    return this.#answered(
      place,
      op,
      () =>
        mount.local === true ? work() : this.#inTime(place, op, () => this.#seen(place, work)),
      other,
    );
  }

  /**
   * Makes a call that was allowed. It takes as long as it takes, within the mount's own limit, until
   * it is ended.
   */
  async carryOut(place: Place, call: PlannedCall, signal: AbortSignal): Promise<ProgramOutput> {
    const { keeper } = this;
    const { point } = place.at;
    const work = (): Promise<ProgramOutput> => this.#seen(place, () => call.carryOut(signal));
    try {
      const output = await this.#answered(place, 'call', () =>
        keeper === null ? work() : keeper.during(work),
      );
      return await this.#said(place, output);
    } finally {
      // Whatever came of it, it counts: a call that failed may have been carried out.
      if (call.effect !== 'reads') keeper?.noteChange(point, 'call', place.path);
    }
  }

  /** What a program said is text of its mount, which the hooks may see. */
  async #said(place: Place, output: ProgramOutput): Promise<ProgramOutput> {
    const { keeper } = this;
    keeper?.noteRead(place.at.point, place.path);
    if (keeper?.hooked !== true) return output;
    const outcome = await keeper.after(operationOf({ op: 'call', place }), output.stdout);
    if (!outcome.pass) throw refusal({ op: 'call', place }, 'hook after', outcome.reason);
    return { ...output, stdout: outcome.data ?? output.stdout };
  }

  /** Lets whoever watches see that a mount is at work. */
  #seen<T>(place: Place, work: () => Promise<T>): Promise<T> {
    const watch = this.#options.watch?.() ?? null;
    return watch === null ? work() : watch.around(place.at.point, work);
  }

  /** The answer of a mount; its failure is that of the place. */
  async #answered<T>(place: Place, op: string, work: () => Promise<T>, other?: Place): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const failure = this.#concealed(fsErrorOf(error, { path: place.inside, op }));
      // A service says why it refused in its own words, or in those of what it holds.
      if (failure === null || failure.reason !== undefined)
        this.keeper?.noteSaid(place.at.point, place.path);
      if (failure === null) throw this.#concealed(broken(error, op, place.named));
      const named =
        other !== undefined && failure.path === other.inside ? other.named : place.named;
      throw failure.path === named ? failure : failure.at(named);
    }
  }

  /** A mount of the deployment's own may repeat what a server says, whatever that is. */
  #concealed<Failure extends FsError | null>(failure: Failure): Failure | FsError {
    const { conceal } = this.#options;
    if (conceal === undefined || failure?.reason === undefined) return failure;
    const reason = conceal(failure.reason);
    return reason === failure.reason ? failure : failure.saying(reason);
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
    const { keeper } = this;
    // `args` are those of `method`; a union of methods cannot say so.
    const call = async (mount: Mount): Promise<void> =>
      (mount[method] as (...all: unknown[]) => Promise<void>).apply(mount, args);
    const { transactional, authored } = place.at.mount;
    const work =
      keeper === null || (transactional !== true && authored !== true)
        ? call
        : (mount: Mount): Promise<void> => keeper.during(() => call(mount));
    try {
      await this.ask(place, op, work, other);
    } catch (error) {
      // What did not answer in time may have been done all the same.
      if (error instanceof FsError && error.code === 'ETIMEDOUT') this.#note(place, method, other);
      throw error;
    }
    this.#note(place, method, other, args);
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

  /** Who decides besides the modes; null where nobody does. */
  get keeper(): GateKeeper | null {
    return this.#options.keeper?.() ?? null;
  }

  /**
   * Asks the gate. The answer is there at once unless a hook or a person is
   * asked; hooks may put other data in the place of what is to be written.
   * @throws FsError EACCES with the rule that refused
   */
  allow(op: Operation, place: Place, intent?: Intent): Promise<Permission> | undefined {
    return this.allowAll([intent === undefined ? { op, place } : { op, place, intent }]);
  }

  /** Asks for several operations that are done together: a person is asked once for all. */
  allowAll(wishes: readonly Wish[]): Promise<Permission> | undefined {
    const { keeper } = this;
    if (keeper === null) {
      for (const { op, place, call } of wishes) this.#decide(op, place, null, call);
      return undefined;
    }
    const asked: Asked[] = [];
    for (const { op, place, call } of wishes) {
      const answer = this.#decide(op, place, keeper, call);
      if (answer.decision === 'ask') asked.push({ op, place, ...answer });
    }
    if (asked.length === 0) {
      const changing = wishes.filter(({ op, call }) => op !== 'read' && call?.effect !== 'reads');
      for (const point of new Set(changing.map(({ place }) => place.at.point)))
        keeper.reserve(point);
      if (!keeper.hooked && !keeper.judged) return undefined;
    }
    return consider({
      keeper,
      origin: this.#options.origin,
      wishes,
      asked,
      survey: this.survey,
      read: (place, content) => this.glance(place, content),
    });
  }

  /**
   * Refuses what is denied in any case.
   * @returns would a person be asked? That is left to the operation itself
   */
  check(op: Operation, place: Place): boolean {
    return this.#decide(op, place, this.keeper).decision === 'ask';
  }

  /**
   * Reads a file, if it may be read, as the hooks leave it.
   * @param allowed the gate was asked already, for the change that this is a part of
   */
  async read(place: Place, read: () => Promise<Uint8Array>, allowed = false): Promise<Uint8Array> {
    const { keeper } = this;
    if (keeper === null) return read();
    if (keeper.watchesReads && !allowed) await this.allow('read', place);
    const bytes = await read();
    keeper.noteRead(place.at.point, place.path);
    if (!keeper.hooked) return bytes;
    const outcome = await keeper.after(operationOf({ op: 'read', place }), bytes);
    if (!outcome.pass) throw refusal({ op: 'read', place }, 'hook after', outcome.reason);
    return outcome.data ?? bytes;
  }

  /** May a file be read, as it is and without asking anybody? Where not, {@link read} says why, or asks. */
  readsFreely(place: Place): boolean {
    const { keeper } = this;
    if (keeper === null || !keeper.watchesReads) return true;
    const request = {
      op: 'read',
      path: place.path,
      mount: place.at.point,
      origin: this.#options.origin,
    } as const;
    return !keeper.hooked && !keeper.judged && keeper.decide(request).decision === 'allow';
  }

  /**
   * A file as a read would show it, for whoever is asked about a change of it; null where a read
   * is refused, fails, or would ask.
   * @param content of which it must be, as {@link sha256} has it: what is shown is what is asked about
   * @throws Error where it is another by now
   */
  async glance(place: Place, content?: string): Promise<Uint8Array | null> {
    // What it is made of would have to be asked about, too.
    if (place.document !== undefined) return null;
    const { keeper } = this;
    const wish = { op: 'read', place } as const;
    const { path } = place;
    const request = {
      op: 'read',
      path,
      mount: place.at.point,
      origin: this.#options.origin,
    } as const;
    if (keeper?.watchesReads === true) {
      const decided = await keeper.judge(request, keeper.decide(request));
      if (decided.decision !== 'allow') return null;
    }
    if (keeper?.hooked === true && !(await keeper.before(operationOf(wish))).pass) return null;
    try {
      const bytes = await this.ask(place, 'read', (mount, inside) => mount.read(inside));
      if (content !== undefined && sha256(bytes) !== content)
        throw new Error(`${path} changed while it was looked at`);
      if (keeper?.hooked !== true) return bytes;
      const outcome = await keeper.after(operationOf(wish), bytes);
      return outcome.pass ? (outcome.data ?? bytes) : null;
    } catch (error) {
      if (isFsError(error)) return null;
      throw error;
    }
  }

  /** Tells the hooks of a file that came to its place by another call than a write. */
  async tell(op: Operation, place: Place, data: Uint8Array): Promise<void> {
    await this.keeper?.after(operationOf({ op, place }), data);
  }

  /** Names in a directory were read: those of a service are its text, and others may be, too. */
  noteListing(place: Place): void {
    this.keeper?.noteRead(place.at.point, place.path, 'names');
  }

  /** A file was made by writing it. */
  noteMade(place: Place): void {
    this.keeper?.noteMade(place.at.point, place.path);
  }

  #decide(op: Operation, place: Place, keeper: GateKeeper | null, call?: CallFacts): GateDecision {
    if (place.document !== undefined && op !== 'read') throw readOnlyText(place, op);
    const { gate, origin } = this.#options;
    const request = {
      op,
      path: place.path,
      mount: place.at.point,
      origin,
      ...(call === undefined ? {} : { call }),
    };
    const answer = keeper === null ? gate(request) : keeper.decide(request);
    if (answer.decision === 'allow' || (answer.decision === 'ask' && keeper !== null))
      return answer;
    throw refusal({ op, place }, answer.rule, answer.reason);
  }

  #note(
    place: Place,
    called: Mutator,
    other: Place | undefined,
    [, data]: readonly unknown[] = [],
  ): void {
    this.changed.add(place.path);
    const method = called === 'removeTree' ? 'rmdir' : called;
    const { keeper } = this;
    if (keeper !== null) {
      keeper.noteChange(place.at.point, method, place.path, other?.path);
      const written = data instanceof Uint8Array ? data : undefined;
      if (keeper.hooked) void keeper.after(operationOf({ op: method, place }), written);
    }
    if (method === 'rename' && other !== undefined) this.changed.add(other.path);
  }

  async #inTime<T>(place: Place, op: string, question: () => Promise<T>): Promise<T> {
    const { timeoutMs } = this.#options;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(lateness(place, op, timeoutMs)), timeoutMs);
    });
    try {
      const asked = place.at.mount.within?.(timeoutMs, question) ?? question();
      return await Promise.race([asked, late]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function checkPath(path: string, op: string): void {
  if (path === NOWHERE) throw new FsError('ENOENT', { path: '', op });
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

/** What tells of no failed file operation is a fault of the mount, said as such. */
function broken(error: unknown, op: string, path: string): FsError {
  const reason = `the mount failed: ${error instanceof Error ? error.message : String(error)}`;
  return new FsError('EIO', { path, op, reason, cause: error });
}
