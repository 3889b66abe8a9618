/**
 * Leases: while nobody else uses a world, what one client saw of its files in memory stays true, and
 * what that client puts off is missed by nobody. Whoever comes next waits until the lease was given
 * back.
 */

/** Who can have a world to itself. */
export interface LeaseHolder {
  /** Nobody else uses the world from now on. */
  granted(): void;
  /** Somebody else is about to. Resolves once nothing is put off any more. */
  recalled(): Promise<void>;
  /** What it knows was allowed by rules that are others now: it is to ask anew. With a lease or without. */
  forget?(): void;
}

/** After so long without others the world is the holder's, ms: two who take turns ask for no leases. */
const QUIET_MS = 50;

/** A holder that does not answer is not waited for longer, ms. What it puts off is checked when it comes. */
const RECALL_MS = 5_000;

interface Held {
  granted: boolean;
  /** Until it was given back. */
  recall: Promise<void> | null;
  quiet: NodeJS.Timeout | undefined;
}

/** The leases of one world. */
export class Leases {
  readonly #holders = new Map<LeaseHolder, Held>();
  /** Who uses the world now, and how often at once. */
  readonly #uses = new Map<LeaseHolder | undefined, number>();

  /** @returns ends it */
  add(holder: LeaseHolder): () => void {
    this.#holders.set(holder, { granted: false, recall: null, quiet: undefined });
    this.#grantSoon();
    return () => {
      clearTimeout(this.#holders.get(holder)?.quiet);
      this.#holders.delete(holder);
      this.#grantSoon();
    };
  }

  /** Does something in the world, of which no other client has a lease meanwhile. */
  async during<T>(holder: LeaseHolder | undefined, work: () => Promise<T>): Promise<T> {
    this.#uses.set(holder, (this.#uses.get(holder) ?? 0) + 1);
    try {
      const recalls = this.recall(holder);
      if (recalls.length > 0) await Promise.all(recalls);
      return await work();
    } finally {
      const left = (this.#uses.get(holder) ?? 1) - 1;
      if (left === 0) this.#uses.delete(holder);
      else this.#uses.set(holder, left);
      this.#grantSoon();
    }
  }

  /** Has the leases given back, but for one client's. @returns what is still to be waited for */
  recall(but?: LeaseHolder): Promise<void>[] {
    const recalls: Promise<void>[] = [];
    for (const [holder, held] of this.#holders) {
      if (holder === but) continue;
      clearTimeout(held.quiet);
      held.quiet = undefined;
      if (held.granted) {
        held.granted = false;
        const recall = inTime(holder.recalled()).finally(() => {
          held.recall = null;
          this.#grantSoon();
        });
        held.recall = recall;
      }
      if (held.recall !== null) recalls.push(held.recall);
    }
    return recalls;
  }

  /** Has all clients forget what they know. */
  forget(): void {
    for (const holder of this.#holders.keys()) holder.forget?.();
  }

  /** Does somebody have the world to itself? It may ask nothing for as long as it does. */
  get isHeld(): boolean {
    return [...this.#holders.values()].some(({ granted }) => granted);
  }

  #grantSoon(): void {
    for (const [holder, held] of this.#holders) {
      if (held.granted || held.quiet !== undefined || !this.#isAlone(holder)) continue;
      held.quiet = setTimeout(() => {
        held.quiet = undefined;
        // One at a time: another has it, or has not given it back yet, and this is tried again then.
        if (this.#isTaken()) return;
        held.granted = true;
        holder.granted();
      }, QUIET_MS).unref();
    }
  }

  #isTaken(): boolean {
    return [...this.#holders.values()].some(({ granted, recall }) => granted || recall !== null);
  }

  #isAlone(holder: LeaseHolder): boolean {
    for (const user of this.#uses.keys()) if (user !== holder) return false;
    return true;
  }
}

async function inTime(recalled: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, RECALL_MS);
  });
  try {
    await Promise.race([recalled, late]);
  } finally {
    clearTimeout(timer);
  }
}
