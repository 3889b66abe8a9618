/** GNU grep's command line. */
import { type NamedRead, UsageError } from './errors.ts';
import { type GivenOption, getopt, type OptionSpec, type Wording } from './getopt.ts';

export type Syntax = 'basic' | 'extended' | 'fixed' | 'perl';

/** Where patterns come from, in the order given. */
export type PatternSource = { text: string } | { file: string };

/** A name filter, in the order given; the last that matches decides. */
export type NameRule = { include: boolean; glob: string } | { excludeFrom: string };

export interface GrepOptions {
  syntax: Syntax;
  patterns: PatternSource[];
  paths: string[];
  ignoreCase: boolean;
  invert: boolean;
  word: boolean;
  line: boolean;
  count: boolean;
  list: 'none' | 'matching' | 'others';
  onlyMatching: boolean;
  lineNumber: boolean;
  byteOffset: boolean;
  /** undefined: as the number of files demands. */
  fileName: boolean | undefined;
  quiet: boolean;
  noMessages: boolean;
  directories: 'read' | 'recurse' | 'skip';
  followLinks: boolean;
  binary: 'binary' | 'text' | 'without-match';
  /** Infinity without a limit. */
  maxCount: number;
  before: number;
  after: number;
  /** Was any context asked for, be it 0 lines? */
  context: boolean;
  separator: string | null;
  nullData: boolean;
  nullName: boolean;
  initialTab: boolean;
  label: string;
  color: boolean;
  nameRules: NameRule[];
  excludeDirs: string[];
  /** Are documents searched by their texts, page by page? No option of GNU's. */
  textOf: boolean;
  /** `--help` or `-V` was given. */
  info: 'help' | 'version' | null;
  /** For stderr, whatever comes after. */
  warnings: string;
  /** The files that patterns and names come from, in the order given. */
  reads: NamedRead[];
}

const none = 'none';
const required = 'required';
/** In GNU's order, which is that of its complaints about abbreviations. */
const TABLE = {
  basic: { short: 'G', long: ['basic-regexp'], arity: none },
  extended: { short: 'E', long: ['extended-regexp'], arity: none },
  fixed: { short: 'F', long: ['fixed-regexp', 'fixed-strings'], arity: none },
  perl: { short: 'P', long: ['perl-regexp'], arity: none },
  after: { short: 'A', long: ['after-context'], arity: required },
  before: { short: 'B', long: ['before-context'], arity: required },
  binaryFiles: { long: ['binary-files'], arity: required },
  byteOffset: { short: 'b', long: ['byte-offset'], arity: none },
  binaryMode: { short: 'U', long: ['binary'], arity: none },
  around: { short: 'C', long: ['context'], arity: required },
  color: { long: ['color', 'colour'], arity: 'optional' },
  count: { short: 'c', long: ['count'], arity: none },
  devices: { short: 'D', long: ['devices'], arity: required },
  directories: { short: 'd', long: ['directories'], arity: required },
  exclude: { long: ['exclude'], arity: required },
  excludeFrom: { long: ['exclude-from'], arity: required },
  excludeDir: { long: ['exclude-dir'], arity: required },
  file: { short: 'f', long: ['file'], arity: required },
  listMatching: { short: 'l', long: ['files-with-matches'], arity: none },
  listOthers: { short: 'L', long: ['files-without-match'], arity: none },
  separator: { long: ['group-separator'], arity: required },
  help: { long: ['help'], arity: none },
  include: { long: ['include'], arity: required },
  ignoreCase: { short: 'iy', long: ['ignore-case'], arity: none },
  caseMatters: { long: ['no-ignore-case'], arity: none },
  initialTab: { short: 'T', long: ['initial-tab'], arity: none },
  label: { long: ['label'], arity: required },
  lineBuffered: { long: ['line-buffered'], arity: none },
  lineNumber: { short: 'n', long: ['line-number'], arity: none },
  line: { short: 'x', long: ['line-regexp'], arity: none },
  maxCount: { short: 'm', long: ['max-count'], arity: required },
  noName: { short: 'h', long: ['no-filename'], arity: none },
  noSeparator: { long: ['no-group-separator'], arity: none },
  noMessages: { short: 's', long: ['no-messages'], arity: none },
  nullName: { short: 'Z', long: ['null'], arity: none },
  nullData: { short: 'z', long: ['null-data'], arity: none },
  onlyMatching: { short: 'o', long: ['only-matching'], arity: none },
  quiet: { short: 'q', long: ['quiet', 'silent'], arity: none },
  recursive: { short: 'r', long: ['recursive'], arity: none },
  dereference: { short: 'R', long: ['dereference-recursive'], arity: none },
  regexp: { short: 'e', long: ['regexp'], arity: required },
  invert: { short: 'v', long: ['invert-match'], arity: none },
  text: { short: 'a', long: ['text'], arity: none },
  textOf: { long: ['text-of'], arity: none, whole: true },
  unixOffsets: { short: 'u', long: ['unix-byte-offsets'], arity: none },
  version: { short: 'V', long: ['version'], arity: none },
  withName: { short: 'H', long: ['with-filename'], arity: none },
  word: { short: 'w', long: ['word-regexp'], arity: none },
  noBinary: { short: 'I', long: [], arity: none },
  digit: { short: '0123456789', long: [], arity: none },
} as const satisfies Record<string, OptionSpec>;

type Name = keyof typeof TABLE;

const USAGE =
  "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more information.\n";

const complaint = (text: string): string => `grep: ${text}\n${USAGE}`;

const WORDING: Wording = {
  abbreviations: true,
  unknownShort: (letter) => complaint(`invalid option -- '${letter}'`),
  unknownLong: (word) => complaint(`unrecognized option '--${word}'`),
  ambiguous: (word, possible) => {
    const all = possible.map((p) => `'--${p}'`).join(' ');
    return complaint(`option '--${word}' is ambiguous; possibilities: ${all}`);
  },
  missing: (option, long) =>
    complaint(
      long
        ? `option '--${option}' requires an argument`
        : `option requires an argument -- '${option}'`,
    ),
  unwanted: (option) => complaint(`option '--${option}' doesn't allow an argument`),
};

function defaults(): GrepOptions {
  return {
    syntax: 'basic',
    patterns: [],
    paths: [],
    ignoreCase: false,
    invert: false,
    word: false,
    line: false,
    count: false,
    list: 'none',
    onlyMatching: false,
    lineNumber: false,
    byteOffset: false,
    fileName: undefined,
    quiet: false,
    noMessages: false,
    directories: 'read',
    followLinks: false,
    binary: 'binary',
    maxCount: Number.POSITIVE_INFINITY,
    before: 0,
    after: 0,
    context: false,
    separator: '--',
    nullData: false,
    nullName: false,
    initialTab: false,
    label: '(standard input)',
    color: false,
    nameRules: [],
    excludeDirs: [],
    textOf: false,
    info: null,
    warnings: '',
    reads: [],
  };
}

/** A decimal number of any size. */
function number(text: string, complaint: string): number {
  if (!/^\s*[+-]?\d+$/.test(text)) throw new UsageError(`grep: ${complaint}\n`);
  return Number(text);
}

function contextLength(text: string): number {
  const value = number(text, `${text}: invalid context length argument`);
  if (value < 0) throw new UsageError(`grep: ${text}: invalid context length argument\n`);
  return value;
}

class Interpreter {
  readonly options: GrepOptions = defaults();
  private context = -1;
  private before = -1;
  private after = -1;
  private digits = '';
  private digitWord = -1;
  private syntax: Syntax | null = null;

  apply(option: GivenOption<Name>): void {
    if (option.name === 'digit') {
      this.digits = (this.digitWord === option.word ? this.digits : '') + option.value;
      this.digitWord = option.word;
      this.context = Number(this.digits);
      return;
    }
    this.digitWord = -1;
    const flag = FLAGS[option.name];
    if (flag !== undefined) Object.assign(this.options, flag);
    else this.withValue(option.name, option.value, option.given);
  }

  private withValue(name: Name, value: string, given: boolean): void {
    const o = this.options;
    switch (name) {
      case 'extended':
      case 'fixed':
      case 'basic':
      case 'perl':
        this.choose(name);
        break;
      case 'regexp':
        o.patterns.push({ text: value });
        break;
      case 'file':
        o.patterns.push({ file: value });
        o.reads.push({ file: value, warnings: o.warnings });
        break;
      case 'maxCount':
        o.maxCount = number(value, 'invalid max count');
        break;
      case 'label':
        o.label = value;
        break;
      case 'before':
        this.before = contextLength(value);
        break;
      case 'after':
        this.after = contextLength(value);
        break;
      case 'around':
        this.context = contextLength(value);
        break;
      case 'unixOffsets':
        o.warnings += 'grep: warning: --unix-byte-offsets (-u) is obsolete\n';
        break;
      case 'separator':
        o.separator = value;
        break;
      case 'excludeDir':
        o.excludeDirs.push(value.length > 1 ? value.replace(/\/+$/, '') : value);
        break;
      case 'include':
      case 'exclude':
        o.nameRules.push({ include: name === 'include', glob: value });
        break;
      case 'excludeFrom':
        o.nameRules.push({ excludeFrom: value });
        o.reads.push({ file: value, warnings: o.warnings });
        break;
      default:
        this.choice(name, value, given);
    }
  }

  private choose(syntax: Syntax): void {
    if (this.syntax !== null && this.syntax !== syntax) {
      throw new UsageError('grep: conflicting matchers specified\n');
    }
    this.syntax = syntax;
    this.options.syntax = syntax;
  }

  private choice(name: Name, value: string, given: boolean): void {
    const o = this.options;
    if (name === 'binaryFiles') {
      if (value !== 'binary' && value !== 'text' && value !== 'without-match') {
        throw new UsageError('grep: unknown binary-files type\n');
      }
      o.binary = value;
    } else if (name === 'directories') {
      o.directories = oneOf(value, ['read', 'recurse', 'skip'], '--directories');
    } else if (name === 'devices') {
      if (value !== 'read' && value !== 'skip') {
        throw new UsageError('grep: unknown devices method\n');
      }
    } else if (name === 'color') {
      const always = ['always', 'yes', 'force'].includes(value);
      if (given && !always && !['never', 'no', 'none', 'auto', 'tty', 'if-tty'].includes(value)) {
        o.info ??= 'help';
      }
      o.color = always;
    }
  }

  finish(): GrepOptions {
    const o = this.options;
    o.before = this.before >= 0 ? this.before : Math.max(this.context, 0);
    o.after = this.after >= 0 ? this.after : Math.max(this.context, 0);
    if (o.maxCount < 0) {
      // What GNU prints then is an accident: context without the lines that it surrounds.
      if (o.invert) throw new UsageError('grep: -v with a negative -m is not supported here\n');
      o.maxCount = Number.POSITIVE_INFINITY;
    }
    o.context = this.before >= 0 || this.after >= 0 || this.context >= 0;
    return o;
  }
}

function oneOf<T extends string>(value: string, allowed: readonly T[], option: string): T {
  const exact = allowed.find((a) => a === value);
  const near = allowed.filter((a) => a.startsWith(value));
  const found = exact ?? (near.length === 1 ? near[0] : undefined);
  if (found !== undefined) return found;
  const list = allowed.map((a) => `  - ‘${a}’\n`).join('');
  const what = near.length > 1 ? 'ambiguous' : 'invalid';
  throw new UsageError(
    `grep: ${what} argument ‘${value}’ for ‘${option}’\nValid arguments are:\n${list}${USAGE}`,
    // As GNU has it, unlike any other mistake.
    1,
  );
}

const FLAGS: Partial<Record<Name, Partial<GrepOptions>>> = {
  ignoreCase: { ignoreCase: true },
  caseMatters: { ignoreCase: false },
  word: { word: true },
  line: { line: true },
  nullData: { nullData: true },
  noMessages: { noMessages: true },
  invert: { invert: true },
  version: { info: 'version' },
  help: { info: 'help' },
  byteOffset: { byteOffset: true },
  lineNumber: { lineNumber: true },
  lineBuffered: {},
  withName: { fileName: true },
  noName: { fileName: false },
  onlyMatching: { onlyMatching: true },
  quiet: { quiet: true },
  text: { binary: 'text' },
  textOf: { textOf: true },
  noBinary: { binary: 'without-match' },
  recursive: { directories: 'recurse', followLinks: false },
  dereference: { directories: 'recurse', followLinks: true },
  listOthers: { list: 'others' },
  listMatching: { list: 'matching' },
  count: { count: true },
  initialTab: { initialTab: true },
  nullName: { nullName: true },
  noSeparator: { separator: null },
  binaryMode: {},
};

/**
 * Reads grep's command line.
 * @throws UsageError with all that stderr must say
 */
export function parseGrepOptions(args: readonly string[]): GrepOptions {
  const interpreter = new Interpreter();
  let given: ReturnType<typeof getopt<Name>>;
  try {
    given = getopt<Name>(args, TABLE, WORDING, (option) => interpreter.apply(option));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    const { warnings, reads } = interpreter.options;
    const complete = new UsageError(warnings + error.message, error.status);
    complete.reads = reads;
    throw complete;
  }
  const options = interpreter.finish();
  const operands = [...given.operands];
  if (options.patterns.length === 0 && options.info === null) {
    const first = operands.shift();
    if (first === undefined) throw new UsageError(USAGE);
    options.patterns.push({ text: first });
  }
  options.paths = operands;
  return options;
}

/** Is there any word that is an option? */
export function hasOption(args: readonly string[]): boolean {
  return args.some((word) => word.length > 1 && word.startsWith('-'));
}
