/** What a door to the kernel asks of an entry, in one question: attributes that are exact, and where it lies. */
import { createHash } from 'node:crypto';
import { isFsError } from '../errors.ts';
import type { Capacity, FileType, Mode, MountStat } from '../mount/contract/contract.ts';
import type { GateKeeper } from '../policy/gate.ts';
import type { WriteTerms } from './edits.ts';
import type { Guard } from './guard.ts';
import type { Place } from './table.ts';

/** An entry as `lstat(2)` tells of it. */
export interface Inspection {
  type: FileType;
  /** Permission bits. */
  mode: number;
  /** Bytes. Of a file it is what reading it gives, unless {@link estimated}. */
  size: number;
  /** True where the size would cost a request of its own, or could not be asked: reading the file tells it. */
  estimated: boolean;
  /** ms since the epoch. */
  mtime: number;
  /** The same for two names of one file; differs between entries. */
  identity: string;
  /** How many names it has. */
  links: number;
  /** Another where the content is, whatever size and time say; absent where it was not looked at. */
  version?: string;
}

/** What became of a file that was to be made. */
export interface Made extends WriteTerms {
  /** It; null where it was there, or nothing may be written yet. */
  made: Inspection | null;
}

/** Where a path lies, whether something is there or not. */
export interface Location {
  /** The mount point. */
  point: string;
  /** The mount's kind: `memory`, `disk`; of a service its name. */
  kind: string;
  mode: Mode;
  /** A write is a transaction with something outside. */
  transactional: boolean;
  /** False where nothing can ever be at the path: the mount's table has no row for it. */
  possible: boolean;
  /** May it be searched by meaning? */
  searchable: boolean;
  /** The mount's room; null where nobody can tell. */
  capacity: Capacity | null;
  /** Is no change of the mount refused by a rule, or asked about, until the policy is another? */
  allAllowed: boolean;
  /** How fresh and how complete what the mount shows here is; null where there is nothing to say. */
  coverage: string | null;
}

/** @param read as the caller would get the file's content */
export async function inspect(
  place: Place,
  stat: MountStat,
  guard: Guard,
  read: () => Promise<Uint8Array>,
): Promise<Inspection> {
  const { type, mode, mtime, ino, links = 1 } = stat;
  const held = await heldIn(place, stat, guard, read);
  const version = held?.version ?? stat.version?.toString();
  return {
    type,
    mode,
    size: held?.size ?? stat.size,
    estimated: held === null,
    mtime: mtime.getTime(),
    identity: `${place.at.id}:${ino ?? place.inside}`,
    links,
    ...(version === undefined ? {} : { version }),
  };
}

/** What a file holds, in bytes; null where that is not told at once. */
async function heldIn(
  place: Place,
  { type, size }: MountStat,
  guard: Guard,
  read: () => Promise<Uint8Array>,
): Promise<Pick<Inspection, 'size' | 'version'> | null> {
  const { mount } = place.at;
  const hooked = guard.keeper?.hooked === true;
  // Hooks may put another text in the place of what is read.
  const asked = mount.transactional === true || mount.sizedByRead === true;
  const told = type !== 'file' || (!asked && place.document === undefined);
  if (type !== 'file' || (told && !hooked)) return { size };
  if (mount.costly?.(place.inside) === true) return null;
  try {
    if (hooked || place.document !== undefined) return holding(await read());
    // The text itself goes to nobody: how long it is was not read by whoever asks.
    return holding(await guard.ask(place, 'lstat', (each, inside) => each.read(inside)));
  } catch (error) {
    // Whoever reads it is told why; that it is there is all that was asked.
    if (isFsError(error)) return null;
    throw error;
  }
}

const holding = (bytes: Uint8Array): Required<Pick<Inspection, 'size' | 'version'>> => ({
  size: bytes.length,
  version: createHash('sha256').update(bytes).digest('base64'),
});

/** @param searchable may the path be searched by meaning? */
export function locate(place: Place, searchable: boolean, keeper: GateKeeper | null): Location {
  const { mount, point, access } = place.at;
  return {
    point,
    kind: mount.kind,
    mode: access.mode,
    transactional: mount.transactional === true,
    possible: mount.canHave?.(place.inside) !== false,
    searchable,
    allAllowed: access.mode === 'rw' && !access.rules?.length && keeper?.byModesAlone !== false,
    capacity: mount.capacity?.() ?? null,
    coverage: mount.coverage?.(place.inside) ?? null,
  };
}
