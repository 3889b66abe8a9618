/**
 * The commands that stand before the system's own on the PATH of programs in a
 * mounted world. There is one: grep with a query and no option.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shellWord } from '../../command-line.ts';

/** The status by which the client says that it is the system's grep that is meant. */
const SYSTEMS = 97;

/** Writes the shims into a directory, which is made if it is not there. */
export async function installShims(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const file = join(directory, 'grep');
  await writeFile(file, grepScript());
  await chmod(file, 0o755);
}

function grepScript(): string {
  const here = import.meta.url;
  const client = fileURLToPath(
    new URL(`./grep-client.${here.endsWith('.ts') ? 'ts' : 'js'}`, here),
  );
  if (!existsSync(client)) throw new Error(`${client} is missing from the package`);
  return `#!/bin/sh
# grep: with a query and no option, in a mounted world, it searches by meaning.
# Everything else is the system's grep, untouched.
self=\${0%/*}
system() {
  IFS=:
  for directory in $PATH; do
    [ "$directory" = "$self" ] && continue
    [ -x "$directory/grep" ] || continue
    [ "$directory/grep" -ef "$0" ] && continue
    exec "$directory/grep" "$@"
  done
  exec /bin/grep "$@"
}
[ $# -gt 0 ] || system "$@"
for word; do
  case $word in -*) system "$@" ;; esac
done
# Without a path it is what comes in that is searched, if anything does.
if [ $# -eq 1 ]; then
  if [ -p /dev/stdin ] || [ -f /dev/stdin ]; then system "$@"; fi
fi
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
${shellWord(process.execPath)} --disable-warning=ExperimentalWarning ${shellWord(client)} "$mount" "$here" "$@" < /dev/null
status=$?
[ $status -eq ${SYSTEMS} ] && system "$@"
exit $status
`;
}
