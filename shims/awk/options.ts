/** awk's command line. */
import { UsageError } from '../support/getopt.ts';
import type { Tool } from '../support/tool.ts';

export interface CommandLine {
  /** -F, before its escape sequences are read. */
  separator: string | undefined;
  assignments: Array<{ name: string; value: string }>;
  /** Names of files and pieces of program, in their order. */
  sources: Array<{ file: string } | { text: string }>;
  operands: string[];
  /** -b: a character is a byte. */
  bytes: boolean;
}

/** Options that change nothing here. */
const IGNORED = new Set([
  'P',
  'posix',
  'r',
  're-interval',
  'O',
  'optimize',
  's',
  'no-optimize',
  't',
]);

const WITH_VALUE: Readonly<Record<string, string>> = {
  F: 'F',
  v: 'v',
  f: 'f',
  e: 'e',
  E: 'E',
  i: 'i',
  'field-separator': 'F',
  assign: 'v',
  file: 'f',
  source: 'e',
  exec: 'E',
  include: 'i',
};

/** What is refused, with what to do instead. */
const REFUSED: Readonly<Record<string, string>> = {
  i: "there is no -i here; to edit in place write to a new file and move it: awk '…' f > t && mv t f",
  M: 'there are no numbers of arbitrary precision (-M) here; use bc',
  bignum: 'there are no numbers of arbitrary precision (--bignum) here; use bc',
  n: 'there is no -n here; strtonum reads hexadecimal and octal numbers',
  'non-decimal-data': 'there is no --non-decimal-data here; strtonum reads such numbers',
  k: 'there is no --csv here; set FPAT, as in -v FPAT=\'([^,]*)|("([^"]|"")*")\'',
  csv: 'there is no --csv here; set FPAT, as in -v FPAT=\'([^,]*)|("([^"]|"")*")\'',
};

class Reader {
  readonly line: CommandLine = {
    separator: undefined,
    assignments: [],
    sources: [],
    operands: [],
    bytes: false,
  };
  readonly #args: readonly string[];
  #at = 0;

  constructor(args: readonly string[]) {
    this.#args = args;
  }

  read(): CommandLine {
    for (; this.#at < this.#args.length; this.#at++) {
      const arg = this.#args[this.#at] ?? '';
      if (arg === '--') {
        this.#at++;
        break;
      }
      if (!arg.startsWith('-') || arg === '-') break;
      if (arg.startsWith('--')) this.#long(arg.slice(2));
      else if (this.#letters(arg.slice(1))) {
        this.#at++;
        break;
      }
    }
    const rest = this.#args.slice(this.#at);
    const [program] = rest;
    if (this.line.sources.length === 0) {
      if (program === undefined) throw new UsageError('no program', { status: 1 });
      this.line.sources.push({ text: program });
      rest.shift();
    }
    this.line.operands = rest;
    return this.line;
  }

  #long(text: string): void {
    const [name = ''] = text.split('=', 1);
    const key = WITH_VALUE[name];
    if (key === undefined) this.#flag(name, `--${name}`);
    else this.#set(key, text.includes('=') ? text.slice(name.length + 1) : this.#next(`--${name}`));
  }

  /** True where the options end here: after -E. */
  #letters(letters: string): boolean {
    for (let i = 0; i < letters.length; i++) {
      const letter = letters[i] ?? '';
      const key = WITH_VALUE[letter];
      if (key === undefined) {
        this.#flag(letter, `-${letter}`);
        continue;
      }
      const joined = letters.slice(i + 1);
      this.#set(key, joined === '' ? this.#next(`-${letter}`) : joined);
      return key === 'E';
    }
    return false;
  }

  #next(option: string): string {
    const value = this.#args[++this.#at];
    if (value === undefined)
      throw new UsageError(`option requires an argument -- '${option.replace(/^-+/, '')}'`);
    return value;
  }

  #flag(name: string, shown: string): void {
    if (name === 'b' || name === 'characters-as-bytes') this.line.bytes = true;
    else if (!IGNORED.has(name)) {
      const refusal = REFUSED[name];
      throw new UsageError(refusal ?? `there is no option ${shown} here`, {
        hint: refusal === undefined,
      });
    }
  }

  #set(key: string, value: string): void {
    if (key === 'F') this.line.separator = value;
    else if (key === 'f' || key === 'E') this.line.sources.push({ file: value });
    else if (key === 'e') this.line.sources.push({ text: value });
    else if (key === 'i') throw new UsageError(REFUSED['i'] ?? '', { hint: false });
    else {
      const [, name, text = ''] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(value) ?? [];
      if (name === undefined) {
        throw new UsageError(`\`${value}' argument to \`-v' not in \`var=value' form`);
      }
      this.line.assignments.push({ name, value: text });
    }
  }
}

/** Reads the command line. Fails with {@link UsageError}. */
export function commandLine(tool: Tool): CommandLine {
  return new Reader(tool.args).read();
}
