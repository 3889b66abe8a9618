/** At the interactive prompt: what a mistyped command or path may have meant. */
import { isFsError } from '../errors.ts';
import { meant } from '../nearest.ts';
import { childOf, relativeTo, resolvePath } from '../paths.ts';
import type { World } from '../world/world.ts';

/** What is needed of a world. */
export interface HintWorld {
  cwd: string;
  commands: World['commands'];
  fs: Pick<World['fs'], 'readdir'>;
}

/** More would be noise. */
const HINTS = 2;

/** Built into the shell, and in no list of commands. */
const BUILTINS = 'alias cd echo exit export help history read set source type unset wait'.split(
  ' ',
);

/** What may have been meant, by what a command said on stderr. */
export async function hints(stderr: string, world: HintWorld): Promise<string[]> {
  const found = new Set<string>();
  for (const line of stderr.split('\n')) {
    if (found.size === HINTS) break;
    const hint = await hintOf(line, world);
    if (hint !== null) found.add(hint);
  }
  return [...found];
}

async function hintOf(line: string, world: HintWorld): Promise<string | null> {
  const command = /^(?:bash: )?(?:line \d+: )?([^:\s/]+): command not found$/.exec(line)?.[1];
  if (command !== undefined) return meant(command, [...(await world.commands()), ...BUILTINS]);
  const path = pathIn(line);
  return path === null ? null : nearestPath(path, world);
}

/** The path of a line such as `ls: cannot access 'x': No such file or directory`. */
function pathIn(line: string): string | null {
  const said = /^(.+): No such file or directory$/.exec(line)?.[1];
  if (said === undefined) return null;
  const quoted = /'([^']+)'$/.exec(said)?.[1];
  return quoted ?? /(?:^|: )([^:]+)$/.exec(said)?.[1] ?? null;
}

/** The path with the first name that is not there replaced by the one it is most like. */
async function nearestPath(typed: string, world: HintWorld): Promise<string | null> {
  const names = resolvePath(world.cwd, typed).split('/').slice(1);
  let directory = '/';
  try {
    for (const [index, name] of names.entries()) {
      const listed = await world.fs.readdir(directory);
      if (listed.includes(name)) {
        directory = childOf(directory, name);
        continue;
      }
      const alike = meant(name, listed);
      if (alike === null) return null;
      const found = [childOf(directory, alike), ...names.slice(index + 1)].join('/');
      return typed.startsWith('/') ? found : relativeTo(world.cwd, found);
    }
  } catch (error) {
    // What cannot be listed offers nothing.
    if (!isFsError(error)) throw error;
  }
  return null;
}
