/** What the namespace tells its guard about places that somebody is asked about. */
import { FsError } from '../errors.ts';
import type { Survey } from './consider.ts';
import type { Guard } from './guard.ts';
import type { Lookup } from './lookup.ts';
import { type Looks, States } from './states.ts';
import type { Place } from './table.ts';

/** @param read a file as whoever acts reads it, once that is allowed */
export function createSurvey(
  lookup: Lookup,
  guard: Guard,
  read: (place: Place) => Promise<Uint8Array>,
): Survey {
  const looks: Looks = {
    stat: (place) => lookup.lstatOrNull(place),
    list: (place) => lookup.readdir(place),
    read: (place) => guard.ask(place, 'read', (mount, inside) => mount.read(inside)),
    readlink: (place) => readlink(guard, place),
    costly: ({ at, inside }) => at.mount.costly?.(inside) === true,
  };
  const states = new States(looks);
  return {
    leadsTo: async (place, follow) =>
      (await lookup.resolve(place.path, follow, 'open')).path === place.path,
    states: (wishes) => states.before(wishes),
    async content({ place, intent }) {
      const { data, from } = intent ?? {};
      if (data !== undefined || from === undefined) return data ?? null;
      if ((await lookup.lstat(from)).type !== 'file') return null;
      // Within a mount it is the file itself that gets the other name, and nobody reads it.
      return from.at === place.at ? looks.read(from) : read(from);
    },
  };
}

/** What a link points to. @throws FsError EINVAL where its mount has no links */
export async function readlink(guard: Guard, place: Place): Promise<string> {
  const target = await guard.ask(place, 'readlink', async (mount, inside) => {
    if (mount.readlink === undefined) throw new FsError('EINVAL', { path: inside, op: 'readlink' });
    return mount.readlink(inside);
  });
  guard.keeper?.noteRead(place.at.point, place.path);
  return target;
}
