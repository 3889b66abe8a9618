/** Whose a member of an archive is, by what `--owner` and `--group` say. */
import { OWNER, OWNER_ID } from '../support/files.ts';

/** A member's user or group: `name` is '' for one that is known by its number alone. */
export interface Owner {
  name: string;
  id: number;
}

const SHARED = { root: 0, daemon: 1, bin: 2, sys: 3, nogroup: 65_534 };
/** The numbers that these names have on every Debian. */
export const USERS: ReadonlyMap<string, number> = new Map(
  Object.entries({ ...SHARED, sync: 4, games: 5, man: 6, lp: 7, mail: 8, news: 9, nobody: 65_534 }),
);
export const GROUPS: ReadonlyMap<string, number> = new Map(
  Object.entries({ ...SHARED, adm: 4, tty: 5, disk: 6, lp: 7, mail: 8, news: 9, staff: 50 }),
);

/** `NAME`, `NUMBER` or `NAME:NUMBER`; a name that nobody knows has the number of who asks. */
export function ownerOf(given: string | undefined, known: ReadonlyMap<string, number>): Owner {
  if (given === undefined) return { name: OWNER, id: OWNER_ID };
  const [, name = '', number] = /^([^:]*)(?::(\d+))?$/.exec(given) ?? [];
  if (number !== undefined) return { name, id: Number(number) };
  const isNumber = /^\+?\d+$/.test(name);
  return isNumber ? { name: '', id: Number(name) } : { name, id: known.get(name) ?? OWNER_ID };
}
