/** Whether what a mount shows is what it showed, told in one call for all that it shows. */
import { createHash } from 'node:crypto';
import type { Guard } from './guard.ts';
import type { HeldWrites } from './held-writes.ts';
import type { MountTable } from './table.ts';

/**
 * Tells nothing but whether something has changed, and that to nobody who may not read there.
 * @param point a mount point
 * @returns null where it cannot be told
 */
export function stampOf(
  table: MountTable,
  point: string,
  guard: Pick<Guard, 'keeper' | 'readsFreely'>,
  held: Pick<HeldWrites, 'within'>,
): string | null {
  const place = table.place(point);
  const { mount } = place.at;
  // What is mounted inside of it is another's.
  if (mount.stamp === undefined || place.inside !== '/' || table.isAncestor(place.path))
    return null;
  if (held.within(place.path).length > 0 || !guard.readsFreely(place)) return null;
  const told = mount.stamp();
  if (told === null) return null;
  const parts = [told, guard.keeper?.actingAs ?? null];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64');
}
