/** What turns have read and changed, remembered for as long as they, or a call of theirs, can still act. */
import type { ActingContext } from './context.ts';
import type { TurnTaint } from './taint.ts';

/** What is known of a turn. */
export interface Turn extends TurnTaint {
  changes: ChangeCounts;
}

/** How often each mount was changed. */
export class ChangeCounts {
  readonly #all = new Map<string, number>();
  /** ms since the epoch, the oldest first; kept only where old ones do not count. */
  readonly #times = new Map<string, number[]>();

  /** Allowed, and not done yet: what comes at the same time must not be counted as the first. */
  readonly #underWay = new Map<string, number>();

  reserve(mount: string): void {
    this.#underWay.set(mount, (this.#underWay.get(mount) ?? 0) + 1);
  }

  release(mount: string): void {
    const left = (this.#underWay.get(mount) ?? 0) - 1;
    if (left > 0) this.#underWay.set(mount, left);
    else this.#underWay.delete(mount);
  }

  /** @param withinMs see {@link ActingContext.countedMs} */
  note(mount: string, withinMs: number | undefined, now: number): void {
    this.#all.set(mount, (this.#all.get(mount) ?? 0) + 1);
    // A mounted world makes thousands of changes a minute: nothing is copied for one.
    if (withinMs !== undefined) this.#recent(mount, withinMs, now).push(now);
  }

  of(mount: string, withinMs: number | undefined, now: number): number {
    const done =
      withinMs === undefined
        ? (this.#all.get(mount) ?? 0)
        : this.#recent(mount, withinMs, now).length;
    return done + (this.#underWay.get(mount) ?? 0);
  }

  #recent(mount: string, withinMs: number, now: number): number[] {
    const times = this.#times.get(mount) ?? [];
    const first = times.findIndex((time) => now - time < withinMs);
    times.splice(0, first === -1 ? times.length : first);
    this.#times.set(mount, times);
    return times;
  }
}

/**
 * A turn that has done nothing for so long is over: no call waits longer than a
 * day for a person, and no answer of a model takes another.
 */
const OVER_MS = 2 * 24 * 60 * 60 * 1000;

interface Known {
  turn: Turn;
  usedAt: number;
}

/** The turns of one world. */
export class Turns {
  readonly #now: () => number;
  /** By id, the one used longest ago first. */
  readonly #named = new Map<string, Known>();
  /** What belongs to no turn is one of its own, as long as anybody has its context. */
  readonly #single = new WeakMap<ActingContext, Turn>();

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The turn that somebody acts in; a new one where nothing is known of it. */
  of(context: ActingContext): Turn {
    const { turn: id } = context;
    if (id === null) {
      const single = this.#single.get(context) ?? fresh();
      this.#single.set(context, single);
      return single;
    }
    const now = this.#now();
    const known = this.#named.get(id) ?? { turn: fresh(), usedAt: now };
    known.usedAt = now;
    this.#named.delete(id);
    this.#named.set(id, known);
    for (const [other, { usedAt }] of this.#named) {
      if (now - usedAt < OVER_MS) break;
      this.#named.delete(other);
    }
    return known.turn;
  }

  /** How many changes of a mount count. */
  changes(context: ActingContext, mount: string): number {
    return this.of(context).changes.of(mount, context.countedMs, this.#now());
  }

  noteChange(context: ActingContext, mount: string): void {
    this.of(context).changes.note(mount, context.countedMs, this.#now());
  }
}

const fresh = (): Turn => ({
  untrustedRead: false,
  origins: new Set(),
  changes: new ChangeCounts(),
});
