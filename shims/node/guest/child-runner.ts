/** How `child_process` runs a command of the world: one is run to its end when it is started. */
import type { Files } from './files.ts';
import type { Bag, Guest, Loose } from './loose.ts';
import { bytesOf, coder } from './text.ts';

export interface ChildParts {
  files: Files;
  process: Bag;
  later(run: () => void): void;
}

export interface Options extends Bag {
  cwd?: unknown;
  env?: Record<string, unknown>;
  input?: unknown;
  encoding?: string;
  shell?: unknown;
  stdio?: unknown;
  timeout?: number;
}

export interface Ran {
  status: number;
  stdout: Uint8Array;
  stderr: Uint8Array;
}

/** What starts commands. */
export type Runner = ReturnType<typeof commandRunner>;

const NOT_FOUND = 127;

/** @param library of the library */
export function commandRunner(
  { host }: Guest,
  { files, process, later }: ChildParts,
  library: (id: string) => Loose,
) {
  const { Buffer } = library('buffer') as unknown as { Buffer: { from(bytes: Uint8Array): Bag } };
  let pid = 100;
  const bytesFrom = (input: unknown): Uint8Array => {
    if (input === undefined || input === null) return new Uint8Array();
    return typeof input === 'string'
      ? coder(host).encode(input, 'utf8')
      : bytesOf(input as Uint8Array);
  };
  const run = (words: readonly string[] | string, options: Options, stdin: Uint8Array): Ran => {
    files.flushAll();
    const environment = options.env ?? (process['env'] as Record<string, unknown>);
    const shown = Object.entries(environment).filter(([, value]) => value !== undefined);
    const env = Object.fromEntries(shown.map(([name, value]) => [name, String(value)]));
    const given =
      options.cwd instanceof Object && 'pathname' in options.cwd
        ? options.cwd.pathname
        : options.cwd;
    const cwd = files.resolve(given ?? (process['cwd'] as () => string)());
    if (!files.isDirectory(cwd))
      return { status: -1, stdout: new Uint8Array(), stderr: new Uint8Array() };
    const timeout = Number(options.timeout ?? 0);
    const limited =
      timeout > 0
        ? [
            'timeout',
            `${timeout / 1000}`,
            ...(typeof words === 'string' ? ['sh', '-c', words] : words),
          ]
        : words;
    return host('exec', limited, cwd, env, stdin) as Ran;
  };
  const wordsOf = (file: string, args: readonly unknown[], options: Options): string[] | string => {
    if (!byShell(options)) return [file, ...args.map(String)];
    return [file, ...args.map(String)].join(' ');
  };
  const failure = (
    syscall: string,
    code: string,
    errno: number,
    file: string,
    args: readonly unknown[],
  ): Error =>
    Object.assign(new Error(`${syscall} ${code}`), {
      errno,
      code,
      syscall,
      path: file,
      spawnargs: [...args],
    });
  const notFound = (ran: Ran, isShell: boolean): boolean =>
    !isShell &&
    (ran.status === -1 ||
      (ran.status === NOT_FOUND &&
        coder(host).decode(ran.stderr, 'utf8').includes('command not found')));

  return { Buffer, files, later, bytesFrom, run, wordsOf, failure, notFound, nextPid: () => ++pid };
}

/** The arguments and options of a call that may lack either. */
export function argumentsOf(given: unknown, more: unknown): { args: unknown[]; options: Options } {
  const hasArguments = Array.isArray(given);
  return {
    args: hasArguments ? (given as unknown[]) : [],
    options: ((hasArguments || given === undefined ? more : given) ?? {}) as Options,
  };
}

/** Is it the shell that runs the command? */
export const byShell = ({ shell }: Options): boolean => shell !== undefined && shell !== false;

export function shownAs(bytes: Bag, encoding: unknown): unknown {
  if (encoding === undefined || encoding === null || encoding === 'buffer') return bytes;
  return (bytes as unknown as { toString(encoding: unknown): string }).toString(encoding);
}

/** What is done with the three streams. */
export function targetsOf(stdio: unknown): unknown[] {
  if (!Array.isArray(stdio)) return Array.from({ length: 3 }, () => stdio ?? 'pipe');
  return Array.from({ length: 3 }, (_, index) => stdio[index] ?? 'pipe').map((each: unknown) =>
    typeof each === 'object' && each !== null && 'fd' in each ? each.fd : each,
  );
}
