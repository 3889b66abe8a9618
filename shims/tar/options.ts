/** The command line of tar: the bundle without a dash, and `-C`, which counts for what follows it. */
import { getopt, type Options, UsageError } from '../support/getopt.ts';

const SHORT = 'cxtruAdf:C:zjJavkmOpPhI:T:X:sSwWlnoB';

const LONG = {
  create: 'c',
  extract: 'x',
  get: 'x',
  list: 't',
  append: 'r',
  update: 'u',
  concatenate: 'A',
  catenate: 'A',
  diff: 'd',
  compare: 'd',
  delete: 'delete',
  file: 'f:',
  directory: 'C:',
  gzip: 'z',
  gunzip: 'z',
  ungzip: 'z',
  bzip2: 'j',
  xz: 'J',
  zstd: 'zstd',
  'auto-compress': 'a',
  'use-compress-program': 'I:',
  verbose: 'v',
  'keep-old-files': 'k',
  'skip-old-files': 'skip',
  overwrite: 'overwrite',
  touch: 'm',
  'to-stdout': 'O',
  'preserve-permissions': 'p',
  'same-permissions': 'p',
  'no-same-permissions': 'no-p',
  'same-owner': 'ignored',
  'no-same-owner': 'ignored',
  'numeric-owner': 'numeric',
  'absolute-names': 'P',
  dereference: 'h',
  'files-from': 'T:',
  'exclude-from': 'X:',
  exclude: 'exclude:',
  'exclude-vcs': 'vcs',
  'strip-components': 'strip:',
  transform: 'transform:',
  xform: 'transform:',
  recursion: 'recursion',
  'no-recursion': 'flat',
  wildcards: 'wildcards',
  'no-wildcards': 'plain',
  anchored: 'ignored',
  'no-anchored': 'ignored',
  'full-time': 'full-time',
  sort: 'sort:',
  mtime: 'mtime:',
  owner: 'owner:',
  group: 'group:',
  mode: 'mode:',
  format: 'ignored:',
  'one-file-system': 'ignored',
  'remove-files': 'remove',
  null: 'null',
  'show-transformed-names': 'shown',
  'show-stored-names': 'ignored',
  totals: 'totals',
  warning: 'ignored:',
  'ignore-failed-read': 'ignored',
  sparse: 'S',
  posix: 'ignored',
} as const;

/** A name on the command line, and the directory that it counts from. */
export interface Named {
  name: string;
  directory: string;
}

/** What tar is to do. */
export type Mode = 'create' | 'append' | 'update' | 'list' | 'extract' | 'delete';

/** A command line, read. */
export interface TarCommand {
  mode: Mode;
  options: Options;
  names: Named[];
  /** Where members go: the last `-C`. */
  directory: string;
}

const MODES: Readonly<Record<string, Mode>> = {
  c: 'create',
  r: 'append',
  u: 'update',
  t: 'list',
  x: 'extract',
  delete: 'delete',
};

const misuse = (text: string): UsageError => new UsageError(text);

/** `xzf FILE` as `-x -z -f FILE`: letters that take an argument find it behind the bundle, in their order. */
function unbundled(args: readonly string[]): string[] {
  const [bundle = '', ...rest] = args;
  if (bundle.startsWith('-') || !/^[A-Za-z]+$/.test(bundle)) return [...args];
  const out: string[] = [];
  for (const letter of bundle) {
    out.push(`-${letter}`);
    if (!SHORT.includes(`${letter}:`)) continue;
    const value = rest.shift();
    if (value === undefined) throw misuse(`Old option '${letter}' requires an argument.`);
    out.push(value);
  }
  return [...out, ...rest];
}

/** A directory as seen from the one before. */
function within(directory: string, next: string): string {
  return next.startsWith('/') || directory === '.' ? next : `${directory}/${next}`;
}

/** Reads the command line. Fails with a `UsageError`. */
export function tarCommand(args: readonly string[]): TarCommand {
  const seen: [string, string][] = [];
  const names: Named[] = [];
  let directory = '.';
  let rest = unbundled(args);
  let plain = false;
  while (rest.length > 0) {
    if (plain) {
      names.push(...rest.map((name) => ({ name, directory })));
      break;
    }
    plain = rest[0] === '--';
    const part = getopt(rest, { short: SHORT, long: LONG, stopAtOperand: true });
    for (const [key, value] of part.seen) {
      seen.push([key, value]);
      if (key === 'C') directory = within(directory, value);
    }
    const [name, ...behind] = part.operands;
    if (!plain && name !== undefined) names.push({ name, directory });
    rest = plain ? [...part.operands] : behind;
  }
  const all = (key: string) => seen.filter(([k]) => k === key).map(([, value]) => value);
  const options: Options = {
    seen,
    operands: names.map(({ name }) => name),
    all,
    has: (key) => all(key).length > 0,
    get: (key) => all(key).at(-1),
  };
  const modes = new Set(seen.flatMap(([key]) => MODES[key] ?? (/^[Ad]$/.test(key) ? [key] : [])));
  const [mode] = modes;
  if (mode === undefined) {
    throw misuse("You must specify one of the '-Acdtrux', '--delete' or '--test-label' options");
  }
  if (modes.size > 1) {
    throw misuse(
      "You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option",
    );
  }
  if (mode === 'A' || mode === 'd') {
    throw new UsageError(`-${mode} is not to be had here: list, extract or create instead`, {
      hint: false,
    });
  }
  return { mode: mode as Mode, options, names, directory };
}
