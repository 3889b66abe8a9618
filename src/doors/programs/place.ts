/**
 * Where a world is mounted for a program. The directory of the mount is
 * removed by rmdir alone: what is still mounted there are files of the world.
 */
import { mkdir, mkdtemp, readdir, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isAlive } from '../../changes/owner.ts';
import { lineIn } from '../../world/line/client.ts';
import { requireShort } from '../fuse/place.ts';

const PREFIX = 'dirigent-program-';
const NAME = new RegExp(`^${PREFIX}(\\d+)-`);

/** Directories that are empty, and their user's alone. */
export interface MountPoint {
  world: string;
  /** Where the world comes to the process that serves the mount. */
  line: string;
}

const inside = (place: string): MountPoint => ({
  world: join(place, 'world'),
  line: join(place, 'line'),
});

/** @throws ConfigError where no socket can be in it */
export async function makeMountPoint(above = tmpdir()): Promise<MountPoint> {
  for (const name of await readdir(above)) {
    const [, pid] = NAME.exec(name) ?? [];
    // What a killed process has left.
    if (pid !== undefined && !isAlive(Number(pid)))
      await removeMountPoint(inside(join(above, name))).catch(keep);
  }
  requireShort(above, lineIn(inside(join(above, `${PREFIX}${process.pid}-XXXXXX`)).line));
  const made = inside(await mkdtemp(join(above, `${PREFIX}${process.pid}-`)));
  await mkdir(made.world);
  await mkdir(made.line);
  return made;
}

/** @throws where it is not empty, or something is mounted there still */
export async function removeMountPoint({ world, line }: MountPoint): Promise<void> {
  await rmdir(world).catch(unlessGone);
  await rm(line, { recursive: true, force: true });
  await rmdir(dirname(world)).catch(unlessGone);
}

function unlessGone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

/** Somebody else's, or mounted still: the next one looks again. */
function keep({ code, message }: NodeJS.ErrnoException): void {
  if (!['EBUSY', 'ENOTEMPTY', 'EACCES', 'EPERM', 'ENOTCONN'].includes(code ?? ''))
    throw new Error(message);
}
