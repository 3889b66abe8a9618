/** diff in GNU's forms, over files and directories. */
import type { FsStat } from 'just-bash';
import type { ShimFactory } from '../../src/shell/command.ts';
import { baseOf } from '../basename/index.ts';
import { kindOf } from '../support/files.ts';
import { type Options, UsageError } from '../support/getopt.ts';
import { globMatcher } from '../support/glob.ts';
import { posixRegex } from '../support/regex.ts';
import { nanoseconds, strftime, zoned } from '../support/time.ts';
import {
  defineTool,
  errnoOf,
  shellQuote,
  splitLines,
  type Tool,
  toBytes,
} from '../support/tool.ts';
import {
  contextual,
  edScript,
  normal,
  rcsScript,
  type Side,
  sideBySide,
  unified,
} from './formats.ts';
import { inLineFormats } from './line-formats.ts';
import { type Change, changes } from './myers.ts';

const LONG = {
  normal: 'normal',
  brief: 'q',
  'report-identical-files': 's',
  context: 'context::',
  unified: 'unified::',
  ed: 'e',
  'side-by-side': 'y',
  width: 'W:',
  'left-column': 'left',
  'suppress-common-lines': 'suppress',
  label: 'L:',
  recursive: 'r',
  'no-dereference': 'no-dereference',
  'new-file': 'N',
  'unidirectional-new-file': 'P',
  exclude: 'x:',
  'exclude-from': 'X:',
  'starting-file': 'S:',
  'ignore-case': 'i',
  'ignore-tab-expansion': 'E',
  'ignore-trailing-space': 'Z',
  'ignore-space-change': 'b',
  'ignore-all-space': 'w',
  'ignore-blank-lines': 'B',
  'ignore-matching-lines': 'I:',
  text: 'a',
  'strip-trailing-cr': 'cr',
  minimal: 'd',
  'speed-large-files': 'ignored',
  'horizon-lines': 'ignored:',
  'show-c-function': 'p',
  'show-function-line': 'F:',
  'line-format': 'line:',
  'old-line-format': 'old:',
  'new-line-format': 'new:',
  'unchanged-line-format': 'unchanged:',
  rcs: 'n',
  color: 'ignored::',
  tabsize: 'ignored:',
};

type Form = 'normal' | 'unified' | 'context' | 'ed' | 'side' | 'rcs' | 'lines';

const LINE_FORMATS = ['line', 'old', 'new', 'unchanged'];
/** -p: what begins a function of C, and of much else. */
const FUNCTION = '^[[:alpha:]$_]';

interface File {
  /** As it is printed. */
  name: string;
  stat: FsStat | undefined;
  /** There is none of that name, which counts as an empty one. */
  isMissing?: true;
}

function formOf(options: Options): { form: Form; context: number } {
  let form: Form = 'normal';
  let context = 3;
  for (const [key, value] of options.seen) {
    if (key === 'u' || key === 'U' || key === 'unified') form = 'unified';
    else if (key === 'c' || key === 'C' || key === 'context') form = 'context';
    else if (key === 'e') form = 'ed';
    else if (key === 'n') form = 'rcs';
    else if (LINE_FORMATS.includes(key)) form = 'lines';
    else if (key === 'y') form = 'side';
    else if (key === 'normal') form = 'normal';
    if (/^(?:U|C|unified|context)$/.test(key) && value !== '') {
      if (!/^\d+$/.test(value)) throw new UsageError(`invalid context length '${value}'`);
      context = Number(value);
    } else if (key === 'digits') context = Number(value);
  }
  return { form, context };
}

/** What lines are compared by. */
function normaliser(options: Options): ((line: string) => string) | undefined {
  const steps: Array<(line: string) => string> = [];
  if (options.has('E')) steps.push((line) => line.replace(/\t/g, '        '));
  if (options.has('w')) steps.push((line) => line.replace(/[ \t\r\v\f]+/g, ''));
  else if (options.has('b')) {
    steps.push((line) => line.replace(/[ \t\r\v\f]+$/, '').replace(/[ \t\r\v\f]+/g, ' '));
  } else if (options.has('Z')) steps.push((line) => line.replace(/[ \t\r\v\f]+$/, ''));
  if (options.has('i')) steps.push((line) => line.toLowerCase());
  if (steps.length === 0) return undefined;
  return (line) => steps.reduce((text, step) => step(text), line);
}

function kindOfFile({ stat }: File): string {
  return stat === undefined ? 'regular file' : kindOf(stat);
}

class Comparison {
  readonly #tool: Tool;
  readonly #options: Options;
  readonly #form: Form;
  readonly #context: number;
  readonly #normalise: ((line: string) => string) | undefined;
  readonly #ignored: RegExp[];
  readonly #headings: RegExp | null;
  readonly #excluded: Array<(name: string) => boolean> = [];
  /** How a recursive comparison names each file's own. */
  readonly #command: string;

  constructor(tool: Tool, options: Options) {
    this.#tool = tool;
    this.#options = options;
    ({ form: this.#form, context: this.#context } = formOf(options));
    this.#normalise = normaliser(options);
    this.#ignored = options.all('I').map((pattern) => posixRegex(pattern, 'basic'));
    const headings = options.seen.findLast(([key]) => key === 'p' || key === 'F');
    this.#headings =
      headings === undefined
        ? null
        : posixRegex(headings[0] === 'p' ? FUNCTION : headings[1], 'basic');
    const flags = tool.args.filter((arg) => !options.operands.includes(arg));
    const quoted = (flag: string): string => (flag.includes('=') ? `'${flag}'` : shellQuote(flag));
    this.#command = ['diff', ...flags.map(quoted)].join(' ');
  }

  async exclusions(): Promise<void> {
    const patterns = this.#options.all('x');
    for (const file of this.#options.all('X')) {
      patterns.push(...splitLines((await this.#tool.tryRead(file, 2)) ?? ''));
    }
    this.#excluded.push(...patterns.map((pattern) => globMatcher(pattern)));
  }

  #differ(): void {
    this.#tool.status = Math.max(this.#tool.status, 1);
  }

  /** The attributes of an operand; undefined (after a message) when it cannot be compared. */
  async file(name: string, mayLack: boolean): Promise<File | undefined> {
    if (name === '-') return { name, stat: undefined };
    try {
      const path = this.#tool.path(name);
      const follows = !this.#options.has('no-dereference');
      return { name, stat: await (follows ? this.#tool.fs.stat(path) : this.#tool.fs.lstat(path)) };
    } catch (error) {
      if (mayLack && errnoOf(error) === 'ENOENT') return { name, stat: undefined, isMissing: true };
      this.#tool.complain(name, error, 2);
      return undefined;
    }
  }

  async #side(file: File, label: string | undefined, given: string): Promise<Side> {
    const bytes = this.#options.has('cr') ? given.replaceAll('\r\n', '\n') : given;
    const open = bytes !== '' && !bytes.endsWith('\n');
    const date = file.stat?.mtime ?? (file.name === '-' ? new Date() : new Date(0));
    const time = zoned(date, this.#tool.ctx.env.get('TZ'));
    const stamp =
      this.#form === 'context'
        ? strftime('%a %b %e %H:%M:%S %Y', time, date)
        : strftime(`%Y-%m-%d %H:%M:%S.${nanoseconds(date)} %z`, time, date);
    return { lines: splitLines(bytes), open, label: toBytes(label ?? `${file.name}\t${stamp}`) };
  }

  /** Compares two files; `heading` is printed before a difference. */
  async files(a: File, b: File, heading: string): Promise<void> {
    if (a.stat?.isSymbolicLink === true || b.stat?.isSymbolicLink === true) {
      return this.#links(a, b);
    }
    const read = async (file: File): Promise<string | undefined> =>
      file.isMissing === true ? '' : this.#tool.tryRead(file.name, 2);
    const bytesA = await read(a);
    const bytesB = bytesA === undefined ? undefined : await read(b);
    if (bytesA === undefined || bytesB === undefined) return;
    const binary =
      !this.#options.has('a') &&
      [bytesA, bytesB].some((bytes) => bytes.slice(0, 32768).includes('\0'));
    if (bytesA === bytesB && (binary || !this.#showsEqual)) return this.#identical(a, b);
    const [nameA, nameB] = this.#shownNames(a, b);
    const brief = `Files ${nameA} and ${nameB} differ\n`;
    if (binary) {
      this.#differ();
      this.#tool.print(this.#options.has('q') ? brief : `Binary ${brief.replace('F', 'f')}`);
      return;
    }
    const labels = this.#options.all('L');
    const sideA = await this.#side(a, labels[0], bytesA);
    const sideB = await this.#side(b, labels[1], bytesB);
    const script = await this.#script(sideA, sideB);
    if (script.length === 0) {
      if (this.#showsEqual) {
        this.#tool.print(heading);
        this.#tool.write(this.#render(sideA, sideB, script));
      }
      const isDifferent = this.#form === 'ed' && bytesA !== bytesB && (sideA.open || sideB.open);
      if (isDifferent && this.#options.has('q')) {
        this.#differ();
        this.#tool.print(brief);
      } else if (isDifferent) this.#noNewline([nameA, sideA], [nameB, sideB]);
      else this.#identical(a, b);
      return;
    }
    this.#differ();
    if (this.#options.has('q')) this.#tool.print(brief);
    else {
      this.#tool.print(heading);
      this.#tool.write(this.#render(sideA, sideB, script));
      if (this.#form === 'ed') this.#noNewline([nameA, sideA], [nameB, sideB]);
    }
  }

  /** Are lines shown that both have, be they all? */
  get #showsEqual(): boolean {
    if (this.#options.has('q')) return false;
    if (this.#form === 'side') return !this.#options.has('suppress');
    const unchanged = this.#options.get('unchanged') ?? this.#options.get('line');
    return this.#form === 'lines' && unchanged !== '';
  }

  #shownNames(a: File, b: File): [string, string] {
    const [labelA = a.name, labelB = b.name] = this.#options.all('L');
    return [labelA, labelB];
  }

  /** A script for ed cannot say that the last line lacks its end. */
  #noNewline(...sides: readonly [name: string, side: Side][]): void {
    for (const [name, { open }] of sides) {
      if (open) this.#tool.fail(`${name}: No newline at end of file\n`, 2);
    }
  }

  /** --no-dereference: links are compared by where they lead. */
  async #links(a: File, b: File): Promise<void> {
    const kinds = [a, b].map((file) => kindOfFile(file));
    if (kinds[0] !== kinds[1]) {
      this.#differ();
      this.#tool.print(`File ${a.name} is a ${kinds[0]} while file ${b.name} is a ${kinds[1]}\n`);
      return;
    }
    const target = (file: File): Promise<string> =>
      this.#tool.fs.readlink(this.#tool.path(file.name));
    if ((await target(a)) === (await target(b))) return this.#identical(a, b);
    this.#differ();
    this.#tool.print(`Symbolic links ${a.name} and ${b.name} differ\n`);
  }

  #identical(a: File, b: File): void {
    if (!this.#options.has('s')) return;
    const [nameA, nameB] = this.#shownNames(a, b);
    this.#tool.print(`Files ${nameA} and ${nameB} are identical\n`);
  }

  async #script(a: Side, b: Side): Promise<Change[]> {
    // The end of a line is white space, too, and nothing to ed.
    const ends = this.#form !== 'ed' && !['b', 'w', 'Z'].some((key) => this.#options.has(key));
    const keys = (side: Side): string[] => {
      const compared = this.#normalise === undefined ? side.lines : side.lines.map(this.#normalise);
      if (!side.open || !ends) return compared;
      const marked = [...compared];
      marked[marked.length - 1] += '\n';
      return marked;
    };
    const found = await changes(keys(a), keys(b), () => this.#tool.pulse());
    const blank = this.#options.has('B');
    if (!blank && this.#ignored.length === 0) return found;
    const trivial = (line: string): boolean =>
      (blank && /^\s*$/.test(line) && (line === '' || this.#normalise !== undefined)) ||
      this.#ignored.some((regex) => regex.test(line));
    return found.filter(
      ({ startA, endA, startB, endB }) =>
        !a.lines.slice(startA, endA).every(trivial) || !b.lines.slice(startB, endB).every(trivial),
    );
  }

  #render(a: Side, b: Side, script: readonly Change[]): string {
    switch (this.#form) {
      case 'unified':
        return unified(a, b, script, { context: this.#context, headings: this.#headings });
      case 'context':
        return contextual(a, b, script, { context: this.#context, headings: this.#headings });
      case 'ed':
        return edScript(b, script);
      case 'rcs':
        return rcsScript(b, script);
      case 'lines': {
        const all = this.#options.get('line') ?? '%l\n';
        const of = (key: string): string => this.#options.get(key) ?? all;
        return inLineFormats(a, b, script, {
          old: of('old'),
          new: of('new'),
          unchanged: of('unchanged'),
        });
      }
      case 'side':
        return sideBySide(a, b, script, {
          width: Number(this.#options.get('W') ?? 130),
          leftOnly: this.#options.has('left'),
          suppress: this.#options.has('suppress'),
        });
      default:
        return normal(a, b, script);
    }
  }

  /** Compares two directories, names in order. */
  async directories(a: string, b: string): Promise<void> {
    const list = async (name: string): Promise<Set<string> | undefined> =>
      this.#tool.attempt(
        name,
        async () => {
          const entries = await this.#tool.fs.readdirWithFileTypes(this.#tool.path(name));
          const names = entries.map((entry) => entry.name);
          return new Set(names.filter((one) => !this.#excluded.some((matches) => matches(one))));
        },
        2,
      );
    const namesA = (await this.#lacks(a, 'NP')) ? new Set<string>() : await list(a);
    const namesB = (await this.#lacks(b, 'N')) ? new Set<string>() : await list(b);
    if (namesA === undefined || namesB === undefined) return;
    for (const name of [...new Set([...namesA, ...namesB])].sort()) {
      await this.#pair(a, b, name, namesA.has(name), namesB.has(name));
    }
  }

  /** With -N a directory that is missing on one side counts as empty, with -P one that the first side lacks. */
  async #lacks(name: string, options: string): Promise<boolean> {
    if (![...options].some((option) => this.#options.has(option))) return false;
    return !(await this.#tool.fs.exists(this.#tool.path(name)));
  }

  async #pair(a: string, b: string, name: string, inA: boolean, inB: boolean): Promise<void> {
    const under = (dir: string) => `${dir.replace(/\/+$/, '')}/${name}`;
    const fill = this.#options.has('N') || (this.#options.has('P') && inB);
    if (!(inA && inB) && !fill) {
      this.#differ();
      this.#tool.print(`Only in ${inA ? a : b}: ${name}\n`);
      return;
    }
    const [nameA, nameB] = [under(a), under(b)];
    const fileA = await this.file(nameA, fill);
    const fileB = fileA === undefined ? undefined : await this.file(nameB, fill);
    if (fileA === undefined || fileB === undefined) return;
    const dirs = [fileA, fileB].map((file) => file.stat?.isDirectory === true);
    if (dirs.every(Boolean) || (dirs.some(Boolean) && fill && !(inA && inB))) {
      if (this.#options.has('r')) await this.directories(nameA, nameB);
      else this.#tool.print(`Common subdirectories: ${nameA} and ${nameB}\n`);
    } else if (dirs.some(Boolean)) {
      this.#differ();
      this.#tool.print(
        `File ${nameA} is a ${kindOfFile(fileA)} while file ${nameB} is a ${kindOfFile(fileB)}\n`,
      );
    } else {
      const [shownA, shownB] = this.#shownNames(fileA, fileB);
      await this.files(fileA, fileB, `${this.#command} ${shownA} ${shownB}\n`);
    }
  }
}

async function diff(tool: Tool): Promise<undefined> {
  const options = tool.options({
    short: 'qscC:uU:eyW:L:rNPx:X:S:iEZbwBI:adpnF:H',
    long: LONG,
    digits: true,
  });
  const [nameA, nameB, extra] = options.operands;
  if (nameA === undefined) throw new UsageError("missing operand after 'diff'");
  if (nameB === undefined) throw new UsageError(`missing operand after '${nameA}'`);
  if (extra !== undefined) throw new UsageError(`extra operand '${extra}'`);
  if (nameA === '-' && nameB === '-') {
    // One stdin is the same as itself, and is left to the next who reads it.
    if (options.has('s')) tool.print('Files - and - are identical\n');
    return;
  }
  const comparison = new Comparison(tool, options);
  await comparison.exclusions();
  const fill = options.has('N');
  const a = await comparison.file(nameA, fill);
  const b = await comparison.file(nameB, fill);
  if (a === undefined || b === undefined) return;
  const [dirA, dirB] = [a.stat?.isDirectory === true, b.stat?.isDirectory === true];
  if (dirA && dirB) return void (await comparison.directories(nameA, nameB));
  const inside = async (dir: string, other: string) =>
    comparison.file(`${dir.replace(/\/+$/, '')}/${baseOf(other)}`, fill);
  const left = dirA ? await inside(nameA, nameB) : a;
  const right = dirB ? await inside(nameB, nameA) : b;
  if (left !== undefined && right !== undefined) await comparison.files(left, right, '');
}

/** diff. */
export const diffShims: ShimFactory = (host) => [
  defineTool(
    host,
    { name: 'diff', usage: 'Usage: diff [OPTION]... FILES', usageStatus: 2, prefixHint: true },
    diff,
  ),
];
