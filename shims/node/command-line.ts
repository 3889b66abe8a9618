/** The command line of node. */

export interface CommandLine {
  /** A text that was given; null where there is none. */
  code: string | null;
  isShown: boolean;
  isChecked: boolean;
  isHelp: boolean;
  isVersion: boolean;
  /** `module`, `commonjs` …; '' where nobody says. */
  inputType: string;
  /** A file, `-`, or null: then standard input is the script. */
  script: string | null;
  args: string[];
  execArgv: string[];
  /** Modules that are loaded first. */
  required: string[];
}

/** A command line that node refuses; its status is 9. */
export class WrongOption extends Error {}

const FLAGS = new Map([
  ['-i', ''],
  ['--interactive', ''],
]);

/** Options that change nothing here. */
const IDLE =
  /^--(?:no-)?(?:warnings|deprecation|trace-[\w-]+|enable-source-maps|experimental-[\w-]+|harmony[\w-]*|strip-types|max-old-space-size=\d+|stack-trace-limit=\d+|preserve-symlinks|unhandled-rejections=throw|throw-deprecation|pending-deprecation|expose-gc|use-strict|disable-warning=.*|stack-size=\d+|trace-uncaught|title=.*|env-file-if-exists=.*)$/;

/** @throws WrongOption */
export function parseCommandLine(all: readonly string[]): CommandLine {
  const line: CommandLine = {
    code: null,
    isShown: false,
    isChecked: false,
    isHelp: false,
    isVersion: false,
    inputType: '',
    script: null,
    args: [],
    execArgv: [],
    required: [],
  };
  const rest = [...all];
  const value = (option: string, inline: string | undefined): string => {
    const given = inline ?? rest.shift();
    if (given === undefined) throw new WrongOption(`${option} requires an argument`);
    return given;
  };
  while (rest.length > 0) {
    const word = rest.shift() ?? '';
    if (word === '--') {
      if (line.code === null) line.script = rest.shift() ?? null;
      break;
    }
    if (word === '-' || !word.startsWith('-')) {
      if (line.code === null) line.script = word;
      else rest.unshift(word);
      break;
    }
    const before = rest.length;
    const [, option = word, inline] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    switch (option) {
      case '-e':
      case '--eval':
        line.code = value(option, inline);
        break;
      case '-p':
      case '-pe':
      case '--print':
        line.isShown = true;
        if (inline !== undefined || line.code === null) line.code = value(option, inline);
        break;
      case '-c':
      case '--check':
        line.isChecked = true;
        break;
      case '-v':
      case '--version':
        line.isVersion = true;
        break;
      case '-h':
      case '--help':
        line.isHelp = true;
        break;
      case '--input-type':
        line.inputType = value(option, inline);
        break;
      case '-r':
      case '--require':
      case '--import':
        line.required.push(value(option, inline));
        break;
      default:
        if (FLAGS.has(option) || !IDLE.test(word)) throw new WrongOption(`bad option: ${word}`);
    }
    line.execArgv.push(word, ...all.slice(all.length - before, all.length - rest.length));
  }
  line.args = rest;
  return line;
}
