/** Which deployment a command is about, and how the command line is called for it. */
import fs from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { type CommandLine, shellWord, suggestion } from '../command-line.ts';
import { ConfigError } from '../errors.ts';
import { CONFIG_NAMES } from '../world/plan.ts';
import { COMMANDS, isCommand } from './commands.ts';

/** What options say of the world, as they were given. */
export interface PlaceOptions {
  /** `PATH=SOURCE[:MODE]`, in order. */
  mounts: readonly string[];
  /** A directory; undefined where none is named, null for a plain world. */
  deployment: string | null | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The config of a directory, by its whole path; null where it has none. */
export function configIn(directory: string): string | null {
  const name = CONFIG_NAMES.find((each) =>
    fs.statSync(join(directory, each), { throwIfNoEntry: false })?.isFile(),
  );
  return name === undefined ? null : join(directory, name);
}

/** A deployment, and how it was found. */
export interface FoundDeployment {
  /** Absolute. */
  directory: string;
  by: '--deployment' | 'DIRIGENT_DEPLOYMENT' | 'search';
}

/**
 * The deployment that is named, else that of DIRIGENT_DEPLOYMENT, else the nearest at or above
 * the current directory; null for a plain world.
 * @throws ConfigError where one above would run another user's code
 */
export function findDeployment(
  named: PlaceOptions['deployment'],
  cwd: string,
  env: Environment,
): FoundDeployment | null {
  if (named === null) return null;
  if (named !== undefined) return { directory: resolve(cwd, named), by: '--deployment' };
  const variable = env['DIRIGENT_DEPLOYMENT'];
  if (variable !== undefined && variable !== '')
    return { directory: resolve(cwd, variable), by: 'DIRIGENT_DEPLOYMENT' };
  for (let directory = resolve(cwd); ; directory = dirname(directory)) {
    const config = configIn(directory);
    if (config !== null) {
      refuseOthers(config, directory);
      return { directory, by: 'search' };
    }
    if (dirname(directory) === directory) return null;
  }
}

/** A config is code. One that nobody named is run only where no other user can have put it there. */
function refuseOthers(config: string, directory: string): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  const { uid } = fs.statSync(config);
  if (uid === own || uid === 0) return;
  throw new ConfigError(
    config,
    `it belongs to another user (uid ${uid}), and a config is code: name it to use it, with --deployment ${shellWord(directory)}, or say --no-deployment`,
  );
}

/** How the user called the command line, and with which world. */
export function commandLineOf({ mounts, deployment }: PlaceOptions): CommandLine {
  const program = programOf(process.argv[1] ?? '', process.env);
  const where =
    deployment === null
      ? ' --no-deployment'
      : // What `npm start` runs names its own deployment.
        deployment === undefined || program === DEMO
        ? ''
        : ` --deployment ${shellWord(deployment)}`;
  return { program, options: where + mounts.map((each) => ` --mount ${shellWord(each)}`).join('') };
}

/** The line that runs another command on the same world: what a message suggests. */
export function suggested(options: PlaceOptions, command: string): string {
  const [name = ''] = command.split(' ');
  // Not every command mounts anything.
  const mounts = isCommand(name) && 'mount' in COMMANDS[name].options ? options.mounts : [];
  return suggestion(commandLineOf({ ...options, mounts }), command);
}

const DEMO = 'npm start --silent --';

/** Is it installed in this directory, or in one above? */
function isBelow(script: string, cwd: string): boolean {
  const cut = script.indexOf(`${sep}node_modules${sep}`);
  if (cut < 0) return false;
  const project = script.slice(0, cut);
  return cwd === project || cwd.startsWith(`${project}${sep}`);
}

/** The words that call this program again, from the same directory. */
export function programOf(script: string, env: Environment): string {
  const given = env['DIRIGENT_COMMAND'];
  if (given !== undefined && given !== '') return given;
  if (env['npm_package_name'] === 'dirigent') {
    if (env['npm_lifecycle_event'] === 'dirigent') return 'npm run --silent dirigent --';
    if (env['npm_lifecycle_event'] === 'start') return DEMO;
  }
  const parts = script.split(sep);
  const name = basename(script).replace(/\.[cm]?js$/, '');
  // As a package of a project, by its link in .bin or, as pnpm starts it, by its own file.
  const isLocal = parts.slice(-3, -1).join('/') === 'node_modules/.bin';
  if (isLocal || isBelow(script, process.cwd())) return 'npx dirigent';
  // Windows starts the file itself, by a script of the command's name.
  if (name === 'dirigent' || (process.platform === 'win32' && name === 'main')) return 'dirigent';
  return `node ${shellWord(script)}`;
}
