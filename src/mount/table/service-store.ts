/** What every service keeps of its listings, and of its own writes, beside the records themselves. */
import type { RecordHead, Replica } from '../../replica/replica.ts';

/** How long our own write outranks a listing that may be older than it, in ms. */
const OWN_WRITE_MS = 60_000;

/** A record confirmed so recently that a listing without it may be the older of the two, in ms. */
export const RECENT_MS = 60_000;

/** Where an answer came from: a listing may be older than what is held. */
export type Origin = 'listing' | 'lookup' | 'write';

/** Reads and writes the replica for one mount: the base of each service's own store. */
export class ServiceStore {
  readonly replica: Replica;
  /** The mount's name in the replica. */
  readonly mount: string;
  readonly #now: () => Date;
  readonly #written = new Map<string, number>();
  #wroteAt: number | null = null;

  constructor(replica: Replica, mount: string, now: () => Date) {
    this.replica = replica;
    this.mount = mount;
    this.#now = now;
  }

  /** When the service last confirmed a whole listing, ms; null when it never gave one. */
  heldSince(collection: string): number | null {
    const state = this.replica.listing(this.mount, collection);
    return state?.complete === true ? state.syncedAt : null;
  }

  /** Notes that a listing is in step now; `whole`: it was read from end to end. */
  listed(collection: string, { cursor = null, whole = true }: ListedNote = {}): void {
    const time = this.#now().getTime();
    const before = this.replica.listing(this.mount, collection);
    this.replica.setListing(this.mount, collection, {
      complete: true,
      syncedAt: time,
      reconciledAt: whole ? time : (before?.reconciledAt ?? time),
      cursor,
    });
  }

  /**
   * From where a listing may be followed: its cursor; null when it must be read
   * from end to end, because it never was, or not for so many ms.
   */
  deltaFrom(collection: string, reconcileMs: number): string | null {
    const state = this.replica.listing(this.mount, collection);
    if (state === null || !state.complete) return null;
    return this.#now().getTime() - state.reconciledAt >= reconcileMs ? null : state.cursor;
  }

  /** Was a record confirmed so recently that a listing without it may be the older of the two? */
  isRecent({ checkedAt }: Pick<RecordHead, 'checkedAt'>): boolean {
    return this.#now().getTime() - checkedAt < RECENT_MS;
  }

  /** Notes that we wrote a record ourselves: listings may lag behind that. */
  noteOwnWrite(id: string): void {
    this.#wroteAt = this.#now().getTime();
    this.#written.set(id, this.#wroteAt);
  }

  /** When we last wrote a record ourselves, ms; null for not yet. */
  get wroteAt(): number | null {
    return this.#wroteAt;
  }

  /** Did we write a record so lately that a listing may not know of it yet? */
  isOwnWrite(id: string): boolean {
    const written = this.#written.get(id);
    if (written === undefined) return false;
    if (this.#now().getTime() - written <= OWN_WRITE_MS) return true;
    this.#written.delete(id);
    return false;
  }
}

interface ListedNote {
  cursor?: string | null;
  whole?: boolean;
}
