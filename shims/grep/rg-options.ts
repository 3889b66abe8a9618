/** ripgrep's command line. */
import { UsageError } from './errors.ts';
import { type GivenOption, getopt, type Wording } from './getopt.ts';
import type { RgOptions } from './rg-settings.ts';
import { FLAGS, type Name, OUTPUTS, STRONGEST, TABLE } from './rg-table.ts';

const USAGE = `
USAGE:
    rg [OPTIONS] PATTERN [PATH ...]
    rg [OPTIONS] -e PATTERN ... [PATH ...]
    rg [OPTIONS] --files [PATH ...]
    rg [OPTIONS] --type-list

For more information try --help
`;

const unexpected = (word: string): string =>
  `error: Found argument '${word}' which wasn't expected, or isn't valid in this context\n${USAGE}`;

const WORDING: Wording = {
  abbreviations: false,
  unknownShort: (letter) => unexpected(`-${letter}`),
  unknownLong: (word) => unexpected(`--${word.replace(/=.*/s, '')}`),
  ambiguous: (word) => unexpected(`--${word}`),
  missing: (option, long) =>
    `error: The argument '${long ? '--' : '-'}${option}' requires a value but none was supplied\n${USAGE}`,
  unwanted: (option) => unexpected(`--${option}`),
};

export const RG_HELP = `rg: recursive search with ripgrep's options (ripgrep 13).
${USAGE.split('\nFor more')[0]}
  -e PATTERN, -f FILE, -F fixed, -P PCRE, -i, -S smart case, -s, -w, -x, -v, -U multiline
  -c, --count-matches, -l, --files-without-match, -o, -q, -r TEXT, --json, --files
  -n, -N, --column, -b, -H, -I, --heading, --vimgrep, --trim, -0, --color=always, -p
  -m NUM, -A NUM, -B NUM, -C NUM
  -g GLOB (!GLOB leaves out), -t TYPE, -T TYPE, --type-list, --hidden, --no-ignore, -u, -L,
  -d NUM, --max-filesize NUM, -a
`;

function defaults(): RgOptions {
  return {
    patterns: [],
    paths: [],
    fixed: false,
    perl: false,
    caseMode: 'sensitive',
    word: false,
    line: false,
    invert: false,
    multiline: false,
    dotAll: false,
    output: 'lines',
    includeZero: false,
    onlyMatching: false,
    quiet: false,
    lineNumber: undefined,
    column: false,
    byteOffset: false,
    fileName: undefined,
    heading: false,
    vimgrep: false,
    color: false,
    trim: false,
    nullName: false,
    replace: null,
    maxCount: Number.POSITIVE_INFINITY,
    before: 0,
    after: 0,
    separator: '--',
    globs: [],
    types: [],
    hidden: false,
    noIgnore: false,
    noVcs: false,
    requireGit: true,
    text: false,
    binary: false,
    follow: false,
    maxDepth: Number.POSITIVE_INFINITY,
    maxFileSize: Number.POSITIVE_INFINITY,
    maxColumns: Number.POSITIVE_INFINITY,
    maxColumnsPreview: false,
    passthru: false,
    crlf: false,
    reversed: false,
    noParent: false,
    noDot: false,
    engine: 'default',
    typeChanges: [],
    messages: true,
    stats: false,
    info: null,
  };
}

function number(value: string, option: string): number {
  if (/^\d+$/.test(value)) return Number(value);
  throw new UsageError(`error: invalid value '${value}' for ${option}: a number is needed\n`);
}

function size(value: string): number {
  const found = /^(\d+)([KMG]?)$/.exec(value);
  if (!found) throw new UsageError(`invalid file size: ${value}; write a number, with K, M or G\n`);
  return Number(found[1]) * 1024 ** ['', 'K', 'M', 'G'].indexOf(found[2] ?? '');
}

/** What would change the answer, and is not done here, is never passed over. */
function unsupported(what: string): UsageError {
  return new UsageError(`rg: ${what} is not supported here\n`);
}

class Interpreter {
  readonly options: RgOptions = defaults();
  private restriction = 0;
  private readonly wanted = new Set<RgOptions['output']>();
  private anyCase = false;
  /** Is the context in force that of -C, which -A or -B undo? */
  private around = false;

  apply({ name, value, written }: GivenOption<Name>): void {
    const o = this.options;
    const flag = FLAGS[name];
    const output = OUTPUTS[name];
    if (flag !== undefined) Object.assign(o, flag);
    else if (output !== undefined) this.wanted.add(output);
    else this.withValue(name, value, written);
  }

  private order(name: 'sort' | 'sortReversed', value: string): void {
    if (value !== 'path' && value !== 'none') throw unsupported(`--sort ${value}`);
    this.options.reversed = name === 'sortReversed' && value === 'path';
  }

  private withValue(name: Name, value: string, written: string): void {
    const o = this.options;
    switch (name) {
      case 'regexp':
        o.patterns.push({ text: value });
        break;
      case 'file':
        o.patterns.push({ file: value });
        break;
      case 'color':
        o.color = value === 'always' || value === 'ansi';
        break;
      case 'replace':
        o.replace = value;
        break;
      case 'maxCount':
        o.maxCount = number(value, '--max-count');
        break;
      case 'before':
        o.before = number(value, '--before-context');
        if (this.around) o.after = 0;
        this.around = false;
        break;
      case 'after':
        o.after = number(value, '--after-context');
        if (this.around) o.before = 0;
        this.around = false;
        break;
      case 'around':
        o.before = o.after = number(value, '--context');
        this.around = true;
        break;
      case 'separator':
        o.separator = value;
        break;
      case 'globAnyCase':
        this.anyCase = true;
        break;
      case 'glob':
      case 'iglob':
        o.globs.push({ glob: value, ignoreCase: name === 'iglob' });
        break;
      case 'type':
      case 'typeNot':
        o.types.push({ name: value, negated: name === 'typeNot' });
        break;
      case 'unrestricted':
        this.restriction++;
        break;
      case 'maxDepth':
        o.maxDepth = number(value, '--max-depth');
        break;
      case 'sort':
      case 'sortReversed':
        this.order(name, value);
        break;
      case 'encoding':
        if (!/^(?:auto|none|utf-?8)$/i.test(value)) throw unsupported(`the encoding ${value}`);
        break;
      case 'engine':
        if (value !== 'default' && value !== 'pcre2' && value !== 'auto') {
          throw new UsageError(`error: '${value}' isn't a valid value for '--engine <ENGINE>'\n`);
        }
        o.engine = value;
        break;
      case 'maxColumns':
        o.maxColumns = number(value, '--max-columns') || Number.POSITIVE_INFINITY;
        break;
      case 'typeAdd':
        if (!/^[^:]+:./.test(value)) {
          throw new UsageError('invalid definition (format is type:glob, e.g., html:*.html)\n');
        }
        o.typeChanges = [...o.typeChanges, value];
        break;
      case 'typeClear':
        o.typeChanges = [...o.typeChanges, `${value}:`];
        break;
      case 'unsupported':
      case 'unsupportedWith':
        throw unsupported(written);
      case 'maxFileSize':
        o.maxFileSize = size(value);
        break;
    }
  }

  finish(): RgOptions {
    const o = this.options;
    if (this.restriction >= 1) o.noIgnore = true;
    if (this.restriction >= 2) o.hidden = true;
    if (this.restriction >= 3) o.binary = true;
    if (o.engine === 'pcre2') o.perl = true;
    if (this.anyCase) o.globs = o.globs.map(({ glob }) => ({ glob, ignoreCase: true }));
    o.output = STRONGEST.find((output) => this.wanted.has(output)) ?? 'lines';
    // Over several lines a match is what is counted.
    const countsMatches = o.onlyMatching || o.multiline;
    if (o.output === 'count' && countsMatches && !o.invert) o.output = 'count-matches';
    if (o.output === 'count-matches' && o.invert) o.output = 'count';
    if (o.vimgrep) {
      o.column = true;
      o.heading = false;
      o.fileName ??= true;
    }
    return o;
  }
}

/**
 * Reads rg's command line.
 * @throws UsageError with all that stderr must say
 */
export function parseRgOptions(args: readonly string[]): RgOptions {
  const { options, operands } = getopt<Name>(args, TABLE, WORDING);
  const interpreter = new Interpreter();
  for (const option of options) interpreter.apply(option);
  const parsed = interpreter.finish();
  const paths = [...operands];
  const listing = parsed.output === 'files' || parsed.output === 'types';
  if (parsed.patterns.length === 0 && parsed.info === null && !listing) {
    const first = paths.shift();
    if (first === undefined) {
      throw new UsageError(
        `error: The following required arguments were not provided:\n    <PATTERN>\n${USAGE}`,
      );
    }
    parsed.patterns.push({ text: first });
  }
  parsed.paths = paths;
  return parsed;
}
