/**
 * What clients change through files, in the session's log: as a command has its
 * entry, so has what was written without one. What comes in quick succession is
 * one entry.
 */
import { isFsError } from '../errors.ts';
import type { DoorName } from '../policy/gate.ts';
import type { SessionLog } from '../session/log.ts';
import type { CallWatch } from '../world/job.ts';
import type { Principal } from './principal.ts';

/** The name of the entries. */
const FILES = 'door/files';

/** Changes that follow each other within so many ms are told together … */
const QUIET_MS = 200;
/** … for so long at most, ms. */
const LATEST_MS = 2_000;
/** An entry names so many paths; of the others it has the number. */
const NAMED = 200;

/** A refusal, as an entry of a command has it. */
interface Refused {
  path: string;
  op: string;
  code: string;
  rule: string;
}

/** Of one client's files. */
export class FileLog {
  readonly #session: Pick<SessionLog, 'append'>;
  readonly #who: { door: DoorName; actor: string; agent?: string };
  readonly #changed = new Set<string>();
  readonly #refused = new Map<string, Refused>();
  #quiet: NodeJS.Timeout | undefined;
  #latest: NodeJS.Timeout | undefined;
  /** Why an entry could not be written while nobody waited for it; whoever comes next is told. */
  #failure: unknown = null;

  constructor(
    session: Pick<SessionLog, 'append'>,
    door: DoorName,
    { actor, agent }: Pick<Principal, 'actor' | 'agent'>,
  ) {
    this.#session = session;
    this.#who = { door, actor, ...(agent === undefined ? {} : { agent }) };
  }

  /** Has calls told of here, beside whoever else is. */
  watching(watch: CallWatch): CallWatch {
    return {
      ...watch,
      onChanged: (paths) => {
        for (const path of paths) this.#changed.add(path);
        this.#soon();
        watch.onChanged?.(paths);
      },
      onFailed: (error) => {
        this.#fail(error);
        watch.onFailed?.(error);
      },
    };
  }

  /**
   * Appends what there is now: what comes next, such as a command, follows it.
   * @throws what the log could not be written for, now or before
   */
  flush(): void {
    clearTimeout(this.#quiet);
    clearTimeout(this.#latest);
    this.#latest = undefined;
    const failure = this.#failure;
    this.#failure = null;
    if (failure !== null) throw failure;
    if (this.#changed.size === 0 && this.#refused.size === 0) return;
    const [changed, refused] = [[...this.#changed], [...this.#refused.values()]];
    this.#changed.clear();
    this.#refused.clear();
    this.#session.append({
      type: 'custom',
      name: FILES,
      data: {
        ...this.#who,
        changed: changed.slice(0, NAMED).map((path) => ({ path })),
        ...(changed.length > NAMED ? { more: changed.length - NAMED } : {}),
        ...(refused.length === 0 ? {} : { refused: refused.slice(0, NAMED) }),
      },
    });
  }

  /** What a rule refused is told; that a file is not there, and the like, is not. */
  #fail(error: unknown): void {
    if (!isFsError(error) || error.rule === undefined) return;
    const { path, op, code, rule } = error;
    if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EBUSY') return;
    this.#refused.set(`${op} ${path} ${rule}`, { path, op, code, rule });
    this.#soon();
  }

  #soon(): void {
    const flush = (): void => {
      try {
        this.flush();
      } catch (error) {
        this.#failure = error;
      }
    };
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(flush, QUIET_MS).unref();
    this.#latest ??= setTimeout(flush, LATEST_MS).unref();
  }
}
