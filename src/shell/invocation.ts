/** The command line of `bash` and `sh`: options, and where the script is. */

/** What to run, and how. */
export interface Invocation {
  /** `-c TEXT`, a file, or what comes on stdin. */
  from: { command: string } | { file: string } | 'stdin';
  /** `$0`; null for the file, or the shell itself. */
  name: string | null;
  /** `$1` and on. */
  args: string[];
  /** Arguments of `set`: `-e`, `+u`, `-o pipefail`. */
  set: string[];
  /** Arguments of `shopt`: `-s extglob`. */
  shopt: [flag: '-s' | '-u', name: string][];
}

/** What needs no script: `--version`, `--help`, an error. */
export interface Told {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** Long options that change nothing here: there are no start-up files, and nobody types. */
const IDLE = new Set(
  'login norc noprofile noediting debugger dump-strings dump-po-strings restricted'.split(' '),
);
const WITH_FILE = new Set(['rcfile', 'init-file']);
/** Letters that `set` takes, too. */
const SET_LETTERS = 'abefhkmnptuvxBCEHPT';
/** Letters that say how a shell is started, of which nothing is different here. */
const IDLE_LETTERS = 'lirD';

function usage(name: string): string {
  return (
    `Usage:\t${name} [GNU long option] [option] ...\n` +
    `\t${name} [GNU long option] [option] script-file ...\n`
  );
}

/** Reads the arguments of `bash` or `sh`, whose version is given. */
export function parseInvocation(
  name: string,
  args: readonly string[],
  version: string,
): Invocation | Told {
  const words = [...args];
  const options: Options = { set: [], shopt: [], command: false, stdin: false };
  while (words.length > 0) {
    const word = words[0] ?? '';
    if (!/^[-+]./.test(word) && word !== '-') break;
    words.shift();
    if (word === '-' || word === '--') break;
    const told = word.startsWith('--')
      ? longOption(name, word.slice(2), words, options, version)
      : letters(name, word, words, options);
    if (told !== null) return told;
  }
  const { set, shopt } = options;
  if (options.command) {
    const [command, called, ...rest] = words;
    if (command === undefined) return failed(`${name}: -c: option requires an argument\n`);
    return { from: { command }, name: called ?? null, args: rest, set, shopt };
  }
  const [file, ...rest] = words;
  if (options.stdin || file === undefined) {
    return { from: 'stdin', name: null, args: words, set, shopt };
  }
  return { from: { file }, name: null, args: rest, set, shopt };
}

interface Options extends Pick<Invocation, 'set' | 'shopt'> {
  command: boolean;
  stdin: boolean;
}

function longOption(
  name: string,
  option: string,
  rest: string[],
  options: Options,
  version: string,
): Told | null {
  if (option === 'version') return { stdout: versionText(version), stderr: '', exitCode: 0 };
  if (option === 'help') {
    const text = `GNU bash, version ${version}\n${usage(name)}`;
    return { stdout: `${text}Type \`help' for what is different here.\n`, stderr: '', exitCode: 0 };
  }
  if (WITH_FILE.has(option)) {
    return rest.shift() === undefined
      ? failed(`${name}: --${option}: option requires an argument\n`)
      : null;
  }
  if (option === 'posix') options.set.push('-o', 'posix');
  else if (option === 'verbose') options.set.push('-v');
  else if (!IDLE.has(option)) {
    return failed(`${name}: --${option}: invalid option\n${usage(name)}`);
  }
  return null;
}

/** `-euo pipefail`, `+x`, `-c`. */
function letters(name: string, word: string, rest: string[], options: Options): Told | null {
  const sign = word.charAt(0);
  for (const letter of word.slice(1)) {
    if (letter === 'c') options.command = true;
    else if (letter === 's') options.stdin = true;
    else if (letter === 'o') {
      const option = rest.shift();
      if (option === undefined) return failed(`${name}: ${sign}o: option requires an argument\n`);
      options.set.push(`${sign}o`, option);
    } else if (letter === 'O') {
      const option = rest.shift();
      if (option === undefined) return failed(`${name}: ${sign}O: option requires an argument\n`);
      options.shopt.push([sign === '-' ? '-s' : '-u', option]);
    } else if (SET_LETTERS.includes(letter)) options.set.push(sign + letter);
    else if (!IDLE_LETTERS.includes(letter)) {
      return failed(`${name}: ${sign}${letter}: invalid option\n${usage(name)}`);
    }
  }
  return null;
}

function versionText(version: string): string {
  return (
    `GNU bash, version ${version} (x86_64-pc-linux-gnu)\n` +
    'This is the shell of a world of files that does what GNU bash of that version does.\n'
  );
}

function failed(stderr: string): Told {
  return { stdout: '', stderr, exitCode: 2 };
}
