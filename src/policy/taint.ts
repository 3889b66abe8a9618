/** What a turn has read of services, and how that follows what the turn writes. */
import { isWithin } from '../paths.ts';
import { copiedFrom } from './context.ts';
import type { UntrustedMarks } from './marks.ts';

/** What is known of the mount that something is done in. */
export interface TaintMount {
  point: string;
  kind: string;
  service: boolean;
}

/** What a turn has read so far. */
export interface TurnTaint {
  untrustedRead: boolean;
  /** Services whose text it has read. */
  origins: Set<string>;
}

/** Where the sessions are: their logs hold what was read in them. */
const SESSION = '/session';
const PAST = '/session/past';

/** Follows the text of services through the files of one world. */
export class Taint {
  readonly #marks: UntrustedMarks;
  readonly #session: string;

  constructor(marks: UntrustedMarks, session: string) {
    this.#marks = marks;
    this.#session = session;
  }

  refresh(): void {
    this.#marks.refresh();
  }

  /**
   * Something of a mount was read.
   * @param whole all below the path was read, or may have been
   * @param read gets what the text came from, for its label
   */
  read(
    { point, kind, service }: TaintMount,
    path: string,
    whole: boolean,
    turn: TurnTaint,
    read: Set<string> | undefined,
  ): void {
    if (service) return this.#taint(turn, [point]);
    const origins =
      kind === 'session' ? this.#ofLog(path, whole) : this.#ofFile(path, kind === 'memory', whole);
    if (origins.length === 0) return;
    for (const origin of origins) read?.add(copiedFrom(origin));
    this.#taint(turn, origins);
  }

  /** Something of a mount was changed, by the method of that name. */
  changed(
    { kind, service }: TaintMount,
    method: string,
    path: string,
    other: string | undefined,
    turn: TurnTaint,
  ): void {
    if (service) return;
    const inMemory = kind === 'memory';
    if (method === 'rename' && other !== undefined)
      this.#marks.follow(path, other, inMemory, false);
    else if (method === 'link' && other !== undefined)
      this.#marks.follow(other, path, inMemory, true);
    else if (method === 'unlink' || method === 'rmdir') this.#marks.remove(path, inMemory);
    else if (method === 'write' && !turn.untrustedRead) this.#marks.remove(path, inMemory);
    else if ((method === 'write' || method === 'append') && turn.untrustedRead)
      this.#marks.mark(path, inMemory, originsOf(turn));
  }

  #taint(turn: TurnTaint, origins: readonly string[]): void {
    const known = turn.origins.size;
    for (const origin of origins) turn.origins.add(origin);
    turn.untrustedRead = true;
    // From now on the log of this session holds such text.
    if (turn.origins.size > known) this.#marks.mark(`${PAST}/${this.#session}`, false, origins);
  }

  #ofFile(path: string, inMemory: boolean, whole: boolean): readonly string[] {
    return whole ? this.#marks.within(path) : this.#marks.of(path, inMemory);
  }

  /** Any log of the past may be meant: which of them have sub-agents is not known here. */
  #ofLog(path: string, whole: boolean): readonly string[] {
    if (isWithin(PAST, path) || (whole && isWithin(path, PAST))) return this.#marks.within(PAST);
    return isWithin(SESSION, path) ? this.#marks.of(`${PAST}/${this.#session}`, false) : [];
  }
}

/** Of a turn that began with such text in view, it may not be known from where. */
const originsOf = ({ origins }: TurnTaint): string[] =>
  origins.size === 0 ? ['an earlier turn'] : [...origins];
