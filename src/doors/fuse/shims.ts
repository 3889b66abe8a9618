/**
 * The commands that stand before the system's own on the PATH of programs in a
 * mounted world, and of persons who want them there. There is one: grep with a query and no option.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellWord } from '../../command-line.ts';
import { ConfigError } from '../../errors.ts';

/** The status by which the client says that it is the system's grep that is meant. */
const SYSTEMS = 97;

/** By this a shim is known. */
const MARK = '# A shim of dirigent.';

/** The commands that have one. */
const SHIMS = ['grep'] as const;

/**
 * Writes the shims into a directory, which is made if it is not there. Older ones are replaced.
 * @returns their paths
 * @throws ConfigError where a file is in the way, and nothing was changed
 */
export async function installShims(directory: string): Promise<string[]> {
  const files = SHIMS.map((name) => join(directory, name));
  for (const file of files) {
    if ((await whatIsAt(file)) !== 'other') continue;
    throw new ConfigError(
      '',
      `${file} is there already, and is no shim of dirigent: nothing was changed; take another directory (--dir DIR) that is before the system's on your PATH`,
    );
  }
  await mkdir(directory, { recursive: true });
  for (const file of files) {
    // What runs it at this moment reads on in the old one.
    await rm(file, { force: true });
    await writeFile(file, grepScript(), { mode: 0o755, flag: 'wx' });
    await chmod(file, 0o755);
  }
  return files;
}

/** Removes the shims of a directory, and no other file. @returns their paths; none where there were none */
export async function removeShims(directory: string): Promise<string[]> {
  const removed: string[] = [];
  for (const file of SHIMS.map((name) => join(directory, name))) {
    if ((await whatIsAt(file)) !== 'shim') continue;
    await rm(file);
    removed.push(file);
  }
  return removed;
}

async function whatIsAt(file: string): Promise<'nothing' | 'shim' | 'other'> {
  try {
    return (await readFile(file, 'utf8')).split('\n', 2)[1] === MARK ? 'shim' : 'other';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return 'nothing';
    if (code === 'EISDIR') return 'other';
    throw error;
  }
}

function grepScript(): string {
  const here = import.meta.url;
  const client = fileURLToPath(
    new URL(`./grep-client.${here.endsWith('.ts') ? 'ts' : 'js'}`, here),
  );
  if (!existsSync(client)) throw new Error(`${client} is missing from the package`);
  return `#!/bin/sh
${MARK}
# grep: with a query and no option, in a mounted world, it searches by meaning.
# Everything else is the system's grep, untouched: the next on the PATH, by its
# name alone, since it says what it was called.
set -f
system() {
  IFS=:
  after=
  for directory in $PATH; do
    if [ "\${directory:-.}/grep" -ef "$0" ]; then after=; else after=$after:\${directory:-.}; fi
  done
  PATH=\${after#:}:/usr/bin:/bin
  exec grep "$@"
}
[ $# -gt 0 ] || system "$@"
for word; do
  case $word in -*) system "$@" ;; esac
done
# Without a path it is what comes in that is searched, if anything does.
if [ $# -eq 1 ]; then
  if [ -p /dev/stdin ] || [ -f /dev/stdin ]; then system "$@"; fi
fi
node=${shellWord(process.execPath)}
client=${shellWord(client)}
[ -r /proc/self/mounts ] && [ -x "$node" ] && [ -f "$client" ] || system "$@"
here=$(pwd -P)
mount=
while read -r _ directory type _; do
  [ "$type" = fuse.dirigent ] || continue
  directory=$(printf '%b' "$directory")
  for place in "$here" "$@"; do
    case $place/ in "$directory"/*) mount=$directory ;; esac
  done
done < /proc/self/mounts
[ -n "$mount" ] || system "$@"
"$node" --disable-warning=ExperimentalWarning "$client" "$mount" "$here" "$@" < /dev/null
status=$?
[ $status -eq ${SYSTEMS} ] && system "$@"
exit $status
`;
}
