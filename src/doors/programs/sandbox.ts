/** The sandbox of a program of the host: what bubblewrap is told to let it see. */
import { execFile } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { promisify } from 'node:util';
import { ConfigError } from '../../errors.ts';
import type { HostProgram } from '../../shell/host-programs.ts';

const execute = promisify(execFile);

/** Where programs are: in the sandbox as on the host. */
export const PROGRAM_PATH = ['/usr/local/bin', '/usr/bin', '/bin'];

/** What a program may take; all that it starts is counted with it. */
export interface ProgramLimits {
  /** Bytes of memory. */
  memory: number;
  processes: number;
  /** Bytes that it prints. */
  output: number;
}

export const LIMITS: ProgramLimits = {
  memory: 1024 ** 3,
  processes: 128,
  output: 32 * 1024 ** 2,
};

const OPEN_FILES = 1024;
/** Of one file, bytes. */
const FILE = 1024 ** 3;
/** Of /dev/shm, bytes. */
const SHARED = 64 * 1024 ** 2;
/** Who it is in the sandbox; on the host it is whoever runs dirigent. */
const USER = 1000;

/** Names at the root that are the host's there, or the sandbox's own; the world's are not seen. */
const OWN = new Set(['bin', 'sbin', 'usr', 'etc', 'proc', 'sys', 'dev', 'boot', 'root', 'run']);
const isOwn = (name: string): boolean => OWN.has(name) || /^lib(?:32|64|x32)?$/.test(name);

/** What the loader, and names of programs, need of /etc: nothing that says anything of the host's people. */
const ETC = [
  'ld.so.cache',
  'ld.so.conf',
  'ld.so.conf.d',
  'alternatives',
  'localtime',
  'mime.types',
];

/** The file of a program. @throws ConfigError where it is not installed */
function findProgram(name: string): string {
  const found = PROGRAM_PATH.map((directory) => `${directory}/${name}`).find((file) =>
    existsSync(file),
  );
  if (found !== undefined) return found;
  throw new ConfigError(
    '',
    `it is not installed on this machine, in none of ${PROGRAM_PATH.join(', ')}`,
  );
}

/** @throws ConfigError saying what is missing, and how it is installed */
export async function checkSandbox(): Promise<void> {
  if (process.platform !== 'linux')
    throw new ConfigError('', 'programs of the host run in bubblewrap, which Linux alone has');
  for (const [program, source] of [
    ['bwrap', 'bubblewrap'],
    ['prlimit', 'util-linux'],
  ] as const) {
    try {
      await execute(program, ['--version'], { env: { PATH: PROGRAM_PATH.join(':') } });
    } catch (cause) {
      throw new ConfigError(
        '',
        `${source} is missing on this machine: apt-get install ${source} (Debian, Ubuntu), dnf install ${source} (Fedora) or apk add ${source} (Alpine)`,
        cause,
      );
    }
  }
}

/** Files that are handed over by their descriptors, the first of them 3. */
export interface Handed {
  args: string[];
  data: Buffer[];
}

/** A name at the root of the world. */
export interface RootEntry {
  name: string;
  isDirectory: boolean;
}

/**
 * The arguments of bubblewrap.
 * @param world where the world is mounted on the host
 * @param filter of system calls; null where there is none for this machine
 */
export function sandboxArguments(
  { name, args, cwd, env }: HostProgram,
  { world, root, filter }: { world: string; root: readonly RootEntry[]; filter: Buffer | null },
): Handed {
  const data: Buffer[] = [];
  const hand = (bytes: Buffer | string): string => String(2 + data.push(Buffer.from(bytes)));
  const seen = root.filter((entry) => !isOwn(entry.name));
  const isSeen = seen.some(
    (entry) => cwd === `/${entry.name}` || cwd.startsWith(`/${entry.name}/`),
  );
  const options = [
    // Its own users, processes, network, names; no right of the kernel, and no way to new ones.
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL'],
    ...['--uid', String(USER), '--gid', String(USER), '--hostname', 'dirigent'],
    ...['--die-with-parent', '--new-session', '--clearenv'],
    ...(filter === null ? [] : ['--seccomp', hand(filter)]),
    ...['--ro-bind', '/usr', '/usr'],
    ...['bin', 'sbin', 'lib', 'lib32', 'lib64', 'libx32'].flatMap(systemDirectory),
    ...ETC.flatMap((each) => ['--ro-bind-try', `/etc/${each}`, `/etc/${each}`]),
    ...['--ro-bind-data', hand(`agent:x:${USER}:${USER}::/workspace:/bin/sh\n`), '/etc/passwd'],
    ...['--ro-bind-data', hand(`agent:x:${USER}:\n`), '/etc/group'],
    ...['--proc', '/proc', '--dev', '/dev', '--size', String(SHARED), '--tmpfs', '/dev/shm'],
    ...seen.flatMap((entry) => ['--bind', `${world}/${entry.name}`, `/${entry.name}`]),
    ...['--remount-ro', '/dev', '--remount-ro', '/'],
    ...Object.entries({ ...env, PATH: PROGRAM_PATH.join(':') }).flatMap(([key, value]) => [
      '--setenv',
      key,
      value,
    ]),
    ...['--chdir', isSeen ? cwd : '/'],
  ];
  const command = [
    // Within: the limit of processes is of the sandbox's user, not of the host's.
    ...['prlimit', `--nproc=${LIMITS.processes}`, `--nofile=${OPEN_FILES}`, `--fsize=${FILE}`],
    ...[`--data=${LIMITS.memory}`, '--core=0', '--', 'nice', '-n', '5', '--'],
    ...[findProgram(name), ...args],
  ];
  // A program can read the command line of bubblewrap, in which paths of the host have no place.
  const told = hand(options.map((option) => `${option}\0`).join(''));
  return { args: ['--args', told, '--', ...command], data };
}

/** A directory of the system at the root, as the host has it: most are links into /usr today. */
function systemDirectory(name: string): string[] {
  const path = `/${name}`;
  if (!existsSync(path)) return [];
  if (lstatSync(path).isSymbolicLink()) return ['--symlink', readlinkSync(path), path];
  return ['--ro-bind', path, path];
}
