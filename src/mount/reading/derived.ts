/** What was made of the replica's records, and whether the same would be made of them now. */
import type { Replica } from '../../replica/replica.ts';
import type { Reads } from '../../replica/revisions.ts';

export interface Derived<T> {
  readonly value: T;
  readonly reads: Reads;
  /** The latest revision at which it is known to hold. */
  holdsAt: number;
}

/** Makes a value. Of work that looks at more than the replica and its parameters nothing can be known. */
export function derive<T>(replica: Replica, work: () => T): Derived<T> {
  // Before: what is changed by others while it is made counts as later.
  const revision = replica.revision();
  const { result, reads } = replica.watch(work);
  return { value: result, reads: revision === null ? null : reads, holdsAt: revision ?? 0 };
}

/** @param revision the replica's latest, as it was asked for last */
export function holds(
  replica: Replica,
  derived: Derived<unknown>,
  revision: number | null,
): boolean {
  if (derived.reads === null || revision === null) return false;
  if (derived.holdsAt === revision) return true;
  if (!replica.holds(derived.reads, derived.holdsAt)) return false;
  derived.holdsAt = revision;
  return true;
}
