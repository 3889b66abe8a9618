/** `dirigent shim`: the commands that search by meaning in a mounted world, on a person's own PATH. */
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { installShims, removeShims } from '../doors/fuse/shims.ts';
import { visible, visibleName } from '../visible.ts';
import type { ShimArguments } from './door-options.ts';
import type { Output } from './output.ts';

/** Runs `dirigent shim`, and gives its exit status: 1 where there was nothing to remove. */
export async function runShim(
  { verb, directory: given }: ShimArguments,
  output: Output,
): Promise<number> {
  const directory = resolve(given ?? join(homedir(), '.local', 'bin'));
  const install = verb === 'install';
  const files = install ? await installShims(directory) : await removeShims(directory);
  for (const file of files)
    await output.out(visible`${install ? 'made' : 'removed'}    ${visibleName(file)}\n`);
  if (!install && files.length === 0) {
    await output.err(
      visible`dirigent: there is no shim in ${visibleName(directory)}; --dir DIR says where it was made\n`,
    );
    return 1;
  }
  const behind = install ? standsBehind(directory) : null;
  if (behind !== null)
    await output.err(
      visible`dirigent: ${visibleName(directory)} is ${behind}: put it first, as by PATH=${visibleName(directory)}:$PATH in ~/.profile\n`,
    );
  return 0;
}

/** Why a command of a directory is not the one that is found; null where it is. */
function standsBehind(directory: string): string | null {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((place) => resolve(place));
  const own = places.indexOf(directory);
  if (own < 0) return 'not on your PATH';
  const other = places.findIndex((place) => isFile(join(place, 'grep')));
  return other < own ? `behind ${places[other]} on your PATH, which has a grep, too` : null;
}

const isFile = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isFile() === true;
